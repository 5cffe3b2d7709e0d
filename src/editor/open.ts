import { EventEmitter, workspace } from 'vscode';
import type { ExtensionContext, Uri, Event } from 'vscode';
import type { AnalysisOptions, RunFailure } from '../core/rules/analysis';
import type { RuleFault } from '../core/rules/rule';
import { dirname, isProgram } from '../core/text/paths';
import { setContextKey } from '../host/commands';
import { DisposableStore, Disposing } from '../host/disposables';
import { onFiles } from '../host/fileWatch';
import { lazily } from '../host/lazily';
import type { Workers } from '../host/worker';
import type { Log } from '../host/log';
import { onSettings, setting } from '../host/settings';
import { pathOf } from '../host/uris';
import { ActivePrediction } from './activePrediction';
import { AnalysisService } from './analysisService';
import type { ChosenOptions } from './analysisService';
import { MOST_SCANNED } from './analyst';
import { editorCommands } from './commands';
import type { LoadCore, DownloadModel } from './loading';
import { Failures } from './failures';
import { OwnDialects } from './ownDialects';
import { ProblemBoard } from './problemBoard';
import { MeasurementWatch } from './profile/measurementWatch';
import type { Profiler } from './profile/profiler';
import { registerCellOutputs } from './cellOutputs';
import { registerFeatures } from './register';
import { RunnableRuns } from './runnable';
import type { OwnProgram } from './runnable';
import { Targets } from './targets';
import type { Hardware } from './targets';
import { analysisWorkers, workerAnalyst } from './workerAnalyst';
import type { Notice, WorkerKind } from './workerAnalyst';

const FILES = '**/*.{sh,bash,sbatch,slurm,yaml,yml}';

/** Notifies when a file that may start a config changes: on disk, or while it is edited. */
class LaunchFiles extends Disposing {
  private readonly emitter = this.store.add(new EventEmitter<string>());

  readonly onDidChange: Event<string> = this.emitter.event;

  /** `mayStart` tests a text; a file that is not open always counts. */
  constructor(mayStart: (path: string, text: string) => boolean) {
    super();
    this.store.add(onFiles(FILES, uri => this.emitter.fire(pathOf(uri))));
    this.store.add(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const path = pathOf(document.uri);
        if (contentChanges.length > 0 && mayStart(path, document.getText())) this.emitter.fire(path);
      }),
    );
  }
}

/** Loads the chunk that contains core. */
const loadCore: LoadCore = lazily(async () => (await import('./analysisChunk')).core);

/** The effective settings of a file, as options of an analysis. */
async function optionsFor(
  targets: Targets,
  uri: Uri,
  failuresOf: (file: string) => readonly RunFailure[],
): Promise<ChosenOptions> {
  const { target, problem } = await targets.for(uri);
  const failures = failuresOf(pathOf(uri));
  const options = { target, severities: severities(setting('rules.severity', uri)) };
  return { options: failures.length > 0 ? { ...options, failures } : options, problem };
}

const SEVERITIES: readonly unknown[] = ['off', 'hint', 'information', 'warning', 'error'];

/** A copy, because VS Code's objects cannot be sent to a worker; without values that mean nothing. */
function severities(set: AnalysisOptions['severities']): AnalysisOptions['severities'] {
  return Object.fromEntries(Object.entries(set).filter(([, severity]) => SEVERITIES.includes(severity)));
}

/** The editor's dependencies on other rooms. */
interface EditorDeps {
  readonly hardware: Hardware;
  readonly profiler: Profiler;
  readonly program: OwnProgram;
  readonly workers: WorkerKind;
  readonly downloadModel: DownloadModel;
  /** The user's own measurements; null: none are kept here. */
  readonly userMeasurements: string | null;
  /** Whether a text may start a config. */
  readonly mayStart: (path: string, text: string) => boolean;
  readonly log: Log;
}

/** All features for configs in this window, over one analysis. The chunks behind it load on first use. */
export function openEditor(context: ExtensionContext, deps: EditorDeps) {
  const disposables = new DisposableStore();
  const services = makeServices(deps, disposables);
  const board = disposables.add(new ProblemBoard());
  disposables.add(registerFeatures(services, board));
  disposables.add(registerCellOutputs(services));
  const { analysis, failures, learned } = services;
  return {
    disposables,
    commands: editorCommands(context, { ...services, board, profiler: deps.profiler }, disposables),
    prediction: disposables.add(new ActivePrediction(analysis)),
    configs: new RunnableRuns(services, deps.program),
    failures,
    /** Measurements changed: analyzes the open documents again. */
    learned,
  };
}

/** What every feature and command of the editor uses. */
function makeServices(deps: EditorDeps, store: DisposableStore) {
  const { log } = deps;
  const own = store.add(new OwnDialects());
  const recognizer = lazily(() => import('../core/dialects/couldBe'));
  // If a workspace has its own dialects, only they can recognize their files.
  const couldBeOurs = async (text: string, path: string) =>
    isProgram(path)
      ? (await recognizer()).couldBeRead(text, path)
      : text.length > MOST_SCANNED || (await recognizer()).couldBeRead(text, path) || own.any();
  const workers = store.add(analysisWorkers(deps.workers, faultLogger(log)));
  const analyst = workerAnalyst(workers, () => own.any());
  const targets = store.add(new Targets(deps.hardware, loadCore));
  const failures = store.add(new Failures());
  store.add(failures.onDidChange(() => setContextKey('headroom.hasFailures', failures.any())));
  const options = (uri: Uri) => optionsFor(targets, uri, file => failures.of(file));
  const keep = (wanted: boolean) => workers.keep(wanted);
  const analysis = store.add(
    new AnalysisService({ analyst, couldBeOurs, optionsFor: options, failures, keep, log }),
  );
  store.add(targets.onDidChange(() => analysis.refresh()));
  store.add(onSettings(['rules.severity'], () => analysis.refresh()));
  const learned = followFiles(deps, { own, analysis, workers }, store);
  return {
    analysis,
    analyst,
    core: loadCore,
    couldBeOurs,
    optionsFor: options,
    targets,
    downloadModel: deps.downloadModel,
    failures,
    learned,
    log,
  };
}

/** Logs a rule that threw, once per rule and window. */
function faultLogger(log: Log): (fault: RuleFault) => void {
  const logged = new Set<string>();
  return ({ rule, file, error }) => {
    if (!logged.has(rule)) log.error(`The rule ${rule} failed on ${file}`, error);
    logged.add(rule);
  };
}

interface Followed {
  readonly own: OwnDialects;
  readonly analysis: AnalysisService;
  readonly workers: Workers;
}

/** Analyzes again when files change that workers keep in memory. Returns the same for measurements. */
function followFiles(
  { mayStart, userMeasurements }: EditorDeps,
  { own, analysis, workers }: Followed,
  store: DisposableStore,
): () => void {
  const notify = (about: Notice['about']) => workers.notify({ about } satisfies Notice);
  const launchFiles = store.add(new LaunchFiles(mayStart));
  store.add(
    launchFiles.onDidChange(path => {
      notify({ folder: dirname(path) });
      analysis.refreshNear(path);
    }),
  );
  const refreshAll = (about: Notice['about']) => {
    notify(about);
    analysis.refresh({ anew: true });
  };
  const learned = () => refreshAll('measured');
  store.add(own.onDidChange(() => refreshAll('definitions')));
  store.add(store.add(new MeasurementWatch(userMeasurements)).onDidChange(learned));
  return learned;
}
