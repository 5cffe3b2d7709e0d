import type { MeasuredRun } from '../core/analyse/measuredRun';
import type { Bytes } from '../core/memory/estimate';
import type { Metric } from '../core/models/terms';

/** Where a job goes. */
export type JobPlace =
  | { readonly engine: 'local' }
  /** `alias` as the user's ssh knows it. */
  | { readonly engine: 'ssh'; readonly alias: string; readonly folder: string | null }
  /** `alias` of a login node; null: Slurm's commands are here. `folder` behind one, where nothing has to be copied. */
  | {
      readonly engine: 'slurm';
      readonly alias: string | null;
      readonly partition: string | null;
      readonly folder?: string;
    }
  /** The dashboard's address (`http://127.0.0.1:8265`). */
  | { readonly engine: 'ray'; readonly address: string };

/** Where a scheduler chooses the machine. */
export type ClusterPlace = Extract<JobPlace, { readonly engine: 'slurm' | 'ray' }>;

export type JobKind = 'train' | 'embed' | 'profile';

/** The GPUs that a job was given, or asks for. */
export interface JobGpus {
  /** 0: it runs without. */
  readonly count: number;
  /** On this machine and over SSH: by UUID, as CUDA_VISIBLE_DEVICES takes them; empty where a scheduler chooses. */
  readonly uuids: readonly string[];
  /** As the scheduler calls it (`a100`), where it must be told which; absent: any. */
  readonly type?: string;
  /** They were chosen at the start, by what was free: another start may be given others. */
  readonly chosen?: true;
  /** What each must have free before the start; null: not known. */
  readonly needBytes: number | null;
}

/** What a scheduler is told in addition to the GPUs; null: its own default. */
export interface JobLimits {
  readonly timeMinutes: number | null;
  readonly cpus: number | null;
  readonly memoryMiB: number | null;
  /** Tasks of an array, one per shard; null: it is one job. */
  readonly array: number | null;
  readonly requeue: boolean;
  /** Machines of the scheduler that are left out while it has others: a part failed there. Absent: none. */
  readonly avoid?: readonly string[];
}

/** The config a job runs, as it was at the start. */
export interface JobConfig {
  readonly file: string;
  /** sha256 of the bytes of all the run's files, in order. */
  readonly digest: string;
  /** Which run of the config. */
  readonly run: string;
  readonly dialect: string;
}

/** The estimate that was shown before the start, per GPU. */
export interface JobEstimate {
  readonly metric: Metric;
  readonly bytes: Bytes;
  readonly verdict: 'fits' | 'tight' | 'exceeds' | 'unknown';
}

/** What runs: everything that the one screen before the start shows. */
export interface JobRequest {
  readonly kind: JobKind;
  /** For people: `train lora.yml`. */
  readonly name: string;
  readonly config: JobConfig | null;
  /** Program and arguments; never a shell's text. */
  readonly argv: readonly string[];
  /** The folder it starts in: here, and the root of what is copied to a host. */
  readonly folder: string;
  /** Variables with their values, none of them secret. */
  readonly environment: Readonly<Record<string, string>>;
  /** Names of secret variables (`HF_TOKEN`); values come from the process that starts the job, and are never written down. */
  readonly secrets: readonly string[];
  readonly place: JobPlace;
  readonly gpus: JobGpus;
  readonly limits: JobLimits;
  readonly estimate: JobEstimate | null;
  /** Files and folders the run will write, as far as its config tells. */
  readonly writes: readonly string[];
  /** The command that goes on from its last checkpoint; absent or null: none is known. */
  readonly resume?: readonly string[] | null;
  /** The first job of those that go on from each other; absent: it goes on from none. */
  readonly resumes?: string;
  /** The job whose part this is: that one tells how far all parts are. */
  readonly partOf?: string;
  /** What a measurement of it will say in addition to its peak; absent: nothing is measured by it. */
  readonly measured?: MeasuredRun;
  /** The file in which what it measures is kept; absent: the user's own (older records). */
  readonly measuredIn?: string;
}

