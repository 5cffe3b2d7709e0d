import { formatCount } from '../units';
import type { Serving } from './engine';
import type { Term } from './estimate';
import type { ServedExtras } from '../spec/values';
import type { TermName } from '../models/terms';
import type { Holding } from './terms';
import type { Peak } from './ledger';
import type { ImageShape, MemoryRun } from './run';
import type { Played } from './played';
import { countedTokens, roomIn } from './cacheRoom';
import { engineBeside } from './whileWriting';
import { ADAPTERS, TERMS, WEIGHTS } from './terms';
import { phrase } from '../text/say';

/** Memory outside torch's counters. */
interface Overheads {
  readonly libraryWorkspace: number;
  readonly slack: number;
  readonly context: number;
  /** An engine next to training. */
  readonly engine: number;
  /** A server's buffers outside torch's counters. */
  readonly communication: number;
  readonly graphs: number;
}

interface Row {
  readonly formula: string;
  readonly from: readonly string[];
  readonly note?: string;
}

/** The rows of the sum at a peak; they add up to the device's expected bytes. */
export function termsOf(run: MemoryRun, played: Played, peak: Peak, overheads: Overheads): readonly Term[] {
  const tape = TERMS.flatMap((term, i): Term[] => {
    const bytes = peak.terms[i] ?? 0;
    return bytes > 0 ? [{ term, bytes, ...describe(term, bytes, run, played) }] : [];
  });
  const around: Term[] = [
    {
      term: 'library workspace',
      bytes: overheads.libraryWorkspace,
      formula: 'cuBLAS workspace',
      from: [],
    },
    {
      term: 'allocator slack',
      bytes: overheads.slack,
      formula: 'cached or fragmented by the allocator, from live jobs',
      from: [],
    },
    {
      term: 'communication buffers',
      bytes: overheads.communication,
      formula: 'NCCL and all-reduce buffers, as starts on such GPUs had',
      from: ['parallel'],
    },
    {
      term: 'cuda graphs',
      bytes: overheads.graphs,
      formula: 'captured for each layer and batch size',
      from: [],
    },
    {
      term: 'rollout engine',
      bytes: overheads.engine,
      formula: engineText(run),
      from: [],
    },
    {
      term: 'cuda context',
      bytes: overheads.context,
      formula: 'driver context and loaded kernels',
      from: [],
    },
  ];
  return [...tape, ...around.filter(({ bytes }) => bytes > 0)];
}

const engineText = (run: MemoryRun): string => {
  const engine = engineBeside(run);
  return engine?.sleeps === true
    ? phrase`context, kernels and graphs of the engine that sleeps until it writes completions`
    : phrase`${engine?.share ?? 0} of the GPU, which the engine that writes completions holds during training`;
};

type Describe = (bytes: number, run: MemoryRun, played: Played) => Row;

const SHAPE = ['microBatchSize', 'seqLen'];
const IMAGES = ['microBatchSize', 'imageSize'];

const ROWS: Readonly<Partial<Record<TermName, Describe>>> = {
  weights: (bytes, __, { inventory }) => ({
    formula: heldText(bytes, inventory.of(WEIGHTS)),
    from: ['model', 'loadDtype', 'quantization'],
  }),
  adapters: (bytes, { training: { lora }, generation: { serving } }, { inventory }) => ({
    formula: serving?.extras?.adapters
      ? slotsText(serving.extras.adapters)
      : `LoRA rank ${lora?.r ?? 0}: ${heldText(bytes, inventory.of(ADAPTERS))}`,
    from: ['lora'],
  }),
  gradients: (bytes, _, played) => ({
    formula: perParameter(bytes, played),
    from: ['method', 'loadDtype', 'lora'],
  }),
  'optimizer states': (bytes, { training: { optimizer } }, played) => ({
    formula: `${optimizer?.title ?? ''}: ${perParameter(bytes, played)}`,
    from: ['optimizer'],
  }),
  activations: (bytes, run) => ({
    formula: keptText(perToken(bytes, run), run),
    from: [...SHAPE, 'gradientCheckpointing', 'attention'],
  }),
  'logits and loss': (bytes, run) => ({ formula: perLogit(bytes, run), from: [...SHAPE, 'loss', 'model'] }),
  'kv cache': (bytes, run) => ({
    formula: run.generation.serving ? perSequence(bytes, run, run.generation.serving) : perToken(bytes, run),
    from: SHAPE,
  }),
  communication: (_, { ranks: { sharding, replicas } }) => ({
    formula: sharding
      ? `gathered layers, and gradients on their way to ${sharding.ranks} ranks`
      : `gradients once more, in buckets for ${replicas} ranks`,
    from: ['fsdp', 'zeroStage', 'gpus'],
  }),
  temporaries: () => ({ formula: 'of the operation at the peak', from: SHAPE }),
  'inputs and buffers': (_, run) => ({
    formula: run.batch.image
      ? pixelsOf(run.batch.rows, run.batch.image)
      : `${run.batch.rows} × ${run.batch.tokens} token ids`,
    from: SHAPE,
  }),
};

