import type { ModelCatalog } from '../core/models/catalog';
import { totalmem } from 'node:os';
import { join as nativeJoin } from 'node:path';
import type { Analysis, AnalysisOptions } from '../core/rules/analysis';
import { analyze } from '../core/analyse/analyse';
import type { Target } from '../core/hardware/gpu';
import { isAbsolute, join } from '../core/text/paths';
import { parseTarget } from '../core/hardware/target';
import type { FileAbsence, Files } from '../core/text/files';
import type { GpuSource } from '../core/hardware/match';
import type { World } from '../core/analyse/world';
import { MemorySession } from '../core/memory/session';
import { Catalogs } from '../world/catalogs';
import { corePath, nodeEnvironment } from '../world/environment';
import type { Environment } from '../world/environment';
import { Definitions } from '../world/definitions';
import { Launchers } from '../world/launchers';
import { CountedLengths } from '../world/lengths';
import { MeasuredRuns, userMeasurements } from '../world/measurements';
import { Models } from '../world/models';
import { NodeFiles, RememberedFiles, SomeFiles } from '../world/nodeFiles';
import type { ModelSource } from '../core/models/model';
import { DownloadedModels } from './downloads';
import type { Downloaded } from '../hub/download';
import { presentTargets } from '../gpu/present';
import { detectHere } from './machine';
import { BadInput, dialectTeller, faultReporter, tellNoDownload } from './output';
import { faultyDialects, unreadable } from './problems';
import { version } from '../../package.json';
import { NEVER } from '../core/signal';
import { MIB } from '../core/units';

/** Options of every verb with a target. */
export interface TargetOptions {
  readonly gpu?: string;
  readonly gpus?: number;
}

/** The help of `--download`. */
export const DOWNLOAD =
  'download config.json of models that are not on this machine from the Hugging Face Hub';

/** The option of every verb that may ask the Hub. */
export interface DownloadOptions {
  readonly download?: boolean;
}

/** Reported once if runs have an estimate but no target. */
export const NO_TARGET =
  'No target GPU, and none found here. Add --gpu "RTX 4090" or --gpu 24GB to get a verdict.';

/** Whether some run has an estimate and no target, its own or a chosen one. */
export const lacksTarget = ({ runs }: Analysis): boolean =>
  runs.some(({ estimate, target }) => estimate !== null && !estimate.onMachine && target === null);

interface SessionOptions {
  /** Ignores measurements. */
  readonly computed?: boolean;
  /** Doesn't report broken dialects: the caller does. */
  readonly silent?: boolean;
  /** Downloads descriptions of models that are not on this machine from the Hub. */
  readonly download?: boolean;
  /** The folder of relative paths, in core's notation; absent: the working folder. */
  readonly folder?: string;
  /** Whether a file may be read, by its absolute path; absent: any. Descriptions of models are read from anywhere. */
  readonly mayRead?: (path: string) => boolean;
}

type AnalyzeOptions = Partial<Pick<AnalysisOptions, 'failures' | 'among'>>;

/** Ctrl-C ends the process, and with it what it downloads. */
const NEVER_ABORTED = new AbortController().signal;

/** The context of one CLI call: the world through Node, and the target. */
export class Session {
  private readonly files: Files;
  private readonly catalogs: Catalogs;
  private readonly tellDialects: (said: readonly string[]) => void;
  readonly world: World;

  constructor({
    computed = false,
    silent = computed,
    download = false,
    folder,
    mayRead,
  }: SessionOptions = {}) {
    this.tellDialects = silent ? () => undefined : dialectTeller();
    const here = nodeEnvironment();
    const environment = folder === undefined ? here : { ...here, workingFolder: folder };
    const all = new NodeFiles(environment.workingFolder);
    this.files = mayRead ? new SomeFiles(all, path => mayRead(join(environment.workingFolder, path))) : all;
    this.catalogs = new Catalogs(corePath(nativeJoin(__dirname, 'data')));
    this.world = {
      files: this.files,
      models: this.models(all, download, environment),
      memory: new MemorySession(),
      networks: { stored: new Map() },
      hostMiB: Math.floor(totalmem() / MIB),
      gpuNamed: name => this.catalogs.gpuNamed(name),
      definitions: new Definitions(this.files),
      ...(computed
        ? {}
        : { measurements: new MeasuredRuns(this.files, version, userMeasurements(environment)) }),
      lengths: new CountedLengths(this.files),
      onRuleFault: faultReporter(),
      launchers: new Launchers(this.files, path => topOf(path, environment.workingFolder)),
    };
  }