/**
 * The truth of the process group or the scheduler. `lost`: it was running, is gone, and no one wrote down how it ended (a
 * reboot); `unknown`: it cannot be asked now, and the last known is in `JobRecord.seen`.
 */
export type JobState =
  'queued' | 'starting' | 'running' | 'stopping' | 'succeeded' | 'failed' | 'stopped' | 'lost' | 'unknown';

export const FINAL_STATES: readonly JobState[] = ['succeeded', 'failed', 'stopped', 'lost'];

export interface JobExit {
  readonly code: number | null;
  /** `SIGKILL` … */
  readonly signal: string | null;
  /** The scheduler's own word (`OUT_OF_MEMORY`, `TIMEOUT`, `NODE_FAIL`), where there is one. */
  readonly reason: string | null;
}

/** The most memory that a job was seen to hold, per GPU. */
export interface JobPeak {
  readonly metric: Metric;
  readonly bytes: number;
  /** Each GPU's own, the highest first; absent where there is one, or only the most was seen. */
  readonly devices?: readonly number[];
  /** Number of the task of an array that held it; absent: it is no array, or no one knows which. */
  readonly task?: string;
  /** `nvidia-smi by process`, `the trainer’s own lines`. */
  readonly source: string;
}

/** The process that starts a job: while it lives, the start may still come. */
export interface Starter {
  readonly pid: number;
  /** Tells it from a later process of the same number. */
  readonly start: string;
  /** Folders of records may be shared between machines; a process is known on its own alone. */
  readonly host: string;
}

/** A job as it stands on disk: written whole and atomically, read by every window and the CLI. */
export interface JobRecord extends JobRequest {
  readonly schema: 'headroom-job/1';
  /** `20261122-071502-a1b2c3`: sorts by time, is a file's name everywhere. */
  readonly id: string;
  readonly createdMs: number;
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly state: JobState;
  /** A sentence for people where the state does not say all (`waits for 18.2 GB on a GPU`, `Priority`). */
  readonly message: string | null;
  /** When the state was last known for sure. */
  readonly seenMs: number;
  /** What the engine needs to find it again (pid and its start, scheduler's id, session); its own words, JSON. */
  readonly handle: Readonly<Record<string, string | number | null>> | null;
  readonly exit: JobExit | null;
  readonly peaks: readonly JobPeak[];
  /** The scheduler's machine that it ran on, by number of its task, `0` where it is no array; absent: not known. */
  readonly machines?: Readonly<Record<string, string>>;
  /** Who started it; absent in older records. */
  readonly starter?: Starter;
  /** When what it wrote elsewhere was last brought here; absent: never. */
  readonly fetchedMs?: number;
}

/** The most that a job held on each of its GPUs, as its peak; null where that was never seen on any. */
export function peakOfEach(amounts: readonly number[], source: string): JobPeak | null {
  const devices = amounts.filter(bytes => bytes > 0).toSorted((a, b) => b - a);
  const [bytes = 0] = devices;
  if (bytes === 0) return null;
  return { metric: 'device', bytes, ...(devices.length > 1 && { devices }), source };
}

/** Where a job goes, for people. */
export function placeName(place: JobPlace): string {
  switch (place.engine) {
    case 'local':
      return 'this machine';
    case 'ssh':
      return place.alias;
    case 'ray':
      return `Ray at ${place.address}`;
    case 'slurm': {
      const partition = place.partition === null ? 'Slurm' : `Slurm, partition ${place.partition}`;
      return place.alias === null ? partition : `${partition}, through ${place.alias}`;
    }
  }
}

/** Why what a job wrote cannot be brought here, a sentence; null: it can. */
export function whyNotFetched({ place, folder }: Pick<JobRecord, 'place' | 'folder'>): string | null {
  if (place.engine === 'ray') {
    return 'Ray keeps no result files. Find the results where the command wrote them.';
  }
  if (place.engine === 'local' || place.alias === null) return `it ran here: its results are in ${folder}.`;
  return null;
}

/** The folder that results come to where no one names another. */
export const resultsFolder = ({ id }: Pick<JobRecord, 'id'>): string => `headroom-${id}`;
