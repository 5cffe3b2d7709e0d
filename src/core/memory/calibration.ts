import { contextMiB, cudnnMiB } from '../hardware/processMemory';
import type { Calibrated } from '../hardware/processMemory';

/*
 * Every constant of the memory model that comes from measurements, not from source code. Context and cuDNN are in
 * hardware/processMemory.ts, because reading a job's output also needs them without the memory model. `npm run
 * accuracy -- --halves` fits each of them on half of the sources and scores it on the other half.
 */

const DATE = '2026-11';

/** Scalars used in computing amounts. */
const scalars = {
  contextMiB,
  cudnnMiB,
  /**
   * Memory that NCCL takes outside torch's counters with the first collective; the rest is in the streams'
   * segments.
   */
  ncclMiB: {
    value: 1485,
    source:
      'stas00/ml-engineering, training/performance: 0.55 to 2.0 GiB; fms-acceleration, refs/a100_80gb_*.csv under FSDP: 1.6 GiB and more',
    runs: 41,
    statistic: 'a value between the two; how it was chosen is not written down',
    date: DATE,
  },
  /**
   * Additional reserved memory for batches of different lengths, as a share of what a step adds to the permanent
   * memory: the blocks of one batch do not fit the next. Published runs reserve 1.25 times what they allocate.
   */
  unevenShare: {
    value: 0.25,
    source: 'simulated runs of four families, ten steps of 50 to 100 % of the longest',
    runs: 388,
    statistic: 'a little below their median, 0.28; from nothing to as much again (deciles)',
    date: DATE,
  },
  /**
   * Memory of a live text-training job in nvidia-smi beyond context and replay, as a share of the replay: kernels
   * of extensions in the context, fragments of unequal steps. Not measured separately. For image networks, the
   * libraries are in the context.
   */
  liveShare: {
    value: 0.07,
    source:
      "fms-acceleration's five tables, transformers' single-GPU page, Qwen's and ChatGLM-Finetuning's tables",
    runs: null,
    statistic:
      'median of the medians of eight tables, which go from -3 to 38 %; of any four: 3 to 14 % (deciles)',
    date: DATE,
  },
} as const satisfies Readonly<Record<string, Calibrated<number>>>;

/** Reserved over allocated without a replay, by what is kept for backward. */
const typical = (value: number): Calibrated<number> => ({
  value,
  source: 'replays of simulated.jsonl, five in six reproduced to the byte',
  runs: 1100,
  statistic: 'median',
  date: DATE,
});

const typicalShares = { infer: typical(1.08), checkpointed: typical(1.15), kept: typical(1.11) };

const spread = (
  below: number,
  above: number,
  source: string,
  runs: number | null = null,
  statistic = 'nine in ten lie inside',
): Calibrated<Spread> => ({ value: { below, above }, source, runs, statistic, date: DATE });

const PUBLISHED = 'published measurements (npm run accuracy)';

/**
 * Wider than the tables behind them say: with these, about nine in ten published measurements lie inside in each metric
 * (allocated 94.0 %, reserved 89.9 %, device 91.2 %; 86.0 % with the sources weighing alike). docs/accuracy.md also scores
 * a fit on sources that it has not seen.
 */
const BY_SOURCE = 'about nine in ten lie inside, the 64 sources weighing alike';
const doubt = (below: number, above: number): Calibrated<Spread> =>
  spread(below, above, PUBLISHED, 1436, BY_SOURCE);

