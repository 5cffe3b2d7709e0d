import { modelFromConfigJson } from '../../../src/core/models/fromConfig';
import type { ModelFacts } from '../../../src/core/models/model';
import type { PublishedRecord } from './publishedRecord';
import type { Measured } from './record';
import type { StatedQuantities } from './stated';

/** A record of a loss function alone. */
export const isLossKernel = ({ task }: Pick<PublishedRecord, 'task'>): boolean =>
  task.startsWith('loss-kernel');

/** The sizes in a record of a loss function: `V=4096; …`, `BT=8192; {"H": 4096, "V": 128256 …}`. */
export function lossKernelIn(record: PublishedRecord): ModelFacts | null {
  if (!isLossKernel(record)) return null;
  const words = record.seq_layout ?? '';
  const size = (name: string): number => Number(new RegExp(`\\b${name}"?[=:] ?(\\d+)`).exec(words)?.[1] ?? 1);
  const config = {
    model_type: 'llama',
    hidden_size: size('H') || 1,
    vocab_size: size('V'),
    num_hidden_layers: 1,
  };
  const reading = modelFromConfigJson(
    record.model,
    JSON.stringify({ ...config, num_attention_heads: 1 }),
    'user',
  );
  if (!reading.ok) return null;
  const extra = { with_head: record.model.includes('linear') };
  return { ...reading.model, modelType: 'loss_alone', extra };
}

/**
 * All tokens form one row if the record has no batch. Benchmarks repeat forward and backward without clearing
 * gradients (benchmark/scripts/utils.py, _test_memory): a second pass adds to them. Liger's cross entropy turns the
 * logits into their own gradient.
 */
export function repeatedPasses(record: PublishedRecord): StatedQuantities {
  if (!isLossKernel(record)) return {};
  const inPlace = record.model === 'cross_entropy' && record.framework.startsWith('Liger');
  return { microBatchSize: record.micro_batch_size ?? 1, gradAccum: inPlace ? 1 : 2 };
}

/** Liger's default kernels. */
export const LIGER_KERNELS = ['liger_glu', 'liger_rms_norm', 'liger_rope'];

/** fms-acceleration's kernels (configs/fast_*.yaml): loss, RMSNorm and RoPE; for 4-bit bases also LoRA. */
export function fusedKernels(config: string): readonly string[] {
  const all = ['unsloth_rms_norm', 'unsloth_rope'];
  return config.includes('accelerated-peft') ? [...all, 'unsloth_lora'] : all;
}

/**
 * fms-acceleration ships auto_gptq's triton layers, which no user config requests; transformers selects those that
 * unpack with torch operations.
 */
export const pluginBehavior = ({ extra }: PublishedRecord): Pick<Measured, 'behavior'> =>
  extra?.['framework_config'] === undefined ? {} : { behavior: { unpacksGptqInTorch: false } };
