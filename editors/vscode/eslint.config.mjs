// The rules of TypeScript's own linter that need types: promises that nobody waits for are the errors that
// extensions have most of.
import tseslint from 'typescript-eslint';

export default tseslint.config(...tseslint.configs.recommendedTypeChecked, {
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  rules: {
    '@typescript-eslint/no-explicit-any': 'error',
    '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    // Tests are promises that the runner waits for.
    '@typescript-eslint/no-floating-promises': [
      'error',
      { allowForKnownSafeCalls: [{ from: 'package', name: ['test', 'describe'], package: 'node:test' }] },
    ],
  },
});
