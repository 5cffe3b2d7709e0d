import { commands, FileSystemError, l10n, Uri, window, workspace } from 'vscode';
import type { ExtensionContext } from 'vscode';
import { fileArgument, filesArgument } from '../host/commands';
import type { DisposableStore } from '../host/disposables';
import { Refusal } from '../host/errors';
import { lazily } from '../host/lazily';
import { jsonFileAt } from '../host/jsonFile';
import { rewrite } from '../host/settings';
import { VirtualDocuments } from '../host/virtualDocuments';
import { inform, pickOne } from '../host/messages';
import { WorkspaceCheck } from './check/checkWorkspace';
import type { CheckServices } from './check/checkWorkspace';
import { Explanations } from './explain';
import { dismissFailure } from './failures';
import type { Failures } from './failures';
import { makeDialect } from './makeDialect';
import { pickConfig } from './pickConfig';
import { describeModel, downloadModelConfig, estimateAs } from './unknownModel';
import type { Profiler } from './profile/profiler';

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
export async function openExample(extension: Uri, storage: Uri, named: unknown): Promise<void> {
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

/** Opens a config that the user picks from the workspace's. */
async function openConfig(services: CommandServices): Promise<void> {
  const picked = await pickConfig(services);
  if (picked) await window.showTextDocument(picked);
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
export async function showRulePage(extension: Uri, rule: unknown): Promise<void> {
  if (!isRule(rule)) {
    throw new Refusal(l10n.t("To open a rule's page, click the code of one of its findings."));
  }
  await commands.executeCommand(
    'markdown.showPreview',
    Uri.joinPath(extension, 'docs', 'rules', `${rule}.md`),
  );
}

interface CommandServices extends CheckServices {
  readonly failures: Failures;
  readonly learned: () => void;
  readonly profiler: Profiler;
}

/** The commands about configs. Their arguments are not trusted: see host/commands. */
export function editorCommands(context: ExtensionContext, services: CommandServices, store: DisposableStore) {
  const pages = (scheme: string) => store.add(new VirtualDocuments(scheme));
  const explanations = store.add(new Explanations(services, pages('headroom-explanation')));
  const check = store.add(new WorkspaceCheck(services));
  const storage = context.storageUri ?? context.globalStorageUri;
  const planning = {
    ...services,
    memory: context.globalState,
    applied: jsonFileAt(Uri.joinPath(storage, 'applied.json')),
    previews: pages('headroom-preview'),
    plans: pages('headroom-plan'),
    comparisons: pages('headroom-comparison'),
  };
  const plans = lazily(async () => (await import('./optimize/chunk')).openPlans(planning, store));
  const explain = (file: Uri, run: string) => explanations.show(file, run);
  const profiling = lazily(async () =>
    (await import('./profile/chunk')).openProfiling({ ...services, explain }),
  );
  return {
    'headroom.optimize': async (file: unknown, run: unknown) =>
      (await plans()).optimize(fileArgument(file), run),
    'headroom.undoOptimization': async () => (await plans()).undo(),
    'headroom.chooseTarget': async () => (await plans()).chooseTarget(),
    'headroom.chooseCopiedGpu': async () => (await plans()).chooseCopiedGpu(),
    'headroom.compareGpus': async (file: unknown, run: unknown) =>
      (await plans()).compare(fileArgument(file), run),
    'headroom.explain': (file: unknown, run: unknown) => explanations.show(fileArgument(file), run),
    'headroom.showActions': async (file: unknown, run: unknown) =>
      (await plans()).showActions(fileArgument(file), run),
    'headroom.checkWorkspace': () => check.run(),
    'headroom.clearResults': () => check.clear(),
    'headroom.checkFiles': (file: unknown, files: unknown) => check.files(filesArgument(file, files)),
    'headroom.openConfig': () => openConfig(services),
    'headroom.dismissFailure': (file: unknown, run: unknown) =>
      dismissFailure(services.failures, fileArgument(file), run),
    'headroom.makeDialect': (file: unknown) => makeDialect(services, fileArgument(file)),
    'headroom.showRule': (rule: unknown) => showRulePage(context.extensionUri, rule),
    'headroom.downloadModelConfig': (file: unknown, run: unknown) =>
      downloadModelConfig(services, fileArgument(file), run),
    'headroom.describeModel': (file: unknown, run: unknown) =>
      describeModel(services, fileArgument(file), run),
    'headroom.estimateAs': (file: unknown, run: unknown) => estimateAs(services, fileArgument(file), run),
    'headroom.ignoreRule': ignoreRule,
    'headroom.openExample': (name: unknown) =>
      openExample(context.extensionUri, context.globalStorageUri, name),
    'headroom.profileConfig': async (file: unknown, run: unknown) =>
      (await profiling()).profileConfig(fileArgument(file), run),
    'headroom.countLengths': async (file: unknown, run: unknown) =>
      (await profiling()).countLengths(fileArgument(file), run),
    'headroom.addMeasurement': async (file: unknown, run: unknown, printed: unknown) =>
      (await profiling()).addMeasurement(fileArgument(file), run, printed),
    'headroom.forgetMeasurements': async (file: unknown, run: unknown) =>
      (await profiling()).forgetMeasurements(fileArgument(file), run),
    'headroom.calibrateGpu': async () => (await profiling()).calibrateGpu(),
    'headroom.importPastRuns': async (folder: unknown) =>
      (await profiling()).importPastRuns(fileArgument(folder)),
    'headroom.exportMeasurements': async (file: unknown, run: unknown) =>
      (await profiling()).exportMeasurements(fileArgument(file), run),
  };
}
