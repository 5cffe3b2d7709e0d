import { workspace } from 'vscode';
import type { DocumentFilter, TextDocument } from 'vscode';

/** File systems whose documents are no files of a user's: settings, and the past of a repository. */
const NOT_EDITED: ReadonlySet<string> = new Set(['vscode-userdata', 'git', 'output', 'vscode-local-history']);

/** What configs are written in: YAML, Compose's YAML, the JSON that it names, and the scripts of batch systems. */
const LANGUAGES: readonly string[] = ['yaml', 'dockercompose', 'json', 'jsonc', 'shellscript'];

/** For features: what may be a config. Where it comes from is looked at when it is analysed. */
export const configSelector: readonly DocumentFilter[] = LANGUAGES.map(language => ({ language }));

/**
 * May this document be a config? On any file system, remote ones too, but not in a diff's left side, an output channel or
 * a settings page.
 */
export function isCandidate({ languageId, uri: { scheme } }: TextDocument): boolean {
  if (!LANGUAGES.includes(languageId) || NOT_EDITED.has(scheme)) return false;
  return scheme === 'untitled' || workspace.fs.isWritableFileSystem(scheme) !== undefined;
}
