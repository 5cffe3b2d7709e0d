import type { ExtensionContext } from 'vscode';
import { openEditor } from './editor/open';
import { offerAgentTools } from './host/agentTools';
import type { ToolProgram } from './host/agentTools';
import { registerCommands, reportIssue } from './host/commands';
import { DisposableStore } from './host/disposables';
import { forked } from './host/forked';
import { lazily } from './host/lazily';
import { Log } from './host/log';
import type { StartWorker } from './host/worker';
import type { MachineGpus } from './panel/machineGpus';
import { openGpus, openPanel } from './panel/open';
import { hardwareOf, machinesOf, otherPlaces } from './panel/ports';
import { lazyProfiler } from './profile/lazy';
import { openTasks } from './tasks/open';
import { nodeEnvironment } from './world/environment';
import { mayStart } from './world/launchers';
import { keepMeasurement, measurementsFor, userMeasurements } from './world/measurements';

/** Opens the rooms and connects them to each other; nothing else. */
export function activate(context: ExtensionContext): void {
  const store = new DisposableStore();
  context.subscriptions.push(store);
  const log = store.add(new Log());
  const program = programOf(context);
  const catalog = lazily(async () => {
    const { gpuCatalog } = await import('./world/open');
    return gpuCatalog(context.asAbsolutePath('dist/data'));
  });
  const own = userMeasurements(nodeEnvironment());
  const gpus = store.add(openGpus(log));
  store.add(offerAgentTools(program, toolsOf(context)));
  const editor = openEditor(context, {
    hardware: hardwareOf(gpus, catalog),
    profiler: profilerOf(program, gpus),
    workers: { start: workersOf(context, program) },
    program: {
      ...program,
      isSet: variable => (process.env[variable] ?? '') !== '',
      commandHere: async command => {
        const { commandHere } = await import('./world/programs');
        return commandHere({ ...command, environment: { ...process.env, ...command.environment } });
      },
      measurementsFor,
    },
    downloadModel: async (id, signal) => {
      const { downloadToCache } = await import('./hub/open');
      return downloadToCache(id, signal);
    },
    userMeasurements: own,
    mayStart,
    log,
  });
  store.add(editor.disposables);
  const { configs, failures, learned, prediction } = editor;
  const tasks = openTasks(context, {
    configs,
    machines: machinesOf(gpus),
    failures,
    keepMeasurement: (measurement, file) => keepMeasurement(file ?? own, measurement),
    learned,
    log,
  });
  store.add(tasks.disposables);
  const panel = openPanel(context, { gpus, prediction, jobs: tasks.forPanel, log });
  store.add(panel.disposables);
  store.add(
    registerCommands(
      {
        ...editor.commands,
        ...tasks.commands,
        ...panel.commands,
        'headroom.showLog': () => log.show(),
        'headroom.reportIssue': () => reportIssue(context.extension.id),
      },
      log,
    ),
  );
}

/** The command line that ships with the extension. */
const programOf = (context: ExtensionContext): ToolProgram => ({
  argv: [process.execPath, context.asAbsolutePath('dist/cli.js')],
  environment: 'electron' in process.versions ? { ELECTRON_RUN_AS_NODE: '1' } : {},
  version: versionOf(context),
});

const profilerOf = ({ argv: [node, cli] }: ToolProgram, gpus: MachineGpus) => ({
  ...lazyProfiler({ node, cli }),
  others: () => otherPlaces(gpus),
});

/** Processes that read what strangers wrote. */
const workersOf = (context: ExtensionContext, { version }: ToolProgram): StartWorker =>
  forked({
    script: context.asAbsolutePath('dist/worker.js'),
    args: [context.asAbsolutePath('dist/data'), version],
    heapMiB: 1024,
  });

const versionOf = (context: ExtensionContext): string => manifestOf(context).version;

const toolsOf = (context: ExtensionContext): readonly string[] =>
  manifestOf(context).contributes.languageModelTools.map(({ name }) => name);

const manifestOf = ({ extension }: ExtensionContext): Manifest => extension.packageJSON as Manifest;

interface Manifest {
  readonly version: string;
  readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
}
