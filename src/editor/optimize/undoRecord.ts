import type { TextEdit } from '../../core/text/textEdit';

/** One file of an applied plan: its text before, its text now, and the edits that undo it. */
export interface ChangedFile {
  readonly uri: string;
  readonly beforeDigest: string;
  readonly afterDigest: string;
  /** Edits that turn the current text into the previous one. */
  readonly back: readonly TextEdit[];
  /** The backup's path; null without a backup. */
  readonly backup: string | null;
}

/** One applied plan. */
export interface UndoRecord {
  readonly title: string;
  readonly files: readonly ChangedFile[];
  /** Recorded while the user was still choosing: it may not have been applied. */
  readonly pending?: true;
}

/** The edits that undo `edits` of `text`. */
export function inverseEdits(text: string, edits: readonly TextEdit[]): TextEdit[] {
  const ordered = edits
    .map((edit, order) => ({ edit, order }))
    .sort((a, b) => a.edit.span.start - b.edit.span.start || a.order - b.order);
  let shift = 0;
  return ordered.map(({ edit: { span, text: written } }) => {
    const start = span.start + shift;
    shift += written.length - (span.end - span.start);
    return { span: { start, end: start + written.length }, text: text.slice(span.start, span.end) };
  });
}

/** The n-th backup of a file: `config.yaml.backup`, `config.yaml.backup.1`, `config.yaml.backup.2` … */
export function backupName(path: string, n: number): string {
  return n === 0 ? `${path}.backup` : `${path}.backup.${n}`;
}
