import { Uri } from 'vscode';
import type { ExtensionContext } from 'vscode';
import { fileArgument } from '../host/commands';
import type { DisposableStore } from '../host/disposables';
import { JsonFile } from '../host/jsonFile';
import { VirtualDocuments } from '../host/virtualDocuments';
import { WorkspaceCheck } from './checkWorkspace';
import type { CheckServices } from './checkWorkspace';
import { chooseTarget } from './chooseTarget';
import { compareGpus } from './compare/compareGpus';
import { Explanations } from './explain';
import { dismissFailure } from './failures';
import type { Failures } from './failures';
import { makeDialect } from './makeDialect';
import { openExample } from './openExample';
import { optimize } from './optimize/optimize';
import { PlanPages } from './optimize/planPage';
import { UndoHistory, undoLast } from './optimize/undo';
import { countLengths } from './profile/countLengths';
import { exportMeasurements } from './profile/exportMeasurements';
import { forgetMeasurements } from './profile/forgetMeasurements';
import { addMeasurement, profileConfig } from './profile/profileConfig';
import type { Profiler } from './profile/profileConfig';
import { showRulePage } from './rulePages';

interface CommandServices extends CheckServices {
  readonly failures: Failures;
  readonly learnt: () => void;
  readonly profiler: Profiler;
}

/** The commands about configs. Their arguments come from anywhere: see host/commands. */
export function editorCommands(context: ExtensionContext, services: CommandServices, store: DisposableStore) {
  const pages = (scheme: string) => store.add(new VirtualDocuments(scheme));
  const explanations = store.add(new Explanations(services, pages('headroom-explanation')));
  const check = store.add(new WorkspaceCheck(services));
  const storage = context.storageUri ?? context.globalStorageUri;
  const history = new UndoHistory(new JsonFile(Uri.joinPath(storage, 'applied.json').fsPath));
  const previews = pages('headroom-preview');
  const choose = () => chooseTarget(services);
  const planPages = store.add(new PlanPages({ ...services, pages: pages('headroom-plan') }));
  const optimizing = { ...services, history, previews, planPages, chooseTarget: choose };
  const comparing = { ...services, pages: pages('headroom-comparison') };
  const explain = (file: Uri, run: string) => explanations.show(file, run);
  const profiling = { ...services, explain };
  return {
    'headroom.optimize': (file: unknown, run: unknown) => optimize(optimizing, fileArgument(file), run),
    'headroom.undoOptimization': () => undoLast(history),
    'headroom.chooseTarget': choose,
    'headroom.compareGpus': (file: unknown, run: unknown) => compareGpus(comparing, fileArgument(file), run),
    'headroom.explain': (file: unknown, run: unknown) => explanations.show(fileArgument(file), run),
    'headroom.checkWorkspace': () => check.run(),
    'headroom.dismissFailure': (file: unknown, run: unknown) =>
      dismissFailure(services.failures, fileArgument(file), run),
    'headroom.makeDialect': (file: unknown) => makeDialect(services, fileArgument(file)),
    'headroom.showRule': (rule: unknown) => showRulePage(context.extensionUri, rule),
    'headroom.openExample': (name: unknown) =>
      openExample(context.extensionUri, context.globalStorageUri, name),
    'headroom.profileConfig': (file: unknown, run: unknown) =>
      profileConfig(profiling, fileArgument(file), run),
    'headroom.countLengths': (file: unknown, run: unknown) =>
      countLengths(profiling, fileArgument(file), run),
    'headroom.addMeasurement': (file: unknown, run: unknown) =>
      addMeasurement(profiling, fileArgument(file), run),
    'headroom.forgetMeasurements': (file: unknown, run: unknown) =>
      forgetMeasurements(profiling, fileArgument(file), run),
    'headroom.exportMeasurements': (file: unknown, run: unknown) =>
      exportMeasurements(profiling, fileArgument(file), run),
  };
}
