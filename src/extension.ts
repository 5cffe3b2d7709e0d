import { Uri } from 'vscode';
import type { ExtensionContext } from 'vscode';
import type { OomReport } from './core/output/oom/report';
import type { Measurement } from './core/learn/measurement';
import type { World } from './core/ports';
import { dirname } from './core/text/paths';
import { ActivePrediction } from './editor/activePrediction';
import { AnalysisService } from './editor/analysisService';
import { WorkspaceCheck } from './editor/checkWorkspace';
import { chooseTarget } from './editor/chooseTarget';
import { compareGpus } from './editor/compare/compareGpus';
import { Explanations } from './editor/explain';
import { dismissFailure, Failures } from './editor/failures';
import { loadCore } from './editor/loadCore';
import { makeDialect } from './editor/makeDialect';
import { LaunchFiles } from './editor/launchFiles';
import { OwnDialects } from './editor/ownDialects';
import { localAnalyst } from './editor/localAnalyst';
import { openExample } from './editor/openExample';
import { optimize } from './editor/optimize/optimize';
import { PlanPages } from './editor/optimize/planPage';
import { UndoHistory, undoLast } from './editor/optimize/undo';
import { optionsFor } from './editor/options';
import { ProblemBoard } from './editor/problemBoard';
import { countLengths } from './editor/profile/countLengths';
import { MeasurementWatch } from './editor/profile/measurementWatch';
import { exportMeasurements } from './editor/profile/exportMeasurements';
import { forgetMeasurements } from './editor/profile/forgetMeasurements';
import { addMeasurement, profileConfig } from './editor/profile/profileConfig';
import type { Profiler } from './editor/profile/profileConfig';
import { registerFeatures } from './editor/register';
import { RunnableRuns } from './editor/runnable';
import { showRulePage } from './editor/rulePages';
import { Targets } from './editor/targets';
import { bySize, workerAnalyst } from './editor/workerAnalyst';
import { fileArgument, registerCommands } from './host/commands';
import type { Commands } from './host/commands';
import { DisposableStore } from './host/disposables';
import { JsonFile } from './host/jsonFile';
import { lazily } from './host/lazily';
import { Log } from './host/log';
import { onSettings, setting } from './host/settings';
import { VirtualDocuments } from './host/virtualDocuments';
import { workspaceOf } from './host/uris';
import { workspaceFiles } from './host/workspaceFiles';
import { isTrusted } from './host/trust';
import type { JobConfig, JobPlace } from './jobs/job';
import { measurementsBeside, stateFolder } from './jobs/stateFolder';
import { chooseMeterGpu } from './panel/chooseMeterGpu';
import { clusterParts } from './panel/clusterParts';
import { freeGpus, sshHosts } from './panel/freeGpus';
import { HostCommands } from './panel/hosts';
import { MachineGpus } from './panel/machineGpus';
import { registerMeter } from './panel/meter';
import { PanelPages } from './panel/panelPages';
import { JobFeatures } from './tasks/register';
import { nodeEnvironment } from './world/environment';
import { mayStart } from './world/launchers';
import type { Launchers } from './world/launchers';
import { measurementsFor, userMeasurements } from './world/measurements';
import type { OpenWorld } from './world/open';

/** Makes the services, introduces the rooms to each other, and does nothing else. */
export function activate(context: ExtensionContext): void {
  const store = new DisposableStore();
  context.subscriptions.push(store);
  const log = store.add(new Log());
  const gpus = store.add(
    new MachineGpus(async options => (await import('./gpu/openFleet')).openFleet(options), log),
  );
  const services = makeServices(context, store, gpus, log);
  const board = store.add(new ProblemBoard());
  store.add(registerFeatures(services, board));
  store.add(registerMeter(gpus));
  const prediction = store.add(new ActivePrediction(services.analysis));
  const jobs = store.add(makeJobs(context, services, gpus));
  const panel = store.add(makePanel(context, gpus, prediction, jobs, log));
  const hosts = new HostCommands(gpus, async file => {
    return (await import('./remote/configAliases')).configAliases(file);
  });
  const commands = makeCommands(context, store, services, board);
  store.add(
    registerCommands(
      { ...commands, ...panelCommands(panel), ...hostCommands(hosts), ...jobs.commands() },
      log,
    ),
  );
}

/** The command line that ships beside the extension. */
const ownProgram = (context: ExtensionContext) => ({
  argv: [process.execPath, context.asAbsolutePath('dist/cli.js')],
  environment: 'electron' in process.versions ? { ELECTRON_RUN_AS_NODE: '1' } : {},
  version: versionOf(context),
  measurementsFor,
});

