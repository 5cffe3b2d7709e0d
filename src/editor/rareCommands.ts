import { commands, FileSystemError, l10n, Uri, workspace } from 'vscode';
import { Refusal } from '../host/errors';
import { inform, pickOne } from '../host/messages';
import { rewrite } from '../host/settings';
import { makeDialect } from './makeDialect';
import { describeModel, downloadModelConfig, estimateAs } from './modelCommands';

/** The examples of the walkthrough: folders of media/walkthrough/examples, and what each shows. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'training-memory': l10n.t('Find the largest batch size'),
  'embedding-batch': l10n.t('Embed texts'),
  'device-map': l10n.t('Split a model across devices'),
  utilisation: l10n.t('Use the whole GPU'),
};

/** The panel has one button for all examples. */
async function pickExample(): Promise<string | undefined> {
  const items = Object.entries(EXAMPLES).map(([name, label]) => ({ name, label }));
  const picked = await pickOne(items, {
    title: l10n.t('Open Example'),
    placeHolder: l10n.t('Opens a copy in a new window.'),
  });
  return picked?.name;
}

/** Opens an example in its own window: a copy that the user can change, made once. */
async function openExample(extension: Uri, storage: Uri, named: unknown): Promise<void> {
  const name = named ?? (await pickExample());
  if (name === undefined) return;
  if (typeof name !== 'string' || !Object.hasOwn(EXAMPLES, name)) {
    throw new Refusal(l10n.t("This example doesn't exist."));
  }
  const folder = Uri.joinPath(storage, 'examples', name);
  const source = Uri.joinPath(extension, 'media/walkthrough/examples', name);
  try {
    await workspace.fs.copy(source, folder, { overwrite: false });
  } catch (error) {
    if (!(error instanceof FileSystemError && error.code === 'FileExists')) throw error;
  }
  await commands.executeCommand('vscode.openFolder', folder, { forceNewWindow: true });
}

const RULE = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const isRule = (rule: unknown): rule is string => typeof rule === 'string' && RULE.test(rule);

/**
 * Turns a rule off in the workspace or, without one, for the user, and says so, because nothing else shows it
 * later.
 */
async function ignoreRule(rule: unknown): Promise<void> {
  if (!isRule(rule)) throw new Refusal(l10n.t('To ignore a rule, use the quick fix of one of its findings.'));
  const { isInWorkspace, undo } = await rewrite('rules.severity', own => ({
    ...own,
    [rule]: 'off' as const,
  }));
  const back = l10n.t('Undo');
  const message = isInWorkspace
    ? l10n.t('Rule {0} is off in this workspace.', rule)
    : l10n.t('Rule {0} is off.', rule);
  void inform(message, back).then(chosen => (chosen === back ? undo() : undefined));
}

/** Opens the page of a rule, which ships with the extension: the codes of findings link here. */
async function showRulePage(extension: Uri, rule: unknown): Promise<void> {
  if (!isRule(rule)) {
    throw new Refusal(l10n.t("To open a rule's page, click the code of one of its findings."));
  }
  await commands.executeCommand(
    'markdown.showPreview',
    Uri.joinPath(extension, 'docs', 'rules', `${rule}.md`),
  );
}

/** Commands that few windows use: they load with the first of them. */
export const rareCommands = {
  openExample,
  ignoreRule,
  showRulePage,
  makeDialect,
  downloadModelConfig,
  describeModel,
  estimateAs,
};
