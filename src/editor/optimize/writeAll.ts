import { l10n, workspace, WorkspaceEdit } from 'vscode';
import type { TextEdit } from '../../core/text/textEdit';
import { Refusal } from '../../host/errors';
import { placeOn, putBackIn, textsOf } from '../../host/pages';
import type { Page, Texts } from '../../host/pages';

/** Edits of an open document, and whether the result is saved or stays in the editor. */
export interface Write {
  readonly document: Page;
  readonly edits: readonly TextEdit[];
  readonly save: boolean;
}

/**
 * Edits every document in one undo step, and saves; if one cannot be saved (it was written meanwhile, the disk is
 * full), all get their old text back.
 */
export async function writeAll(writes: readonly Write[]): Promise<void> {
  const before = writes.map(({ document }) => textsOf(document));
  const whole = new WorkspaceEdit();
  for (const { document, edits } of writes) {
    for (const { span, text } of edits) {
      const { uri, range } = placeOn(document, span);
      whole.replace(uri, range, text);
    }
  }
  if (!(await workspace.applyEdit(whole))) {
    throw new Refusal(l10n.t('VS Code rejected the edit, so nothing was changed. Try again.'));
  }
  await saveOrPutBack(writes, before);
}

type Saved = Pick<Write, 'document' | 'save'>;

/** Saves the edited documents; if one cannot be saved, all get their old text back. */
export async function saveOrPutBack(writes: readonly Saved[], before: readonly Texts[]): Promise<void> {
  const failed = await saveAll(writes);
  if (!failed) return;
  await putBack(writes, before);
  const name = workspace.asRelativePath(failed.uri);
  throw new Refusal(
    l10n.t("Couldn't save {0}, so nothing was changed. Check its permissions and try again.", name),
  );
}

/** The first document that could not be saved, or null. */
async function saveAll(writes: readonly Saved[]): Promise<Page | null> {
  for (const { document, save } of writes) {
    if (save && document.isDirty && !(await document.save())) return document;
  }
  return null;
}

export async function putBack(writes: readonly Saved[], before: readonly Texts[]): Promise<void> {
  const whole = new WorkspaceEdit();
  for (const texts of before) putBackIn(whole, texts);
  await workspace.applyEdit(whole);
  await saveAll(writes);
}