/** Jobs of this window: what is behind them loads late. */
function makeJobs(context: ExtensionContext, services: Services, gpus: MachineGpus) {
  const { failures, learnt, log, machine } = services;
  const isSet = (variable: string) => (process.env[variable] ?? '') !== '';
  const configs = new RunnableRuns(services, isSet, ownProgram(context));
  const keepMeasurement = async (measurement: Measurement, file: string | null) => {
    const { measurements } = await machine();
    await measurements.keep(measurement, file ?? measurementsBeside(stateFolder()));
    learnt();
  };
  const jobs = async () => {
    if (!isTrusted()) return null;
    const { openJobs } = await import('./jobs/openJobs');
    const keeper = context.asAbsolutePath('dist/keeper.js');
    return openJobs({
      state: stateFolder(),
      keeper,
      executables: gpus.executables(),
      ssh: gpus.ssh(),
      keepMeasurement,
    });
  };
  const taskServices = {
    jobs,
    configs,
    machines: {
      parts: async () => clusterParts(await gpus.fleet()),
      hasOthers: () => setting('hosts').length > 0,
      hosts: async () => sshHosts(await gpus.fleet()),
      sshConfig: () => gpus.ssh().configFile ?? null,
      hostCommand: () => setting('embed.hostCommand'),
      onlyPython: () => setting('embed.onlyPython'),
      gpus: async (place: JobPlace) => {
        const host =
          place.engine === 'local' ? 'local' : place.engine === 'ssh' ? `ssh:${place.alias}` : null;
        return host === null ? null : freeGpus(await gpus.fleet(), host);
      },
    },
    failures: {
      outOfMemory: ({ file, run, digest }: JobConfig, report: OomReport) =>
        failures.put({ file, run, digest, report }),
      cleared: ({ file, run }: JobConfig) => failures.drop(file, run),
    },
    learnt,
    log,
  };
  const open = async () => {
    const { openTaskRoom } = await import('./tasks/chunk');
    return openTaskRoom({ services: taskServices, state: context.workspaceState });
  };
  return new JobFeatures(open, log);
}

/** The page's own code loads when the panel is first seen. */
function makePanel(
  context: ExtensionContext,
  gpus: MachineGpus,
  prediction: ActivePrediction,
  features: JobFeatures,
  log: Log,
) {
  const { extensionUri, workspaceState: state } = context;
  const pages = lazily(async () => (await import('./panel/page/chunk')).pages);
  const jobs = async () => (isTrusted() ? (await features.room()).forPanel : null);
  return new PanelPages({ extensionUri, state, gpus, prediction, pages, jobs, log });
}

function panelCommands(panel: PanelPages) {
  return {
    'headroom.showPanel': () => panel.show(),
    'headroom.openPanelInEditor': () => panel.openInTab(),
    'headroom.retryHosts': () => panel.retry(),
    'headroom.copyGpus': () => panel.copy(),
    'headroom.exportSamples': () => panel.export(),
  };
}

const hostCommands = (hosts: HostCommands) => ({
  'headroom.addHost': () => hosts.add(),
  'headroom.removeHost': (host: unknown) => hosts.remove(host),
  'headroom.openHostTerminal': (host: unknown) => hosts.openTerminal(host),
});

type Services = ReturnType<typeof makeServices>;

const versionOf = ({ extension }: ExtensionContext): string =>
  (extension.packageJSON as { readonly version: string }).version;

/** What was measured and counted around configs. */
const keptBy = (machine: () => Promise<OpenWorld>): Pick<World, 'measurements' | 'lengths'> => ({
  measurements: { near: async file => (await machine()).measurements.near(file) },
  lengths: { near: async file => (await machine()).lengths.near(file) },
});

/** What the editor's features stand on. The chunks behind it load when they are first needed. */
function makeServices(context: ExtensionContext, store: DisposableStore, gpus: MachineGpus, log: Log) {
  const machine = lazily(async () => {
    const { openWorld } = await import('./world/open');
    return openWorld(workspaceFiles, context.asAbsolutePath('dist/data'), workspaceOf, versionOf(context));
  });
  const own = store.add(new OwnDialects());
  let searched: Launchers | null = null;
  const world: World = {
    files: workspaceFiles,
    models: { find: async (model, from) => (await machine()).models.find(model, from) },
    gpuNamed: async name => {
      const [{ parseTarget }, here] = await Promise.all([loadCore(), machine()]);
      const reading = parseTarget(name, await here.gpus(), { count: null, nodes: 1 });
      return reading.ok ? reading.target : null;
    },
    launchers: { of: async config => (searched = (await machine()).launchers).of(config) },
    ...keptBy(machine),
    definitions: { near: async file => ((await own.any()) ? (await machine()).definitions.near(file) : []) },
  };
  const recogniser = lazily(() => import('./core/dialects/couldBe'));
  // Where a workspace has dialects of its own, only they can tell their files.
  const couldBeOurs = async (text: string) => (await recogniser()).couldBeRead(text) || own.any();
  const large = workerAnalyst(context.asAbsolutePath('dist/worker.js'), world);
  const analyst = bySize(localAnalyst(loadCore, world), large);
  const catalog = async () => (await machine()).gpus();
  const present = async () => gpus.targets(await catalog());
  const places = async (asked: boolean) => gpus.places(await catalog(), asked);
  const hardware = { present, places, onDidChange: gpus.onDidChange, catalog };
  const targets = store.add(new Targets(hardware, loadCore));
  const failures = store.add(new Failures());
  const optionsOf = (uri: Uri) => optionsFor(targets, uri, file => failures.of(file));
  const analysis = store.add(
    new AnalysisService({ analyst, couldBeOurs, optionsFor: optionsOf, failures, log }),
  );
  const launched = (path: string) => {
    searched?.forget(dirname(path));
    if (searched) analysis.around(path);
  };
  store.add(store.add(new LaunchFiles(mayStart)).onDidChange(launched));
  store.add(targets.onDidChange(() => analysis.refresh()));
  store.add(onSettings(['rules.severity'], () => analysis.refresh()));
  store.add(own.onDidChange(readAgain(machine, analysis, world => [world.definitions])));
  const learnt = readAgain(machine, analysis, world => [world.measurements, world.lengths]);
  store.add(store.add(new MeasurementWatch(userMeasurements(nodeEnvironment()))).onDidChange(learnt));
  return {
    analysis,
    analyst,
    core: loadCore,
    couldBeOurs,
    optionsFor: optionsOf,
    targets,
    machine,
    world,
    failures,
    learnt,
    gpus,
    log,
  };
}

