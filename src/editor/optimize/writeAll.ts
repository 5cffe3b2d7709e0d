import { l10n, workspace, WorkspaceEdit } from 'vscode';
import type { TextDocument } from 'vscode';
import type { TextEdit } from '../../core/text/textEdit';
import { Refusal } from '../../host/errors';
import { rangeOf } from '../../host/documents';

/** Edits of an open document, and whether the result is saved or stays in the editor. */
export interface Write {
  readonly document: TextDocument;
  readonly edits: readonly TextEdit[];
  readonly save: boolean;
}

/**
 * Edits every document in one undo step, and saves; if one cannot be saved (it was written meanwhile, the disk is
 * full), all get their old text back.
 */
export async function writeAll(writes: readonly Write[]): Promise<void> {
  const before = writes.map(({ document }) => document.getText());
  const whole = new WorkspaceEdit();
  for (const { document, edits } of writes) {
    for (const { span, text } of edits) whole.replace(document.uri, rangeOf(document, span), text);
  }
  if (!(await workspace.applyEdit(whole))) {
    throw new Refusal(l10n.t('VS Code rejected the edit, so nothing was changed. Try again.'));
  }
  await saveOrPutBack(writes, before);
}

type Saved = Pick<Write, 'document' | 'save'>;

/** Saves the edited documents; if one cannot be saved, all get their old text back. */
export async function saveOrPutBack(writes: readonly Saved[], before: readonly string[]): Promise<void> {
  const failed = await saveAll(writes);
  if (!failed) return;
  await putBack(writes, before);
  const name = workspace.asRelativePath(failed.uri);
  throw new Refusal(
    l10n.t("Couldn't save {0}, so nothing was changed. Check its permissions and try again.", name),
  );
}

/** The first document that could not be saved, or null. */
async function saveAll(writes: readonly Saved[]): Promise<TextDocument | null> {
  for (const { document, save } of writes) {
    if (save && document.isDirty && !(await document.save())) return document;
  }
  return null;
}

export async function putBack(writes: readonly Saved[], texts: readonly string[]): Promise<void> {
  const whole = new WorkspaceEdit();
  for (const [i, { document }] of writes.entries()) {
    const everything = rangeOf(document, { start: 0, end: document.getText().length });
    whole.replace(document.uri, everything, texts[i] ?? '');
  }
  await workspace.applyEdit(whole);
  await saveAll(writes);
}
