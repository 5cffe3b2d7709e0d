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

/** The commands about configs. Their arguments are not trusted: see host/commands. */
export function editorCommands(context: ExtensionContext, services: CommandServices, store: DisposableStore) {
  const pages = (scheme: string) => store.add(new VirtualDocuments(scheme));
  const explanations = store.add(new Explanations(services, pages('headroom-explanation')));
  const check = store.add(new WorkspaceCheck(services));
  const planning = planningIn(context, services, pages);
  const plans = lazily(async () => (await import('./optimize/chunk')).openPlans(planning, store));
  const explain = (file: Uri, run: string) => explanations.show(file, run);
  const rare = lazily(async () => (await import('./rareCommands')).rareCommands);
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
    'headroom.makeDialect': async (file: unknown) => (await rare()).makeDialect(services, fileArgument(file)),
    'headroom.showRule': async (rule: unknown) => (await rare()).showRulePage(context.extensionUri, rule),
    'headroom.downloadModelConfig': async (file: unknown, run: unknown) =>
      (await rare()).downloadModelConfig(services, fileArgument(file), run),
    'headroom.describeModel': async (file: unknown, run: unknown) =>
      (await rare()).describeModel(services, fileArgument(file), run),
    'headroom.estimateAs': async (file: unknown, run: unknown) =>
      (await rare()).estimateAs(services, fileArgument(file), run),
    'headroom.ignoreRule': async (rule: unknown) => (await rare()).ignoreRule(rule),
    'headroom.openExample': async (name: unknown) =>
      (await rare()).openExample(context.extensionUri, context.globalStorageUri, name),
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
