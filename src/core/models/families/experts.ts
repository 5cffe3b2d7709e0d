import type { MlaFacts, MoeFacts } from '../model';
import type { ConfigValues } from './config';
import type { MoeKeys } from './family';

/** Mixture-of-experts facts from a family's keys. */
export function moe(values: ConfigValues, keys: MoeKeys): MoeFacts {
  const width = values.size(keys.width);
  const latentSize = keys.latent === undefined ? null : values.optionalSize(keys.latent);
  const shared = keys.sharedExperts ? values.count(keys.sharedExperts) * width : 0;
  return {
    layers: sparseLayers(values, keys.firstDense),
    intermediateSize: width,
    ...(latentSize !== null && { latentSize }),
    sharedIntermediateSize: keys.sharedWidth ? values.count(keys.sharedWidth) : shared,
    sharedGate: keys.sharedGate ?? false,
    routerBias: keys.routerBias ?? false,
    expertBias: keys.expertBias ?? false,
    scoreCorrection: keys.scoreCorrection ?? false,
    besideDense: false,
  };
}

/** Number of layers with experts: all but the first few, every n-th, those not listed as dense. */
function sparseLayers(values: ConfigValues, firstDense = 'first_k_dense_replace'): number {
  const listed = values.list('mlp_layer_types');
  if (listed.length > 0) return listed.filter(type => type === 'sparse').length;
  const dense = new Set(values.list('mlp_only_layers'));
  const first = values.count(firstDense);
  const step = values.optionalSize('decoder_sparse_step', 'moe_layer_freq') ?? 1;
  const layers = Array.from({ length: Math.min(values.size('num_hidden_layers'), 10_000) }, (_, at) => at);
  return layers.filter(at => at >= first && (at + 1) % step === 0 && !dense.has(at)).length;
}

/** Multi-head latent attention; DeepSeek-V2-Lite projects its queries directly. */
export function mla(values: ConfigValues): MlaFacts {
  return {
    qLoraRank: values.optionalSize('q_lora_rank') ?? 0,
    kvLoraRank: values.size('kv_lora_rank'),
    qkNopeHeadDim: values.size('qk_nope_head_dim'),
    qkRopeHeadDim: values.size('qk_rope_head_dim'),
    vHeadDim: values.size('v_head_dim'),
  };
}
