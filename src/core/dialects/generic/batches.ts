import { emptyRow } from '../defined/definition';
import type { DefinedRow } from '../defined/definition';
import { isCount, isNamed, only } from './finder';
import type { Finder, Test } from './finder';
import type { Leaf } from './leaves';
import { phrase } from '../../text/say';
import { words } from './vocabulary';

type Rows = Record<string, DefinedRow>;

/** The note of a reading by vocabulary on a key. */
const noteOf = (what: string): string => phrase`Guessed from its name: ${what}.`;

export const rowAt = (leaf: Leaf, what: string): DefinedRow => ({
  ...emptyRow,
  keys: [leaf.key],
  note: noteOf(what),
});

/** The batch, its rows, or null if the file does not state it. */
export interface Batch {
  readonly leaf: Leaf;
  readonly rows: Rows;
}

/** Larger values are tokens, frames or table rows. */
const MOST_SAMPLES = 65_536;

/** Names of the most tokens of a step on one GPU, to which samples are packed (verl: `ppo_max_token_len_per_gpu`). */
const TOKENS_OF_DEVICE = /^(?:\w+_)?max_(?:token|length|seq)\w{0,12}_per_(?:gpu|device|micro_?batch)$/;

/** A limit of the tokens of a step, which decides how many steps a batch takes. */
export const limitsTokens: Test = ({ name, value }) => TOKENS_OF_DEVICE.test(name) && value !== null;

const isSized: Test = leaf => isCount(leaf) && Number(leaf.value) <= MOST_SAMPLES;

/** True for a value that is only known at the start: `--batch_size $BATCH`. */
const isOpen: Test = ({ node }) => node.kind === 'scalar' && node.opaque !== null;

/** The training batch, if the file names exactly one. `isCertain`: it trains, so a batch that is only known at the start counts. */
export const batchIn = (finder: Finder, isCertain: boolean): Batch | null =>
  batchOf(finder, isSized) ?? (isCertain ? batchOf(finder, isOpen) : null);

function batchOf(finder: Finder, sized: Test): Batch | null {
  const ofDevice = finder.one(isNamed(words.batchOfDevice), sized);
  const ofAll = finder.one(isNamed(words.batchOfAll), sized);
  const bare = finder.one(isNamed(words.batch), sized);
  const leaf = only(ofDevice ?? bare ?? ofAll);
  if (leaf === null) return null;
  const rows: Rows = {};
  const all = only(ofAll ?? (ofDevice && besideMicro(ofDevice, finder, sized)));
  if (all) rows['globalBatchSize'] = rowAt(all, 'the samples of an optimizer step over all GPUs');
  if (leaf !== all) Object.assign(rows, ofStep(leaf, ofDevice !== null, finder));
  const evaluation =
    finder.all(isNamed(words.batchOfEvaluation), sized)[0] ?? batchOfEvaluation(finder, sized);
  if (evaluation) rows['evalBatchSize'] = rowAt(evaluation, 'the samples of a step of evaluation');
  return { leaf, rows };
}

/**
 * Beside a micro batch, the batch of an optimizer step: DeepSpeed's word for it, or a plain `batch_size` that several of
 * `micro_batch_size` make (alpaca-lora's finetune.py).
 */
function besideMicro(ofDevice: Leaf | 'several', finder: Finder, sized: Test): Leaf | 'several' | null {
  const named = finder.one(({ name }) => name === 'train_batch_size', sized);
  if (named || ofDevice === 'several' || !ofDevice.name.startsWith('micro')) return named;
  const micro = Number(ofDevice.value);
  return finder.one(
    ({ name, value }) => name === 'batch_size' && Number(value) > micro && Number(value) % micro === 0,
    sized,
  );
}

/** Lightning's words, also beside the GPUs: each of its processes, and of Fabric's, has a loader of its own. */
const isOfLightning = (finder: Finder, { sections }: Leaf): boolean =>
  finder.has(isNamed(words.strategy), ({ value }) => /^(?:ddp|fsdp|deepspeed)/.test(String(value))) ||
  finder.has(
    isNamed(words.accelerator),
    ({ value }) => words.anAccelerator.test(String(value)),
    leaf => leaf.sections.join('.') === sections.join('.'),
  );

function batchOfEvaluation(finder: Finder, sized: (leaf: Leaf) => boolean): Leaf | undefined {
  return finder.all(({ place }) => place === 'evaluation', isNamed(words.batch), sized)[0];
}

/** The batch of a step; DataParallel divides it among the GPUs, as Lightning's `dp` did. */
function ofStep(leaf: Leaf, isOfDevice: boolean, finder: Finder): Rows {
  if (!finder.has(isNamed(words.strategy), ({ value }) => value === 'dp')) {
    return { microBatchSize: microBatch(leaf, isOfDevice, finder) };
  }
  const row = rowAt(leaf, 'the samples of a step, which DataParallel divides among the GPUs');
  const isStep = !finder.has(isNamed(words.accumulation));
  return { microBatchSize: { ...row, scope: 'global' }, ...(isStep && { globalBatchSize: row }) };
}

/**
 * Three of four programs use a plain `batch_size` for one GPU, the fourth for all: with several GPUs it is unknown.
 */
function microBatch(leaf: Leaf, isOfDevice: boolean, finder: Finder): DefinedRow {
  if (isOfDevice) return rowAt(leaf, 'the samples of a step on one GPU');
  const [packed] = finder.all(limitsTokens);
  if (packed) {
    return { ...emptyRow, unknown: `Samples are packed: ${packed.key} limits the tokens on one GPU.` };
  }
  const open = finder.all(
    isNamed(words.batchOfDevice),
    ({ place, value }) => place === 'training' && value === null,
  )[0];
  if (open) {
    return { ...emptyRow, unknown: `${open.key} says it, and its value is known only when it starts.` };
  }
  const gpus = finder
    .all(isNamed(words.deviceCount))
    .find(({ value }) => Number(value) > 1 || value === 'auto' || value === -1);
  const row = rowAt(leaf, 'the samples of a step on one GPU (assumed)');
  if (!gpus || finder.has(({ name, value }) => name === 'accelerator' && value === 'cpu')) return row;
  if (isOfLightning(finder, gpus)) {
    return rowAt(leaf, 'the samples of a step on one GPU: each process of Lightning loads its own');
  }
  const several = typeof gpus.value === 'number' && gpus.value > 1 ? `${gpus.value} GPUs` : 'the GPUs';
  return { ...row, doubt: `is for each of ${several} or for all together: its name does not tell` };
}