/** What is told that files have changed which are kept once they are read. */
function readAgain(
  machine: () => Promise<OpenWorld>,
  analysis: AnalysisService,
  kept: (world: OpenWorld) => readonly { forget(): void }[],
) {
  return () =>
    void machine().then(world => {
      for (const each of kept(world)) each.forget();
      analysis.refresh();
    });
}

/** Those who measure a run without a job. */
function makeProfiling(context: ExtensionContext, services: Services) {
  const place = { node: process.execPath, cli: context.asAbsolutePath('dist/cli.js') };
  const profiler: Profiler = {
    dryRun: async (subject, python, progress, signal) =>
      (await import('./profile/throughCli')).dryRunThrough(place, subject, python, progress, signal),
    measured: async (subject, size) =>
      (await import('./profile/throughCli')).measuredThrough(place, subject, size, { aborted: false }),
    forgotten: async subject => (await import('./profile/throughCli')).forgottenThrough(place, subject),
    exported: async (subject, to) =>
      (await import('./profile/throughCli')).exportedThrough(place, subject, to),
    lengths: async (subject, progress, signal) =>
      (await import('./profile/throughCli')).lengthsThrough(place, subject, progress, signal),
  };
  return { ...services, profiler };
}

function makeCommands(
  context: ExtensionContext,
  store: DisposableStore,
  services: Services,
  board: ProblemBoard,
): Omit<
  Commands,
  | keyof ReturnType<typeof panelCommands>
  | keyof ReturnType<typeof hostCommands>
  | keyof ReturnType<JobFeatures['commands']>
> {
  const explanations = new Explanations(services, store.add(new VirtualDocuments('headroom-explanation')));
  const check = store.add(new WorkspaceCheck({ ...services, board }));
  const storage = context.storageUri ?? context.globalStorageUri;
  const history = new UndoHistory(new JsonFile(Uri.joinPath(storage, 'applied.json').fsPath));
  const previews = store.add(new VirtualDocuments('headroom-preview'));
  const choose = () => chooseTarget(services);
  const pages = store.add(new VirtualDocuments('headroom-plan'));
  const planPages = store.add(new PlanPages({ ...services, pages }));
  const optimizing = { ...services, history, previews, planPages, chooseTarget: choose };
  const comparing = { ...services, pages: store.add(new VirtualDocuments('headroom-comparison')) };
  store.add(explanations);
  const profiling = {
    ...makeProfiling(context, services),
    explain: (file: Uri, run: string) => explanations.show(file, run),
  };
  return {
    'headroom.optimize': (file, run) => optimize(optimizing, fileArgument(file), run),
    'headroom.undoOptimization': () => undoLast(history),
    'headroom.chooseTarget': choose,
    'headroom.chooseMeterGpu': () => chooseMeterGpu(services.gpus),
    'headroom.compareGpus': (file, run) => compareGpus(comparing, fileArgument(file), run),
    'headroom.explain': (file, run) => explanations.show(fileArgument(file), run),
    'headroom.profileConfig': (file, run) => profileConfig(profiling, fileArgument(file), run),
    'headroom.countLengths': (file, run) => countLengths(profiling, fileArgument(file), run),
    'headroom.addMeasurement': (file, run) => addMeasurement(profiling, fileArgument(file), run),
    'headroom.forgetMeasurements': (file, run) => forgetMeasurements(profiling, fileArgument(file), run),
    'headroom.exportMeasurements': (file, run) => exportMeasurements(profiling, fileArgument(file), run),
    'headroom.checkWorkspace': () => check.run(),
    'headroom.dismissFailure': (file, run) => dismissFailure(services.failures, fileArgument(file), run),
    'headroom.makeDialect': file => makeDialect(services, fileArgument(file)),
    'headroom.showRule': rule => showRulePage(context.extensionUri, rule),
    'headroom.openExample': name => openExample(context.extensionUri, context.globalStorageUri, name),
    'headroom.showLog': () => services.log.show(),
  };
}
