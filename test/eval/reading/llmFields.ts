import type { RunSpec } from '../../../src/core/spec/runSpec';
import type {
  FsdpSettings,
  OffloadSettings,
  ParallelSettings,
  Quantization,
} from '../../../src/core/spec/values';
import { basename } from '../../../src/core/text/paths';
import { gotOf } from './fields';
import type { Got } from './fields';

/** Fields of a record of expected-llm.jsonl that describe the run (its semantics: expected-llm.md). */
export const llmFields = [
  'model',
  'task',
  'method',
  'micro_batch_size',
  'grad_accum',
  'global_batch_size',
  'effective_batch_per_device',
  'seq_len',
  'packing',
  'precision',
  'precision_raw',
  'load_dtype',
  'quantization',
  'optimizer',
  'gradient_checkpointing',
  'lora_r',
  'lora_alpha',
  'zero_stage',
  'fsdp',
  'offload',
  'ds_config_ref',
  'gpus',
  'nodes',
  'parallel',
] as const;

/** The answers for a run, in the words of the expected file. */
export function llmAnswers(run: RunSpec): Record<(typeof llmFields)[number], Got> {
  const q = run.quantities;
  const micro = q.microBatchSize.value;
  const steps = q.gradAccum.value;
  return {
    model: gotOf(q.model),
    task: gotOf(q.task),
    method: gotOf(q.method),
    micro_batch_size: gotOf(q.microBatchSize),
    grad_accum: gotOf(q.gradAccum),
    global_batch_size: gotOf(q.globalBatchSize),
    effective_batch_per_device: {
      value: micro === null || steps === null ? null : micro * steps,
      origin: null,
    },
    seq_len: gotOf(q.seqLen),
    packing: gotOf(q.packing),
    // The file states the compute precision alone; load_dtype says whether weights are kept in fp32.
    precision: gotOf(q.precision, q.precision.value?.replace(/-mixed$/, '') ?? null),
    precision_raw: gotOf(q.precisionRaw),
    load_dtype: gotOf(q.loadDtype),
    quantization: gotOf(q.quantization, quantization(q.quantization.value)),
    optimizer: gotOf(q.optimizer),
    gradient_checkpointing: gotOf(q.gradientCheckpointing),
    lora_r: gotOf(q.lora, q.lora.value?.r ?? null),
    lora_alpha: gotOf(q.lora, q.lora.value?.alpha ?? null),
    zero_stage: gotOf(q.zeroStage),
    fsdp: gotOf(q.fsdp, fsdp(q.fsdp.value)),
    offload: gotOf(q.offload, offload(q.offload.value)),
    ds_config_ref: { value: deepspeedFile(run), origin: null },
    gpus: gotOf(q.gpus),
    nodes: gotOf(q.nodes),
    parallel: gotOf(q.parallel, parallel(q.parallel.value, q.gpus.value)),
  };
}

const quantization = (value: Quantization | null) =>
  value && {
    bits: value.bits,
    method: value.method,
    type: value.type,
    double_quant: value.doubleQuant,
    compute_dtype: value.computeDtype,
    storage_dtype: value.storageDtype,
  };

const fsdp = (value: FsdpSettings | null) =>
  value && {
    version: value.version,
    strategy: value.strategy,
    offload_params: value.offloadParams,
    activation_checkpointing: value.activationCheckpointing,
    reshard_after_forward: value.version === 2 ? value.strategy !== 'SHARD_GRAD_OP' : null,
  };

const offload = (value: OffloadSettings | null) =>
  value && { param: value.param, optimizer: value.optimizer, activations: value.activations ?? 'none' };

const parallel = (value: ParallelSettings | null, gpus: number | null) =>
  value && {
    tp: value.tensor,
    pp: value.pipeline,
    cp: value.context,
    ep: value.expert,
    dp_shard: value.dataShard,
    dp_replicate: value.dataReplicate,
    dp: gpus === null ? null : gpus / (value.tensor * value.context * value.pipeline),
  };

/** Name of the DeepSpeed file that the run uses, found next to the config or shipped with the framework. */
function deepspeedFile(run: RunSpec): string | null {
  const source = run.sources.find(
    ({ dialect, via }) =>
      dialect === 'deepspeed' && (via.kind === 'preset' || (via.kind === 'reference' && !via.inline)),
  );
  return source ? basename(source.path) : null;
}
