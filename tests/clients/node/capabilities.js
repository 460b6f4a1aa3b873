// @ts-check
// The capabilities of a client that can do everything that the server may make use of.
'use strict';

/** @typedef {import('vscode-languageserver-protocol').ClientCapabilities} ClientCapabilities */

/** @param {string[] | undefined} positionEncodings nothing is said of them where it is undefined
 * @returns {ClientCapabilities} */
function fullCapabilities(positionEncodings) {
  return {
    general: {
      ...(positionEncodings && { positionEncodings }),
      staleRequestSupport: { cancel: true, retryOnContentModified: [] },
      markdown: { parser: 'marked', version: '1.1.0' },
    },
    window: {
      workDoneProgress: true,
      showMessage: { messageActionItem: { additionalPropertiesSupport: true } },
      showDocument: { support: true },
    },
    workspace: {
      applyEdit: true,
      configuration: true,
      workspaceFolders: true,
      didChangeConfiguration: { dynamicRegistration: true },
      didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
      symbol: { dynamicRegistration: true, resolveSupport: { properties: ['location.range'] } },
      executeCommand: { dynamicRegistration: true },
      codeLens: { refreshSupport: true },
      inlayHint: { refreshSupport: true },
      diagnostics: { refreshSupport: true },
      foldingRange: { refreshSupport: true },
      textDocumentContent: { dynamicRegistration: true },
    },
    textDocument: {
      synchronization: { dynamicRegistration: true, didSave: true, willSave: true },
      hover: { dynamicRegistration: true, contentFormat: ['markdown', 'plaintext'] },
      codeLens: { dynamicRegistration: true, resolveSupport: { properties: ['command'] } },
      inlayHint: {
        dynamicRegistration: true,
        resolveSupport: {
          properties: ['tooltip', 'textEdits', 'label.tooltip', 'label.location', 'label.command'],
        },
      },
      callHierarchy: { dynamicRegistration: true },
      references: { dynamicRegistration: true },
      documentHighlight: { dynamicRegistration: true },
      documentLink: { dynamicRegistration: true, tooltipSupport: true },
      foldingRange: { dynamicRegistration: true, foldingRange: { collapsedText: true } },
      publishDiagnostics: { relatedInformation: true, versionSupport: true },
      diagnostic: { dynamicRegistration: true, relatedDocumentSupport: true },
    },
    // `status`: this client listens to gprof/status.
    experimental: { gprof: { version: 1, status: true } },
  };
}

module.exports = { fullCapabilities };
