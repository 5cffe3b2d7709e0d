import type { DocumentFilter, TextDocument } from 'vscode';

/** Where a config can be edited: not in a diff's left side, an output channel or a settings page. */
const SCHEMES: readonly string[] = ['file', 'untitled', 'vscode-remote', 'vscode-vfs'];

/** For features: YAML, wherever it can be edited. */
export const yamlSelector: readonly DocumentFilter[] = SCHEMES.map(scheme => ({ language: 'yaml', scheme }));

/** May this document be a config? */
export function isCandidate(document: TextDocument): boolean {
  return document.languageId === 'yaml' && SCHEMES.includes(document.uri.scheme);
}
