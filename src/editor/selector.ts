import { workspace } from 'vscode';
import type { DocumentFilter } from 'vscode';
import { isCarrier } from '../core/dialects/envelopes/carrier';
import type { Page } from '../host/pages';

/** File systems whose documents are not the user's files, such as settings and old revisions. */
const NOT_EDITED: ReadonlySet<string> = new Set(['vscode-userdata', 'git', 'output', 'vscode-local-history']);

/**
 * Languages of configs: YAML, Compose's YAML, the JSON that it names, TOML, scripts of batch systems, programs, and
 * files that carry commands, Dockerfiles among them. Only the first ones start the extension.
 */
const LANGUAGES: readonly string[] = [
  'yaml',
  'dockercompose',
  'json',
  'jsonc',
  'toml',
  'shellscript',
  'python',
  'markdown',
  'makefile',
  'just',
  'github-actions-workflow',
  'dockerfile',
];

/** Files that start programs, and have no language of their own without another extension. */
const CARRIERS = '**/{*.service,*.container,supervisord*.conf,supervisord*.ini,*[Mm]odelfile*}';

/** For features: possible configs. Their scheme is checked when they are analyzed. */
export const configSelector: readonly DocumentFilter[] = [
  ...LANGUAGES.map(language => ({ language })),
  // Where a setting or another extension gives TOML no language of its own.
  { language: 'plaintext', pattern: '**/*.toml' },
  { pattern: CARRIERS },
];

/**
 * Whether a document may be a config: on any file system, including remote ones, but not on a diff's left side, in
 * an output channel or on a settings page.
 */
export function isCandidate({ languageId, uri: { scheme, path } }: Page): boolean {
  const isConfig =
    LANGUAGES.includes(languageId) ||
    (languageId === 'plaintext' && path.endsWith('.toml')) ||
    isCarrier(path);
  if (!isConfig || NOT_EDITED.has(scheme)) return false;
  return scheme === 'untitled' || workspace.fs.isWritableFileSystem(scheme) !== undefined;
}
