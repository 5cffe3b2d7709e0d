import type { MeasuredRun } from '../core/analyse/measuredRun';
import type { Bytes } from '../core/memory/estimate';
import type { Metric } from '../core/models/terms';
import { commas } from '../core/text/lists';
import { english } from '../core/text/say';
import type { Say } from '../core/text/say';

/** Where a job goes. */
export type JobPlace =
  | { readonly engine: 'local' }
  /** `alias` as in the user's ssh config. */
  | { readonly engine: 'ssh'; readonly alias: string; readonly folder: string | null }
  /**
   * `alias` of a login node; null: Slurm's commands are local. `folder`: a folder on the login node that makes
   * copying unnecessary.
   */
  | {
      readonly engine: 'slurm';
      readonly alias: string | null;
      readonly partition: string | null;
      readonly folder?: string;
    }
  /** The dashboard's address (`http://127.0.0.1:8265`). */
  | { readonly engine: 'ray'; readonly address: string }
  | KubernetesPlace;

/** A Job of a Kubernetes cluster, through the user's kubeconfig. */
export interface KubernetesPlace {
  readonly engine: 'kubernetes';
  /** A context of the kubeconfig; null: the current one at the start. */
  readonly context: string | null;
  /** Null: the context's own. */
  readonly namespace: string | null;
  /** The container image, which has the program and the code. */
  readonly image: string;
  /** The working folder in the container; null: the image's own. */
  readonly folder: string | null;
  /** A PersistentVolumeClaim that is mounted at the working folder; null: none. */
  readonly claim: string | null;
}

/** Places where a scheduler chooses the machine. */
export type ClusterPlace = Extract<JobPlace, { readonly engine: 'slurm' | 'ray' }>;

export type JobKind = 'train' | 'embed' | 'profile';

/** The GPUs that a job was given, or requests. */
export interface JobGpus {
  /** 0: it runs without a GPU. */
  readonly count: number;
  /** On this machine and over SSH: UUIDs for CUDA_VISIBLE_DEVICES; empty if a scheduler chooses. */
  readonly uuids: readonly string[];
  /** The scheduler's name of the type (`a100`), if it must be given; absent: any. */
  readonly type?: string;
  /** They were chosen at the start among the free ones; a restart may get others. */
  readonly chosen?: true;
  /** The memory that must be free on each GPU before the start; null: unknown. */
  readonly needBytes: number | null;
}

/** What is requested from a scheduler in addition to the GPUs; null: its default. */
export interface JobLimits {
  readonly timeMinutes: number | null;
  readonly cpus: number | null;
  readonly memoryMiB: number | null;
  /** Tasks of an array, one per shard; null: a single job. */
  readonly array: number | null;
  readonly requeue: boolean;
  /** Machines of the scheduler to avoid if there are others, because a part failed there. Absent: none. */
  readonly avoid?: readonly string[];
}

/** Nothing but what a scheduler gives by default. */
export const NO_LIMITS: JobLimits = {
  timeMinutes: null,
  cpus: null,
  memoryMiB: null,
  array: null,
  requeue: false,
};

/** The config that a job runs, as it was at the start. */
export interface JobConfig {
  readonly file: string;
  /** sha256 over the bytes of all the run's files, in order. */
  readonly digest: string;
  /** Which run of the config. */
  readonly run: string;
  readonly dialect: string;
}

/** The estimate per GPU that was shown before the start. */
export interface JobEstimate {
  readonly metric: Metric;
  readonly bytes: Bytes;
  readonly verdict: 'fits' | 'tight' | 'exceeds' | 'unknown';
}

/** Seconds of a training step, computed before the start. */
export interface JobPace {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}

/** The job to start: everything that the start screen shows. */
export interface JobRequest {
  readonly kind: JobKind;
  /** A display name: `train lora.yml`. */
  readonly name: string;
  readonly config: JobConfig | null;
  /** Program and arguments; never shell text. */
  readonly argv: readonly string[];
  /** The working folder; for a host, also the root of what is copied. */
  readonly folder: string;
  /** Variables with their values; never secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Names of secret variables (`HF_TOKEN`); their values come from the process that starts the job, and are never
   * stored.
   */
  readonly secrets: readonly string[];
  readonly place: JobPlace;
  readonly gpus: JobGpus;
  readonly limits: JobLimits;
  readonly estimate: JobEstimate | null;
  /** Absent: unknown, or arguments were added that may change it. */
  readonly pace?: JobPace;
  /** Files and folders that the run will write, as far as its config says. */
  readonly writes: readonly string[];
  /** The command that resumes from its last checkpoint; absent or null: unknown. */
  readonly resume?: readonly string[] | null;
  /** The first job in a chain of resumed jobs; absent: the job resumes none. */
  readonly resumes?: string;
  /** The job whose part this is; that job reports the progress of all parts. */
  readonly partOf?: string;
  /** The features of its measurement in addition to the peak; absent: nothing is measured. */
  readonly measured?: MeasuredRun;
  /** The file that keeps its measurement; absent: the user's own (older records). */
  readonly measuredIn?: string;
}