  private models(files: Files, download: boolean, environment: Environment): ModelSource {
    const own = new Models(new RememberedFiles(files), this.catalogs, environment);
    if (!download) return own;
    const fresh = new Models(files, this.catalogs, environment);
    const ask = async (id: string): Promise<Downloaded> => {
      const { downloadToCache } = await import('../hub/open');
      return downloadToCache(id, NEVER_ABORTED);
    };
    return new DownloadedModels(own, fresh, ask, tellNoDownload);
  }

  gpus(): Promise<GpuSource> {
    return this.catalogs.gpus();
  }

  modelCatalog(): Promise<ModelCatalog> {
    return this.catalogs.models();
  }

  /** The target from `--gpu` and `--gpus`, else this machine's GPUs; null if it has none. */
  async target({ gpu, gpus }: TargetOptions): Promise<Target | null> {
    if (gpu === undefined) return this.targetHere(gpus);
    const reading = parseTarget(gpu, await this.catalogs.gpus(), { count: gpus ?? null, nodes: 1 });
    if (!reading.ok) throw new BadInput(`--gpu ${gpu}: ${reading.why}`);
    return reading.target;
  }

  /** The GPUs that `--gpu` may mean, most memory first: several for a name of cards that differ in memory; empty: no target. */
  async targets(options: TargetOptions): Promise<readonly Target[]> {
    const { gpu, gpus } = options;
    const reading =
      gpu === undefined
        ? null
        : parseTarget(gpu, await this.catalogs.gpus(), { count: gpus ?? null, nodes: 1 });
    if (reading && !reading.ok && reading.several) {
      return reading.several.toSorted((a, b) => b.usableMiB - a.usableMiB);
    }
    const target = await this.target(options);
    return target ? [target] : [];
  }

  private async targetHere(gpus: number | undefined): Promise<Target | null> {
    const [found] = presentTargets(await detectHere(), await this.catalogs.gpus());
    if (found) return { ...found, count: gpus ?? found.count };
    if (gpus === undefined) return null;
    throw new BadInput('--gpus needs --gpu, for example --gpu "RTX 4090".');
  }

  /** The target of a verb that requires one. */
  async neededTarget(options: TargetOptions & { readonly gpuMemory?: number }): Promise<Target> {
    const gpu = options.gpuMemory === undefined ? options.gpu : `${options.gpuMemory}GB`;
    const target = await this.target({ ...options, ...(gpu === undefined ? {} : { gpu }) });
    if (target) return target;
    throw new BadInput(
      'No target GPU, and none found here. Add --gpu "RTX 4090" or --gpu-memory 24 to get plans.',
    );
  }

  /** The text of a file, or a sentence that says why it cannot be read. */
  async read(path: string): Promise<{ readonly text: string } | { readonly why: string }> {
    const found = await this.files.read(path);
    return 'text' in found ? found : { why: `${path}: ${ABSENCES[found.absence]}` };
  }

  /** The text of a file that the user named. */
  async text(path: string): Promise<string> {
    const read = await this.read(path);
    if ('why' in read) throw new BadInput(read.why);
    return read.text;
  }

  /** The analysis of a file that the user named, which must be readable as its format. */
  async readable(path: string, target: Target | null): Promise<Analysis> {
    const analysis = await this.analyze(path, await this.text(path), target);
    const [bad] = unreadable(analysis, true);
    if (bad !== undefined) throw new BadInput(bad);
    return analysis;
  }

  async analyze(
    path: string,
    text: string,
    target: Target | null,
    { failures = [], among }: AnalyzeOptions = {},
  ): Promise<Analysis> {
    const options = { target, severities: {}, failures, ...(among && { among }) };
    const analysis = await analyze(path, text, this.world, options, NEVER);
    this.tellDialects(faultyDialects(analysis).map(({ says }) => says));
    return analysis;
  }
}

/** The folder that a file belongs to: the working folder if it contains the file. */
function topOf(path: string, here: string): string | null {
  if (!isAbsolute(path)) return path.startsWith('../') ? null : '';
  return path.startsWith(`${here}/`) ? here : null;
}

const ABSENCES: Readonly<Record<FileAbsence, string>> = {
  missing: 'no such file; check the path.',
  directory: 'this is a folder; give a config in it, or use headroom check.',
  denied: 'the file is not readable; change its permissions.',
  'too-large': 'the file is too large for a config.',
  binary: 'the file is not UTF-8 text; save it as UTF-8.',
  unavailable: 'not a readable regular file.',
};
