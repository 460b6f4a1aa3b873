// The page of a webview: only one script and one style from the extension itself, enforced by a strict policy.
import { randomBytes } from 'node:crypto';

export interface PageParts {
  readonly title: string;
  readonly source: string; // the webview's name for its own resources in policies
  readonly script: string; // URIs
  readonly style: string;
  readonly nonce: string;
}

export function newNonce(): string {
  return randomBytes(16).toString('base64');
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);
}

export function webviewPage({ title, source, script, style, nonce }: PageParts): string {
  const policy = `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(style)}">
<title>${escaped(title)}</title>
</head>
<body>
<script nonce="${escaped(nonce)}" src="${escaped(script)}"></script>
</body>
</html>
`;
}
