import type { ModelFacts } from '../../models/model';
import { stated } from '../configValues';

/** Elements of a sequence's state in one layer that mixes tokens by a recurrence or a short convolution, on one rank. */
type StateSize = (model: ModelFacts, ranks: number) => number;

const first = (model: ModelFacts, names: readonly string[], otherwise: number): number =>
  names.reduceRight((found, name) => stated(model, name, found), otherwise);

/**
 * Mamba 2: the last inputs of a convolution over its channels, and a matrix per head (vllm 0.13, layers/mamba/
 * mamba_utils.py, mamba2_state_shape). Without sizes in the config: those of transformers' config classes.
 */
const mamba2: StateSize = (model, ranks) => {
  const inner =
    first(model, ['mamba_n_heads', 'mamba_num_heads'], 0) *
      first(model, ['mamba_d_head', 'mamba_head_dim'], 0) ||
    first(model, ['mamba_expand', 'expand'], 2) * model.hiddenSize;
  const state = first(model, ['mamba_d_state', 'ssm_state_size'], 128);
  const groups = first(model, ['mamba_n_groups', 'n_groups'], 1);
  const kernel = first(model, ['mamba_d_conv', 'conv_kernel'], 4);
  // Groups are copied until each rank has one.
  const channels = inner + 2 * Math.max(groups, ranks > 1 && groups % ranks !== 0 ? ranks : groups) * state;
  return (channels * (kernel - 1) + inner * state) / ranks;
};

/** Gated delta nets (gated_delta_net_state_shape; defaults of configuration_qwen3_next.py). */
const gatedDelta: StateSize = (model, ranks) => {
  const keys = stated(model, 'linear_num_key_heads', 16) * stated(model, 'linear_key_head_dim', 128);
  const valueHeads = stated(model, 'linear_num_value_heads', 32);
  const valueSize = stated(model, 'linear_value_head_dim', 128);
  const kernel = stated(model, 'linear_conv_kernel_dim', 4);
  const matrix = valueHeads * valueSize * stated(model, 'linear_key_head_dim', 128);
  return ((2 * keys + valueHeads * valueSize) * (kernel - 1) + matrix) / ranks;
};

/** LFM2's convolutions (short_conv_state_shape). */
const shortConvolution: StateSize = (model, ranks) =>
  (model.hiddenSize * (stated(model, 'conv_L_cache', 3) - 1)) / ranks;

const FAMILIES: readonly (readonly [modelType: RegExp, size: StateSize])[] = [
  [/^(?:granitemoehybrid|bamba|nemotron_h|zamba2|falcon_h1)$/, mamba2],
  [/^qwen3_(?:next|5)/, gatedDelta],
  [/^lfm2/, shortConvolution],
];

/** The size of a family's states; null: it has none, or its shape was not read. */
export const stateSizeOf = ({ modelType }: ModelFacts): StateSize | null =>
  FAMILIES.find(([type]) => type.test(modelType))?.[1] ?? null;
