import { l10n } from 'vscode';
import type { Uri } from 'vscode';
import type { RunAnalysis } from '../core/rules/analysis';
import type { ComparedPlace } from '../core/plan/places/fit';
import type { RunLaunch } from '../core/launch/runLaunch';
import { dirname } from '../core/text/paths';
import { openPage } from '../host/pages';
import { setting } from '../host/settings';
import type { Settings } from '../host/settings';
import { workspaceOf } from '../host/uris';
import type { Analyzed } from './analysisService';
import { chosenRun } from './chosenRun';
import { runDigest } from './failures';
import { neediest } from './findings';
import { isCandidate } from './selector';
import type { EditorServices } from './services';

/** A run of a config that can be started. */
interface Runnable {
  readonly uri: Uri;
  readonly file: string;
  readonly analysis: RunAnalysis;
}

/** How to start a run. */
interface RunWay {
  readonly kind: 'train' | 'embed' | 'profile';
  readonly gpus: number;
  readonly isHere: boolean;
  readonly filled: Readonly<Record<string, string>>;
}

/** Headroom's own command line, and its version for measurements. */
export interface OwnProgram {
  readonly argv: readonly string[];
  /** The variables that make an editor's built-in Node run as Node. */
  readonly environment: Readonly<Record<string, string>>;
  readonly version: string;
  /** Whether a variable is set in VS Code's environment. */
  readonly isSet: (variable: string) => boolean;
  /** A command as this machine would start it, and what is missing. */
  readonly commandHere: (command: {
    readonly argv: readonly string[];
    readonly resume: readonly string[] | null;
    readonly folder: string;
    readonly environment: Readonly<Record<string, string>>;
  }) => Promise<{
    readonly argv: readonly string[];
    readonly resume: readonly string[] | null;
    readonly why: string | null;
  }>;
  /** The file that keeps measurements of a config's runs; null: none. */
  readonly measurementsFor: (
    config: string,
    folder: string,
    kept: Settings['measurements.keptFor'],
  ) => Promise<string | null>;
}

/** Another machine runs the `headroom` that is installed there. */
const INSTALLED = ['headroom'];

/** Names of variables that launchers look for when a model or a log needs a login; never their values. */
const SECRETS = ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN', 'WANDB_API_KEY', 'COMET_API_KEY', 'NEPTUNE_API_TOKEN'];

/** The configs of this window as runs that can be started. */
export class RunnableRuns {
  constructor(
    private readonly services: EditorServices,
    private readonly own: OwnProgram,
  ) {}

  async chosen(file: Uri | null, run: unknown): Promise<Runnable | null> {
    const chosen = await chosenRun(this.services, file, run);
    return chosen && runnable(chosen.analyzed, chosen.run);
  }

  async named(file: Uri, run: string | null): Promise<Runnable | null> {
    const analyzed = await this.analyzed(file);
    const runs = analyzed?.analysis.runs.filter(({ judged }) => judged) ?? [];
    const found = run === null ? neediest(runs) : runs.find(one => one.run.name === run);
    return analyzed && found ? runnable(analyzed, found) : null;
  }

  open(): readonly Runnable[] {
    return this.services.analysis.all().flatMap(analyzed => {
      const runs = analyzed.analysis.runs.filter(({ judged, tentative }) => judged && !tentative);
      return runs.map(run => runnable(analyzed, run));
    });
  }

  /** The command that starts it from its workspace folder, with the values that the user filled in. */
  async command({ uri, file, analysis }: Runnable, { kind, gpus, isHere, filled }: RunWay) {
    const [core, analyzed] = await Promise.all([this.services.core(), this.analyzed(uri)]);
    if (!analyzed) return { ok: false as const, why: l10n.t("Headroom doesn't know this config format.") };
    const { name, quantities } = analysis.run;
    const profiles = kind === 'profile';
    const folder = workspaceOf(file) ?? dirname(file);
    const own = isHere ? this.own.argv : INSTALLED;
    const launch = { gpus, folder, filled, own, profiles };
    const result = await this.services.analyst('launch', { file, text: analyzed.text, run: name, launch });
    if (!result.ok) return result;
    const { open, verb, writes, handsTo, isOwn } = result.launch;
    const { argv, resume, why } = await this.here(result.launch, folder, isHere);
    if (why !== null) return { ok: false as const, why };
    return {
      ok: true as const,
      kind: profiles ? ('profile' as const) : kindOf(quantities.task.value),
      verb,
      argv,
      resume,
      open,
      folder,
      environment: isOwn && isHere ? this.own.environment : {},
      secrets: SECRETS.filter(variable => this.own.isSet(variable)),
      writes,
      isOwn,
      handsTo,
      digest: runDigest(analyzed, analysis.run),
      measured: analysis.tentative || isOwn ? null : core.measuredRun(analysis, this.own.version),
      measuredIn: await this.own.measurementsFor(file, folder, setting('measurements.keptFor', uri)),
    };
  }

  /** For another machine, programs and scripts are resolved there. */
  private here(launch: RunLaunch, folder: string, isHere: boolean): ReturnType<OwnProgram['commandHere']> {
    const isOffered = isHere && !launch.isOwn && launch.open.length === 0;
    return isOffered
      ? this.own.commandHere({ ...launch, folder, environment: {} })
      : Promise.resolve({ ...launch, why: null });
  }

  /** The run's outcome in each place; `asked`: hosts are queried first. */
  async places({ uri, analysis }: Runnable, requested: boolean): Promise<readonly ComparedPlace[]> {
    const { analyst, targets } = this.services;
    const [analyzed, { withCount }, places] = await Promise.all([
      this.analyzed(uri),
      this.services.core(),
      targets.hardware.places(requested),
    ]);
    if (!analyzed || places.length === 0) return [];
    const count = setting('target.gpuCount', analyzed.document);
    const request = {
      file: analyzed.file,
      text: analyzed.text,
      options: analyzed.options,
      run: analysis.run.name,
      places: places.map(place => withCount(place, count)),
      compare: { margin: setting('optimize.margin', analyzed.document), mayTrade: false, details: false },
    };
    return analyst('compare', request);
  }

  private async analyzed(uri: Uri): Promise<Analyzed | null> {
    const document = await openPage(uri);
    return isCandidate(document) ? this.services.analysis.settled(document) : null;
  }
}

const kindOf = (task: string | null) => (task?.startsWith('embed') ? ('embed' as const) : ('train' as const));

const runnable = ({ document, file }: Analyzed, analysis: RunAnalysis): Runnable => ({
  uri: document.uri,
  file,
  analysis,
});