/** Uncertainty of amounts; interval.ts says which apply to a run. */
const spreads = {
  /** Training with known code is exact to a per mille: for other releases and settings. */
  always: spread(0.03, 0.03, PUBLISHED),
  /** Only the number of parameters is known: smaller vocabularies take less, more heads in the cache more. */
  supposedModel: spread(0.5, 0.45, 'published runs of known decoders, their architecture struck out', 953),
  /** An older release than the assumed one. */
  releaseUnstated: spread(0.02, 0.1, "fms-acceleration's tables with the names of releases struck out", 79),
  /** A script of someone's own is taken for one on transformers. */
  frameworkUnknown: doubt(0.25, 0.2),
  /** What a compiled region keeps is read off the partitioner's rules; how it is cut is not known. */
  compiled: spread(0.1, 0.1, PUBLISHED),
  /** Inputs of 4-bit products live as long as the graph's nodes; what names these differs between scripts. */
  oldQuantizedInputs: spread(0.05, 0.1, 'litgpt’s tables of QLoRA'),
  /** Fragments of a growing cache, other kernels' temporaries: from 1 % less to 15 % more. */
  generation: spread(0.05, 0.12, PUBLISHED, 350),
  /** Rows are at most as long as the config states. */
  padded: doubt(0.4, 0),
  /** Stated releases can be wrong: tables that name 4.48 were measured with 4.45.2. */
  training: spread(0.15, 0.04, 'two published tables', 33, 'the most: 15 % less'),
  /** A framework's own model code, read but not run. */
  ownModelCode: doubt(0.1, 0.2),
  /** Buffers, prefetching, NCCL. */
  severalDevices: doubt(0.3, 0.25),
  /** Weights that torch operations unpack for each product. */
  gptqTraining: spread(0.05, 0.1, PUBLISHED),
  /** Log-probabilities, policies, distillation. */
  comparingLoss: doubt(0.3, 0.15),
  /** cuDNN's workspaces and kernels; about 1.3 GB of it whatever the batch. */
  images: spread(
    0.03,
    0.4,
    "GPUMemNet's test set: torchvision on an A100",
    10,
    'nine in ten took 11 to 48 % more',
  ),
  /** The common decoder instead of a model's own code: its blocks may keep half as much more, or a quarter less. */
  nearestModel: spread(0.15, 0.25, PUBLISHED),
  /** Memory of a contrastive loss in addition to the sentences. */
  contrastive: spread(0.1, 0.1, PUBLISHED),
  /** Outlier columns of 8-bit weights depend on the data. */
  int8: spread(0.05, 0.1, PUBLISHED),
  /** ZeRO's live parameters have not been measured for known code. */
  zero: spread(0.1, 0.25, "Qwen's tables", null, 'up to a quarter more'),
  /** The allocator's replay against nvidia-smi. */
  replayed: doubt(0.2, 0.2),
  /** The same without training: a step has one size. */
  replayedInference: spread(0.08, 0.12, "fms-acceleration's tables: runs that left room on their A100", 74),
  /** Instead of the replay, without training. */
  typicalInference: spread(0.1, 0.2, 'replays of simulated.jsonl', 1100, 'deciles'),
  /** A typical share instead of the replay. */
  typical: spread(
    0.22,
    0.28,
    'replays of simulated.jsonl, and what replays are off themselves',
    1100,
    'deciles of 10 and 20 %, by squares with `replayed`',
  ),
  /** Batches of different lengths reserve up to twice as much more as equal ones. */
  uneven: spread(0.1, 0.2, 'replays of random lengths', null, 'from nothing to twice as much'),
  /** Gathering and reduction run in separate streams, whose segments are not shared. */
  streams: doubt(0.05, 0.4),
  /** The context depends on driver, kernels and libraries. */
  context: spread(0.02, 0.03, 'no table: a guess', null, 'none'),
  /** nvidia-smi around `liveShare`. */
  live: spread(
    0.08,
    0.2,
    'fourteen published tables',
    411,
    'three in four lie inside, as many on either side',
  ),
};

const struck = (below: number, above: number, runs: number): Calibrated<Spread> =>
  spread(
    below,
    above,
    'published training with the fact struck out (npm run accuracy -- --guesses)',
    runs,
    '97 of 100 on either side, all sources weighing alike; of sources left out, nine in ten lie inside',
  );

const UNMEASURED = spread(0.5, 1, 'no table: a guess', null, 'none');

/** How far off an estimate is for which a fact was guessed, as shares of it. */
const guesses = {
  length: struck(0.79, 1, 819),
  optimizer: struck(0.75, 1.07, 469),
  dtype: struck(0.61, 1.7, 965),
  task: struck(0.78, 1.55, 419),
  rank: UNMEASURED,
  /** A framework's own model code, sharding, a class that is only similar. */
  other: UNMEASURED,
};

/** A fact that may be guessed. */
export type GuessName = keyof typeof guesses;

/** A measured uncertainty of an amount. */
export type SpreadName = keyof typeof spreads;

/** A measured number used in computing amounts. */
export type ScalarName = keyof typeof scalars;

/** All measured constants; accuracy tests pass others. */
export interface Calibration {
  readonly scalars: Readonly<Record<ScalarName, Calibrated<number>>>;
  readonly typicalShares: Readonly<Record<keyof typeof typicalShares, Calibrated<number>>>;
  readonly spreads: Readonly<Record<SpreadName, Calibrated<Spread>>>;
  readonly guesses: Readonly<Record<GuessName, Calibrated<Spread>>>;
}

/** The default calibration. */
export const calibration: Calibration = { scalars, typicalShares, spreads, guesses };
/** Uncertainty of an amount, as shares of it. */
export interface Spread {
  readonly below: number;
  readonly above: number;
}
