import { EventEmitter, l10n, Uri, workspace } from 'vscode';
import type { ExtensionContext } from 'vscode';
import { openEditor } from '../editor/open';
import { registerCommands, reportIssue } from '../host/commands';
import { DisposableStore } from '../host/disposables';
import { Refusal } from '../host/errors';
import { lazily } from '../host/lazily';
import { Log } from '../host/log';
import { mayStart } from '../world/launchers';
import { openChunks } from './chunks';
import { webWorker } from './webWorker';

/**
 * Headroom in a browser without a machine, such as vscode.dev: configs and what follows from them alone. GPUs, jobs, Python
 * and downloads need Node; their commands are hidden there by the manifest.
 */
export function activate(context: ExtensionContext): void {
  const store = new DisposableStore();
  context.subscriptions.push(store);
  const log = store.add(new Log());
  const built = Uri.joinPath(context.extensionUri, 'dist');
  openChunks(Uri.joinPath(built, 'web'));
  const readData = async (name: string): Promise<string> =>
    new TextDecoder().decode(await workspace.fs.readFile(Uri.joinPath(built, 'data', name)));
  const editor = openEditor(context, {
    hardware: {
      present: () => Promise.resolve([]),
      places: () => Promise.resolve([]),
      copied: () => Promise.resolve([]),
      onDidChange: store.add(new EventEmitter<void>()).event,
      catalog: lazily(async () => (await import('./catalogs')).webCatalogs(readData).gpus()),
    },
    workers: {
      start: webWorker(Uri.joinPath(built, 'web', 'worker.js').toString(true)),
      answers: { data: readData },
    },
    profiler: {
      dryRun: needsMachine,
      program: needsMachine,
      others: needsMachine,
      elsewhere: needsMachine,
      measured: needsMachine,
      forgotten: needsMachine,
      exported: needsMachine,
      lengths: needsMachine,
      calibrated: needsMachine,
      pastRuns: needsMachine,
      keepPastRuns: needsMachine,
    },
    program: {
      argv: [],
      environment: {},
      version: (context.extension.packageJSON as { readonly version: string }).version,
      isSet: () => false,
      commandHere: needsMachine,
      measurementsFor: () => Promise.resolve(null),
    },
    downloadModel: needsMachine,
    userMeasurements: null,
    mayStart,
    log,
  });
  store.add(editor.disposables);
  store.add(
    registerCommands(
      {
        ...editor.commands,
        ...ABSENT,
        'headroom.showLog': () => log.show(),
        'headroom.reportIssue': () => reportIssue(context.extension.id),
      },
      log,
    ),
  );
}

/** Said for what a keybinding or a link still reaches. */
const needsMachine = (): Promise<never> =>
  Promise.reject(
    new Refusal(l10n.t("A browser alone can't do this. Open the folder in VS Code on a computer.")),
  );

/** Commands that need GPUs, processes or files of a computer. */
const ABSENT = {
  'headroom.chooseCopiedGpu': needsMachine,
  'headroom.profileConfig': needsMachine,
  'headroom.countLengths': needsMachine,
  'headroom.addMeasurement': needsMachine,
  'headroom.forgetMeasurements': needsMachine,
  'headroom.exportMeasurements': needsMachine,
  'headroom.calibrateGpu': needsMachine,
  'headroom.importPastRuns': needsMachine,
  'headroom.downloadModelConfig': needsMachine,
  'headroom.openExample': needsMachine,
  'headroom.chooseMeterGpu': needsMachine,
  'headroom.showPanel': needsMachine,
  'headroom.openPanelInEditor': needsMachine,
  'headroom.retryHosts': needsMachine,
  'headroom.copyGpus': needsMachine,
  'headroom.exportSamples': needsMachine,
  'headroom.addHost': needsMachine,
  'headroom.removeHost': needsMachine,
  'headroom.openHostTerminal': needsMachine,
  'headroom.runJob': needsMachine,
  'headroom.showJobOutput': needsMachine,
  'headroom.stopJob': needsMachine,
  'headroom.resumeJob': needsMachine,
  'headroom.fetchJob': needsMachine,
  'headroom.openJobConfig': needsMachine,
  'headroom.showJobs': needsMachine,
};
