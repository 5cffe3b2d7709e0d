import { megatronModel } from '../../../src/core/models/megatron';
import type { MegatronArguments, MegatronFamily } from '../../../src/core/models/megatron';
import type { ModelFacts } from '../../../src/core/models/model';
import type { PublishedRecord } from './publishedRecord';
import type { StatedDetails, StatedQuantities } from './stated';

/** The arguments of a Megatron-LM run that a record quotes. */
function argumentsOf({ extra }: PublishedRecord): MegatronArguments | null {
  const args = extra?.['args'];
  return typeof args === 'object' && args !== null ? (args as MegatronArguments) : null;
}

const FAMILY: readonly (readonly [RegExp, MegatronFamily])[] = [
  [/^(?:gpt|moe|mixtral|nemotron):/, 'gpt'],
  [/^bert:/, 'bert'],
  [/^t5:/, 't5'],
];

/** The model for these arguments; null if the record quotes none, or another model. */
export function quotedModel(record: PublishedRecord): ModelFacts | null {
  const args = argumentsOf(record);
  const family = FAMILY.find(([pattern]) => pattern.test(record.model))?.[1];
  if (args === null || family === undefined) return null;
  const ranks = record.parallelism?.['tp'];
  return megatronModel(record.model, family, args, typeof ranks === 'number' ? ranks : 1);
}

/** Their other statements: rows per step, and of a T5's targets; how tokens and layers are shared. */
export function quotedQuantities(record: PublishedRecord): StatedQuantities {
  const args = argumentsOf(record);
  if (args === null) return {};
  const rows = args['global-batch-size'];
  const tasks: Readonly<Record<string, string>> = { bert: 'mlm', t5: 'seq2seq' };
  const task = tasks[record.model.split(':')[0] ?? ''];
  return {
    ...(rows !== undefined && { globalBatchSize: Number(rows) }),
    ...(task !== undefined && { task }),
    ...(args['fp8-format'] !== undefined && { precision: 'fp8' }),
    ...(args['transformer-impl'] === 'local' && { attention: 'eager' }),
    ...(args['cross-entropy-loss-fusion'] !== undefined && {
      loss: args['cross-entropy-fusion-impl'] === 'te' ? 'te_cross_entropy' : 'native_cross_entropy',
    }),
    ...(args['recompute-granularity'] !== undefined && { gradientCheckpointing: true }),
  };
}

export function quotedDetails(record: PublishedRecord): StatedDetails {
  const args = argumentsOf(record);
  if (args === null) return {};
  const targets = args['decoder-seq-length'];
  return {
    sequenceParallel: args['sequence-parallel'] === 'true',
    ...(targets !== undefined && { targetTokens: Number(targets) }),
    ...chunksOf(record, args),
  };
}

/** Converts layers per virtual stage to virtual stages per rank. */
function chunksOf({ parallelism }: PublishedRecord, args: MegatronArguments): StatedDetails {
  const [each, layers, ranks] = [
    args['num-layers-per-virtual-pipeline-stage'],
    args['num-layers'],
    parallelism?.['pp'],
  ];
  if (each === undefined || layers === undefined || typeof ranks !== 'number') return {};
  return { pipelineChunks: Number(layers) / ranks / Number(each) };
}