/**
 * As the process group or the scheduler reports it. `lost`: it was running, is gone, and its end was not recorded
 * (a reboot); `unknown`: it cannot be queried now, and the record keeps the last known state.
 */
export type JobState =
  | 'queued'
  | 'starting'
  | 'running'
  | 'stopping'
  | 'succeeded'
  | 'failed'
  | 'stopped'
  | 'lost'
  | 'unknown';

export const FINAL_STATES: readonly JobState[] = ['succeeded', 'failed', 'stopped', 'lost'];

export interface JobExit {
  readonly code: number | null;
  /** `SIGKILL` … */
  readonly signal: string | null;
  /** The scheduler's own word (`OUT_OF_MEMORY`, `TIMEOUT`, `NODE_FAIL`), if any. */
  readonly reason: string | null;
}

/** The most memory that a job was seen to hold, per GPU. */
export interface JobPeak {
  readonly metric: Metric;
  readonly bytes: number;
  /** The peak of each GPU, highest first; absent if there is only one, or only the maximum is known. */
  readonly devices?: readonly number[];
  /** The number of the array task that held it; absent: not an array, or unknown. */
  readonly task?: string;
  /** `nvidia-smi by process`, `the trainer’s own lines`. */
  readonly source: string;
}

/** The process that starts a job: while it lives, the start may still succeed. */
export interface Starter {
  readonly pid: number;
  /** Distinguishes it from a later process with the same pid. */
  readonly start: string;
  /** Folders of records may be shared between machines; a pid is valid only on its own. */
  readonly host: string;
}

/** What a queued job of this machine waits for: memory on GPUs, or its turn behind another job. */
export type JobWait = { readonly for: 'gpus' } | { readonly for: 'job'; readonly id: string };

/** A job's record on disk: written atomically, read by every window and the CLI. */
export interface JobRecord extends JobRequest {
  readonly schema: 'headroom-job/1';
  /** `20261122-071502-a1b2c3`: sorts by time and is a valid file name on every system. */
  readonly id: string;
  readonly createdMs: number;
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly state: JobState;
  /** A sentence for the user if the state is not enough (`waits for 18.2 GB on a GPU`, `Priority`). */
  readonly message: string | null;
  /** What `message` says a local job waits for; absent or null: nothing. */
  readonly waits?: JobWait | null;
  /** When the state was last confirmed. */
  readonly seenMs: number;
  /**
   * What the engine needs to find it again (pid and start time, the scheduler's id, session), in the engine's own
   * JSON.
   */
  readonly handle: Readonly<Record<string, string | number | null>> | null;
  readonly exit: JobExit | null;
  readonly peaks: readonly JobPeak[];
  /** The scheduler's machine that it ran on, by task number, `0` if it is not an array; absent: unknown. */
  readonly machines?: Readonly<Record<string, string>>;
  /** The process that started it; absent in older records. */
  readonly starter?: Starter;
  /** When its results were last fetched; absent: never. */
  readonly fetchedMs?: number;
}

/** The peak from the most that a job held on each of its GPUs; null if that is unknown for all. */
export function peakOfEach(amounts: readonly number[], source: string): JobPeak | null {
  const devices = amounts.filter(bytes => bytes > 0).toSorted((a, b) => b - a);
  const [bytes = 0] = devices;
  if (bytes === 0) return null;
  return { metric: 'device', bytes, ...(devices.length > 1 && { devices }), source };
}

/** The display name of a place. */
export function placeName(place: JobPlace, say: Say = english): string {
  switch (place.engine) {
    case 'local':
      return say('this machine');
    case 'ssh':
      return place.alias;
    case 'ray':
      return say('Ray at {0}', place.address);
    case 'kubernetes':
      return commas(
        say,
        ['Kubernetes', place.context ?? '', place.namespace ?? ''].filter(part => part !== ''),
      );
    case 'slurm': {
      const partition = place.partition === null ? 'Slurm' : say('Slurm, partition {0}', place.partition);
      return place.alias === null ? partition : say('{0}, through {1}', partition, place.alias);
    }
  }
}

/** A sentence that says why a job's results cannot be fetched; null: they can. */
export function whyNotFetched({ place, folder }: Pick<JobRecord, 'place' | 'folder'>): string | null {
  if (place.engine === 'ray' || place.engine === 'kubernetes') {
    const name = place.engine === 'ray' ? 'Ray' : 'Kubernetes';
    return `${name} keeps no result files. Find the results where the command wrote them.`;
  }
  if (place.engine === 'local' || place.alias === null) return `it ran here: its results are in ${folder}.`;
  return null;
}

/** The default folder for results. */
export const resultsFolder = ({ id }: Pick<JobRecord, 'id'>): string => `headroom-${id}`;
