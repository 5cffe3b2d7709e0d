import type { ModelFacts } from '../../models/model';
import { stated } from '../configValues';

/** Elements of a sequence's state in one layer, on one rank: the last inputs of a convolution, and a matrix per head. */
interface State {
  readonly convolution: number;
  readonly matrix: number;
}

type StateSize = (model: ModelFacts, ranks: number) => State;

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
  return { convolution: (channels * (kernel - 1)) / ranks, matrix: (inner * state) / ranks };
};

/** Gated delta nets (gated_delta_net_state_shape; defaults of configuration_qwen3_next.py). */
const gatedDelta: StateSize = (model, ranks) => {
  const keys = stated(model, 'linear_num_key_heads', 16) * stated(model, 'linear_key_head_dim', 128);
  const valueHeads = stated(model, 'linear_num_value_heads', 32);
  const valueSize = stated(model, 'linear_value_head_dim', 128);
  const kernel = stated(model, 'linear_conv_kernel_dim', 4);
  const matrix = valueHeads * valueSize * stated(model, 'linear_key_head_dim', 128);
  const channels = 2 * keys + valueHeads * valueSize;
  return { convolution: (channels * (kernel - 1)) / ranks, matrix: matrix / ranks };
};

/** LFM2's convolutions (short_conv_state_shape). */
const shortConvolution: StateSize = (model, ranks) => ({
  convolution: (model.hiddenSize * (stated(model, 'conv_L_cache', 3) - 1)) / ranks,
  matrix: 0,
});

const FAMILIES: readonly (readonly [modelType: RegExp, size: StateSize])[] = [
  [/^(?:granitemoehybrid|bamba|nemotron_h|zamba2|falcon_h1)$/, mamba2],
  [/^qwen3_(?:next|5)/, gatedDelta],
  [/^lfm2/, shortConvolution],
];

/**
 * Families whose matrices have a dtype of their own, with the key that states it (vllm, models/config.py: Qwen3_5For…Config,
 * NemotronHForCausalLMConfig): float32 in Qwen3.5's checkpoints, and where Nemotron-H's say nothing.
 */
const OWN_DTYPES: readonly (readonly [modelType: RegExp, key: string])[] = [
  [/^qwen3_5/, 'mamba_ssm_dtype'],
  [/^nemotron_h$/, 'mamba_ssm_cache_dtype'],
];

/** Whether the engine's way to keep the family's states is known. */
export const hasStates = ({ modelType }: ModelFacts): boolean =>
  FAMILIES.some(([type]) => type.test(modelType));

/** Bytes of a sequence's state in one layer, on one rank; null: the family has none, or its shape was not read. */
export function stateBytes(model: ModelFacts, ranks: number, elementBytes: number): number | null {
  const size = FAMILIES.find(([type]) => type.test(model.modelType))?.[1](model, ranks);
  if (!size) return null;
  const key = OWN_DTYPES.find(([type]) => type.test(model.modelType))?.[1];
  const dtype = key === undefined ? null : (model.extra[key] ?? 'float32');
  const matrixBytes = dtype === null ? elementBytes : dtype === 'float32' ? 4 : 2;
  return size.convolution * elementBytes + size.matrix * matrixBytes;
}