function describe(term: TermName, bytes: number, run: MemoryRun, played: Played): Row {
  const row = ROWS[term]?.(bytes, run, played) ?? { formula: term, from: [] };
  return run.batch.image && row.from.includes('seqLen') ? { ...row, from: imageQuantities(row.from) } : row;
}

/** Replaces the quantities of token rows for image rows. */
const imageQuantities = (from: readonly string[]): readonly string[] => [
  ...IMAGES,
  ...from.filter(name => !SHAPE.includes(name)),
];

/** A network of the project's own has samples of any kind, whose values are all channels. */
const pixelsOf = (batch: number, { channels, width, height }: ImageShape): string =>
  width * height === 1
    ? phrase`${batch} samples of ${formatCount(channels)} values`
    : phrase`${batch} images of ${width} × ${height} pixels`;

const slotsText = ({ slots, rank }: NonNullable<ServedExtras['adapters']>): string =>
  slots === 1
    ? phrase`room for 1 adapter of rank ${rank} on every linear layer`
    : phrase`room for ${slots} adapters of rank ${rank} on every linear layer`;

/** Dtypes of the parameters, with the bytes per parameter on a rank that shards or offloads them. */
function heldText(bytes: number, holdings: readonly Holding[]): string {
  const inFull = holdings.reduce((sum, holding) => sum + holding.bytes, 0);
  if (Math.abs(inFull - bytes) <= bytes * ROUNDING) {
    return holdings
      .map(
        ({ held: words, count, bytes: of }) => `${formatCount(count)} × ${rounded(of / count)} B (${words})`,
      )
      .join(' + ');
  }
  const count = holdings.reduce((sum, holding) => sum + holding.count, 0);
  const kinds = holdings.map(({ held: words }) => words).join(', ');
  return phrase`${formatCount(count)} × ${rounded(bytes / Math.max(1, count))} B on this GPU (${kinds})`;
}

/** Rounding to blocks of 512 bytes can add this much. */
const ROUNDING = 0.01;

function perParameter(bytes: number, { trainable }: Played): string {
  const count = trainable.reduce((sum, { times, parameters }) => {
    return sum + times * parameters.reduce((all, { elements }) => all + elements, 0);
  }, 0);
  return phrase`${formatCount(count)} trained × ${rounded(bytes / Math.max(1, count))} B`;
}

function perToken(bytes: number, { batch: { rows: batch, tokens, image }, model }: MemoryRun): string {
  if (image) {
    const each = bytes / (batch * image.width * image.height);
    return perPixel(batch, image, formatCount(Math.round(each)));
  }
  const each = bytes / (batch * tokens * model.layers);
  const amount = each < 1 ? phrase`less than 1` : formatCount(Math.round(each));
  return phrase`${batch} × ${tokens} tokens × ${model.layers} layers × ${amount} B`;
}

const perPixel = (batch: number, { channels, width, height }: ImageShape, each: string): string =>
  width * height === 1
    ? phrase`${batch} samples of ${formatCount(channels)} values × ${each} B`
    : phrase`${batch} images of ${width} × ${height} pixels × ${each} B`;

/** An engine's startup message: the tokens that fit, and the number of longest sequences. */
function perSequence(bytes: number, run: MemoryRun, serving: Serving): string {
  const { context, engine, share } = serving;
  // Adds one byte, so that whole blocks stay whole after rounding.
  const cache = roomIn(run, serving, bytes + 1);
  const tokens = formatCount(countedTokens(serving, cache));
  const room = phrase`${tokens} tokens, ${rounded(cache.sequences)} sequences of ${context}`;
  return phrase`${room}: what ${engine.shareKey} ${share} leaves`;
}

function keptText(amount: string, { recompute: { checkpointing } }: MemoryRun): string {
  if (checkpointing === 'none') return amount;
  return checkpointing === 'selective'
    ? phrase`${amount} (without what is recomputed)`
    : phrase`${amount} (layer inputs and one recomputed layer)`;
}

/** One byte per ten logits. */
const LEAST_PER_LOGIT = 0.1;

function perLogit(
  bytes: number,
  { batch: { rows: batch, tokens: read, targets }, head, model, generation }: MemoryRun,
): string {
  const { serving } = generation;
  if (serving) {
    const rows = Math.min(serving.sequences, read);
    const each = rounded(bytes / (rows * model.vocabSize));
    return phrase`${rows} sequences × ${formatCount(model.vocabSize)} vocabulary × ${each} B, as the sampler warms up`;
  }
  const tokens = head === 'seq2seq' ? targets : read;
  const logits = batch * tokens * model.vocabSize;
  if (logits === 0) return phrase`the loss`;
  // A fused loss never has all logits, so there is nothing to multiply.
  if (bytes / logits < LEAST_PER_LOGIT) return phrase`the loss, and logits of a part of the tokens at a time`;
  return phrase`${batch} × ${tokens} tokens × ${formatCount(model.vocabSize)} vocabulary × ${rounded(bytes / logits)} B`;
}

const rounded = (value: number): string => String(Number(value.toPrecision(3)));
