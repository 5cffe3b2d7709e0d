import type { DocumentFilter, TextDocument } from 'vscode';

/** Where a config can be edited: not in a diff's left side, an output channel or a settings page. */
const SCHEMES: readonly string[] = ['file', 'untitled', 'vscode-remote', 'vscode-vfs'];

/** What configs are written in: YAML, Compose's YAML, the JSON that it names, and the scripts of batch systems. */
const LANGUAGES: readonly string[] = ['yaml', 'dockercompose', 'json', 'jsonc', 'shellscript'];

/** For features: what may be a config, wherever it can be edited. */
export const configSelector: readonly DocumentFilter[] = SCHEMES.flatMap(scheme =>
  LANGUAGES.map(language => ({ language, scheme })),
);

/** May this document be a config? */
export function isCandidate(document: TextDocument): boolean {
  return LANGUAGES.includes(document.languageId) && SCHEMES.includes(document.uri.scheme);
}
