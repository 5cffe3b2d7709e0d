import { l10n, ThemeIcon, workspace, WorkspaceEdit } from 'vscode';
import type { Uri, WorkspaceEditEntryMetadata } from 'vscode';
import type { KeyEdit } from '../../core/yaml/keyEdit';
import type { PartText } from '../../core/render/parts';
import { takenEdits } from '../../core/text/taken';
import type { TextEdit as CoreEdit } from '../../core/text/textEdit';
import { placeOn, topOf } from '../../host/pages';
import type { Page, Texts } from '../../host/pages';
import { recordOf } from './apply';
import type { ApplyOptions } from './apply';
import { writeBackupOf } from './backup';
import type { FileChange } from './fileChanges';
import { changedMeanwhile, prepareAll } from './prepare';
import type { Step } from './prepare';
import type { UndoHistory } from './undo';
import { putBack, saveOrPutBack } from './writeAll';

/** A plan whose changes the user chooses one by one. */
interface Choice {
  readonly title: string;
  readonly changes: readonly FileChange[];
  readonly textOf: (key: KeyEdit) => PartText;
  /** A line to write above the changes as a comment, if the file allows comments. */
  readonly note: string;
}

/** What was chosen. */
interface Chosen {
  /** Changes that were left out; null if VS Code's changes on save hide which. */
  readonly left: readonly KeyEdit[] | null;
}

/**
 * Shows a plan's changes in VS Code's refactor preview, applies those that the user leaves ticked, saves, and
 * records the undo: all of them or none. Null if the user discards them all. Nothing, not even a backup, is written
 * before the user decides; the decision is read from the documents, because VS Code does not report it.
 */
export async function applyChosen(
  choice: Choice,
  options: ApplyOptions,
  history: UndoHistory,
): Promise<Chosen | null> {
  const steps = await prepareAll(choice.changes, options.saveUnsaved);
  const contents = options.backup ? await contentsOf(steps) : new Map<Step, Uint8Array>();
  const note = noteIn(steps, choice.note);
  const texts = steps.map(({ document }) => document.getText());
  const before = steps.map(step => step.before);
  const planned = recordOf(choice.title, steps, new Map(), ({ change }) => change.after);
  await history.add({ ...planned, pending: true });
  try {
    // Files that must stay unsaved must not be saved with the rest, as files.refactoring.autoSave would do.
    const isRefactoring = steps.every(({ save }) => save);
    if (!(await workspace.applyEdit(previewed(steps, choice.textOf, note), { isRefactoring }))) {
      refuseChanged(steps, texts);
      await history.dropLast();
      return null;
    }
    const changed = steps.filter(({ document }, i) => document.getText() !== texts[i]);
    const left = leftOut(steps, note);
    const backups = await saveAll(steps, changed, contents, before);
    await history.replaceLast(recordOf(choice.title, changed, backups, ({ document }) => document.getText()));
    return { left };
  } catch (error) {
    await history.dropLast();
    throw error;
  }
}

/** Writes the backups and saves; if either fails, every document is restored and the backups are removed. */
async function saveAll(
  steps: readonly Step[],
  changed: readonly Step[],
  contents: ReadonlyMap<Step, Uint8Array>,
  before: readonly Texts[],
): Promise<ReadonlyMap<Step, Uri>> {
  const backups = new Map<Step, Uri>();
  try {
    for (const step of changed) {
      const content = contents.get(step);
      if (content) backups.set(step, await writeBackupOf(step.change.uri, content));
    }
  } catch (error) {
    await putBack(steps, before);
    await removeBackups(backups);
    throw error;
  }
  try {
    await saveOrPutBack(steps, before);
  } catch (error) {
    await removeBackups(backups);
    throw error;
  }
  return backups;
}

async function removeBackups(backups: ReadonlyMap<Step, Uri>): Promise<void> {
  for (const backup of backups.values()) await workspace.fs.delete(backup);
}

/** The files' contents on disk before anything is written. */
async function contentsOf(steps: readonly Step[]): Promise<Map<Step, Uint8Array>> {
  const contents = new Map<Step, Uint8Array>();
  for (const step of steps) {
    if (step.save) contents.set(step, await workspace.fs.readFile(step.change.uri));
  }
  return contents;
}

/** Refuses if a file was written while the preview was open: the plan is for its previous content. */
function refuseChanged(steps: readonly Step[], before: readonly string[]): void {
  const other = steps.find(({ document }, i) => document.getText() !== before[i]);
  if (other) throw changedMeanwhile(workspace.asRelativePath(other.document.uri));
}

interface Note {
  readonly step: Step;
  readonly edit: CoreEdit;
}

const KEY = new ThemeIcon('symbol-property');
const NOTE = new ThemeIcon('comment');

const COMMENTED: ReadonlySet<string> = new Set(['yaml', 'dockercompose', 'toml', 'shellscript', 'python']);

const isCommented = ({ languageId, uri }: Page): boolean =>
  COMMENTED.has(languageId) || uri.path.endsWith('.toml');

/** The note, above the first file that can hold a comment; null if all are JSON. */
function noteIn(steps: readonly Step[], note: string): Note | null {
  const step = steps.find(({ document }) => isCommented(document));
  if (!step) return null;
  const text = step.document.getText();
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const top = topOf(step.document, step.edits[0]?.span.start ?? 0);
  // A script's first line may be its shebang.
  const at = text.startsWith('#!') ? text.indexOf('\n') + 1 : top;
  return { step, edit: { span: { start: at, end: at }, text: `# ${note}${newline}` } };
}

/**
 * The edits with their labels. VS Code shows a preview only if an edit needs confirmation, and leaves such edits
 * unticked: that is the optional note. Without a note, every change must be ticked by the user.
 */
function previewed(
  steps: readonly Step[],
  textOf: (key: KeyEdit) => PartText,
  note: Note | null,
): WorkspaceEdit {
  const whole = new WorkspaceEdit();
  for (const step of steps) {
    const { document, change } = step;
    if (note?.step === step) {
      const label = l10n.t('Comment with the previous values');
      const description = l10n.t('optional, added above the change');
      const shown = { label, description, iconPath: NOTE, needsConfirmation: true };
      replaceOn(whole, document, note.edit, shown);
    }
    for (const [i, edit] of change.edits.entries()) {
      const key = change.keys[i];
      const shown = key && { ...textOf(key), iconPath: KEY, needsConfirmation: note === null };
      replaceOn(whole, document, edit, shown);
    }
  }
  return whole;
}

function replaceOn(
  whole: WorkspaceEdit,
  page: Page,
  { span, text }: CoreEdit,
  shown: WorkspaceEditEntryMetadata | undefined,
): void {
  const { uri, range } = placeOn(page, span);
  whole.replace(uri, range, text, shown);
}

/** The changes that are not in the documents; null if the documents differ in another way. */
function leftOut(steps: readonly Step[], note: Note | null): readonly KeyEdit[] | null {
  const left: KeyEdit[] = [];
  for (const { document, change } of steps) {
    const extra = note?.step.change === change ? [note.edit] : [];
    const taken = takenEdits(change.before, [...extra, ...change.edits], document.getText());
    if (!taken) return null;
    left.push(...change.keys.filter((_, i) => !taken[i + extra.length]));
  }
  return left;
}
