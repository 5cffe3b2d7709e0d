import { Uri, window } from 'vscode';
import type { ExtensionContext } from 'vscode';
import { fileArgument, filesArgument } from '../host/commands';
import type { DisposableStore } from '../host/disposables';
import { lazily } from '../host/lazily';
import { jsonFileAt } from '../host/jsonFile';
import { VirtualDocuments } from '../host/virtualDocuments';
import { WorkspaceCheck } from './check/checkWorkspace';
import type { CheckServices } from './check/checkWorkspace';
import { Explanations } from './explain';
import { dismissFailure } from './failures';
import type { Failures } from './failures';
import { pickConfig } from './pickConfig';
import type { Profiler } from './profile/profiler';

/** Opens a config that the user picks from the workspace's. */
async function openConfig(services: CommandServices): Promise<void> {
  const picked = await pickConfig(services);
  if (picked) await window.showTextDocument(picked);
}

interface CommandServices extends CheckServices {
  readonly failures: Failures;
  readonly learned: () => void;
  readonly profiler: Profiler;
}

/** What plans need beyond the services: their memory, and documents of their own. */
function planningIn(
  context: ExtensionContext,
  services: CommandServices,
  pages: (scheme: string) => VirtualDocuments,
) {
  const storage = context.storageUri ?? context.globalStorageUri;
  return {
    ...services,
    memory: context.globalState,
    applied: jsonFileAt(Uri.joinPath(storage, 'applied.json')),
    previews: pages('headroom-preview'),
    plans: pages('headroom-plan'),
    comparisons: pages('headroom-comparison'),
  };
}

/** A command about a run: the file is a URI or its text. */
const onRun =
  (command: (...args: [file: Uri | null, run: unknown]) => unknown) => (file: unknown, run: unknown) =>
    command(fileArgument(file), run);

/** The commands about configs. Their arguments are not trusted: see host/commands. */
export function editorCommands(context: ExtensionContext, services: CommandServices, store: DisposableStore) {
  const pages = (scheme: string) => store.add(new VirtualDocuments(scheme));
  const explanations = store.add(new Explanations(services, pages('headroom-explanation')));
  const check = store.add(new WorkspaceCheck(services));
  const planning = planningIn(context, services, pages);
  const plans = lazily(async () => (await import('./optimize/chunk')).openPlans(planning, store));
  const explain = (file: Uri, run: string) => explanations.show(file, run);
  const rare = lazily(async () => (await import('./rareCommands')).rareCommands);
  const profiling = lazily(async () => (await import('./profile/chunk')).profiling);
  const profile = { ...services, explain };
  return {
    'headroom.optimize': onRun(async (...args) => (await plans()).optimize(...args)),
    'headroom.undoOptimization': async () => (await plans()).undo(),
    'headroom.chooseTarget': async () => (await plans()).chooseTarget(),
    'headroom.chooseCopiedGpu': async () => (await plans()).chooseCopiedGpu(),
    'headroom.compareGpus': onRun(async (...args) => (await plans()).compare(...args)),
    'headroom.explain': onRun((...args) => explanations.show(...args)),
    'headroom.showActions': onRun(async (...args) => (await plans()).showActions(...args)),
    'headroom.checkWorkspace': () => check.run(),
    'headroom.clearResults': () => check.clear(),
    'headroom.checkFiles': (file: unknown, files: unknown) => check.files(filesArgument(file, files)),
    'headroom.openConfig': () => openConfig(services),
    'headroom.dismissFailure': onRun((...args) => dismissFailure(services.failures, ...args)),
    'headroom.makeDialect': async (file: unknown) => (await rare()).makeDialect(services, fileArgument(file)),
    'headroom.showRule': async (rule: unknown) => (await rare()).showRulePage(context.extensionUri, rule),
    'headroom.downloadModelConfig': onRun(async (...args) =>
      (await rare()).downloadModelConfig(services, ...args),
    ),
    'headroom.describeModel': onRun(async (...args) => (await rare()).describeModel(services, ...args)),
    'headroom.estimateAs': onRun(async (...args) => (await rare()).estimateAs(services, ...args)),
    'headroom.ignoreRule': async (rule: unknown) => (await rare()).ignoreRule(rule),
    'headroom.openExample': async (name: unknown) =>
      (await rare()).openExample(context.extensionUri, context.globalStorageUri, name),
    'headroom.profileConfig': onRun(async (...args) => (await profiling()).profileConfig(profile, ...args)),
    'headroom.countLengths': onRun(async (...args) => (await profiling()).countLengths(profile, ...args)),
    'headroom.addMeasurement': async (file: unknown, run: unknown, printed: unknown) =>
      (await profiling()).addMeasurement(profile, fileArgument(file), run, printed),
    'headroom.forgetMeasurements': onRun(async (...args) =>
      (await profiling()).forgetMeasurements(profile, ...args),
    ),
    'headroom.calibrateGpu': async () => (await profiling()).calibrateGpu(profile),
    'headroom.importPastRuns': async (folder: unknown) =>
      (await profiling()).importPastRuns(profile, fileArgument(folder)),
    'headroom.exportMeasurements': onRun(async (...args) =>
      (await profiling()).exportMeasurements(profile, ...args),
    ),
  };
}
