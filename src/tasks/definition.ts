import type { JobKind, JobLimits, JobRecord } from '../jobs/job';
import { NO_LIMITS } from '../jobs/job';
import { placeOfWord, wordOfPlace } from './place';

export const TASK_TYPE = 'headroom';

/** A task of type `headroom` in tasks.json; package.json has its schema. */
export interface HeadroomTask {
  readonly kind: JobKind;
  /** Path of the config relative to the workspace folder; null: the active config. */
  readonly config: string | null;
  /** The run of the config; null: the one that needs most memory. */
  readonly run: string | null;
  /** In the form that `placeOfWord` parses. */
  readonly place: string;
  /** Null: as many as the run uses. */
  readonly gpus: number | null;
  /** Arguments appended to those of the launcher. */
  readonly args: readonly string[];
  /** Resources to request from a scheduler; null: the same as last time. */
  readonly limits: JobLimits | null;
  /** An existing job: it is followed, and nothing is started. */
  readonly job: string | null;
}

const KINDS: readonly JobKind[] = ['train', 'embed', 'profile'];
const MOST_GPUS = 65_536;

/** A definition from any source, or a sentence that says what is wrong with it. */
export function taskOf(given: Readonly<Record<string, unknown>>): HeadroomTask | string {
  const { kind = 'train', config, run, place = 'here', gpus, args, job } = given;
  const known = KINDS.find(one => one === kind);
  if (!known) return `“kind” must be one of ${KINDS.join(', ')}.`;
  if (typeof place !== 'string' || placeOfWord(place) === null) {
    return `“place” ${JSON.stringify(place)} is not valid. Use here, ssh:HOST, slurm:PARTITION, slurm:PARTITION@LOGIN, ray:ADDRESS or kubernetes:IMAGE.`;
  }
  if (gpus !== undefined && gpus !== null && !isCount(gpus)) {
    return '“gpus” must be a whole number, 0 or more.';
  }
  if (args !== undefined && !isWords(args)) return '“args” must be a list of strings.';
  const limits = limitsIn(given);
  if (typeof limits === 'string') return limits;
  return {
    kind: known,
    config: textOf(config),
    run: textOf(run),
    place,
    gpus: isCount(gpus) ? gpus : null,
    args: isWords(args) ? args : [],
    limits,
    job: textOf(job),
  };
}

const MIB_IN_GB = 1024;

/** `time` in minutes, `cpus`, `memory` in GB, `requeue`; null: none is given. */
function limitsIn(given: Readonly<Record<string, unknown>>): JobLimits | string | null {
  const { time, cpus, memory, requeue } = given;
  if ([time, cpus, memory, requeue].every(one => one === undefined)) return null;
  const isAmount = (value: unknown): boolean =>
    value === undefined || (typeof value === 'number' && value > 0);
  const wrong = Object.entries({ time, cpus, memory }).find(([, value]) => !isAmount(value));
  if (wrong) return `“${wrong[0]}” must be a number above 0.`;
  if (requeue !== undefined && typeof requeue !== 'boolean') return '“requeue” must be true or false.';
  return {
    ...NO_LIMITS,
    timeMinutes: typeof time === 'number' ? time : null,
    cpus: typeof cpus === 'number' ? cpus : null,
    memoryMiB: typeof memory === 'number' ? Math.ceil(memory * MIB_IN_GB) : null,
    requeue: requeue === true,
  };
}

/** The definition of a task whose terminal follows a job, by its id. */
export function followingTask({ id, kind, config, place }: JobRecord): HeadroomTask {
  const gpus = null;
  return {
    kind,
    config: config?.file ?? null,
    run: config?.run ?? null,
    place: wordOfPlace(place),
    gpus,
    args: [],
    limits: null,
    job: id,
  };
}

/** The definition without empty values, as in tasks.json. */
export function definitionOf(
  task: HeadroomTask,
): { readonly type: string } & Readonly<Record<string, unknown>> {
  const { kind, config, run, place, gpus, args, limits, job } = task;
  return {
    type: TASK_TYPE,
    kind,
    ...(config !== null && { config }),
    ...(run !== null && run !== '' && { run }),
    ...(place !== 'here' && { place }),
    ...(gpus !== null && { gpus }),
    ...(args.length > 0 && { args }),
    ...(limits !== null && limitsWritten(limits)),
    ...(job !== null && { job }),
  };
}

const limitsWritten = ({ timeMinutes, cpus, memoryMiB, requeue }: JobLimits) => ({
  ...(timeMinutes !== null && { time: timeMinutes }),
  ...(cpus !== null && { cpus }),
  ...(memoryMiB !== null && { memory: memoryMiB / MIB_IN_GB }),
  ...(requeue && { requeue }),
});

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_GPUS;

const isWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(word => typeof word === 'string');
