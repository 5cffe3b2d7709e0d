import type { JobKind, JobRecord } from '../jobs/job';
import { placeOfWord, wordOfPlace } from './place';

export const TASK_TYPE = 'headroom';

/** A task of type `headroom` as tasks.json has it; package.json describes the same to its editor. */
export interface HeadroomTask {
  readonly kind: JobKind;
  /** Path of the config, from the workspace folder on; null: the one in front. */
  readonly config: string | null;
  /** Which run of the config; null: the one that needs most. */
  readonly run: string | null;
  /** As `placeOfWord` reads it. */
  readonly place: string;
  /** How many; null: as many as the run has. */
  readonly gpus: number | null;
  /** Arguments behind those of the launcher. */
  readonly args: readonly string[];
  /** A job that is there already: it is followed, nothing is started. */
  readonly job: string | null;
}

const KINDS: readonly JobKind[] = ['train', 'embed', 'profile'];
const MOST_GPUS = 65_536;

/** A definition, whoever wrote it, or a sentence that says what is wrong with it. */
export function taskOf(given: Readonly<Record<string, unknown>>): HeadroomTask | string {
  const { kind = 'train', config, run, place = 'here', gpus, args, job } = given;
  const known = KINDS.find(one => one === kind);
  if (!known) return `“kind” must be one of ${KINDS.join(', ')}.`;
  if (typeof place !== 'string' || placeOfWord(place) === null) {
    return `“place” ${JSON.stringify(place)} is none: write here, ssh:HOST, slurm:PARTITION, slurm:PARTITION@LOGIN or ray:ADDRESS.`;
  }
  if (gpus !== undefined && gpus !== null && !isCount(gpus)) {
    return '“gpus” must be a whole number, 0 or more.';
  }
  if (args !== undefined && !isWords(args)) return '“args” must be a list of words.';
  return {
    kind: known,
    config: textOf(config),
    run: textOf(run),
    place,
    gpus: isCount(gpus) ? gpus : null,
    args: isWords(args) ? args : [],
    job: textOf(job),
  };
}

/** What a task's terminal follows: a job by its id. */
export function followingTask({ id, kind, config, place }: JobRecord): HeadroomTask {
  const gpus = null;
  return {
    kind,
    config: config?.file ?? null,
    run: config?.run ?? null,
    place: wordOfPlace(place),
    gpus,
    args: [],
    job: id,
  };
}

/** Without what is not said: what tasks.json would hold. */
export function definitionOf(
  task: HeadroomTask,
): { readonly type: string } & Readonly<Record<string, unknown>> {
  const { kind, config, run, place, gpus, args, job } = task;
  return {
    type: TASK_TYPE,
    kind,
    ...(config !== null && { config }),
    ...(run !== null && run !== '' && { run }),
    ...(place !== 'here' && { place }),
    ...(gpus !== null && { gpus }),
    ...(args.length > 0 && { args }),
    ...(job !== null && { job }),
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_GPUS;

const isWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(word => typeof word === 'string');
