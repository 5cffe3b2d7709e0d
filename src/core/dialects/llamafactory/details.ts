import type { Quantity } from '../../spec/quantity';
import type { Dtype } from '../../spec/values';
import type { DetailTable } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { mergesOnExport, resumesBy } from '../shared/checkpoints';
import { evaluatesByStrategy } from '../shared/evaluation';
import { zeroBuffersOf } from '../shared/sharding';
import { sequencesPerSample } from '../shared/tasks';
import { computeDtype, isMegatron } from './rules';
import { engineDetails } from './engine';
import { frozenParts, picturePixels } from './pictures';
import { trainedParts } from './trainedParts';
import { written } from './written';

export const llamafactoryDetails: DetailTable = {
  paddedRows,
  kbitPrepare: run =>
    run.flag('upcast_layernorm')
      ? run.at('upcast_layernorm', 'norms')
      : run.byDefault('none', 'model/model_utils/checkpointing.py: upcast_layernorm is false'),
  adapterDtype,
  trainedDtype,
  checkpointDtype: run => {
    const kept = computeDtype(run) === null;
    return run.derived(kept, ['loadDtype'], kept ? 'neither bf16 nor fp16 is on' : 'the dtype is set');
  },
  autocast: run => {
    const key = ['bf16', 'fp16'].find(name => run.flag(name));
    return key === undefined
      ? run.byDefault(false, 'transformers training_args.py: bf16 and fp16 are false')
      : run.at(key, true);
  },
  reentrantCheckpointing: run => {
    const stated = run.flag('use_reentrant_gc');
    if (stated !== null) return run.at('use_reentrant_gc', stated);
    const shards = run.get('fsdp').value?.version === 2;
    return run.byDefault(!shards, 'model/model_utils/checkpointing.py L176-181: not under FSDP2');
  },
  sequencesPerSample,
  referenceModel,
  // Reward models are language models with a head on top: logits are still computed (train/rm/trainer.py).
  head: run =>
    run.byCode('causal-lm', 'model/loader.py: AutoModelForCausalLM, with a value head for rewards'),
  kernels: run =>
    run.flag('enable_liger_kernel')
      ? run.at('enable_liger_kernel', ['liger_glu', 'liger_rms_norm', 'liger_rope'])
      : run.byDefault([], 'hparams/model_args.py: enable_liger_kernel is false'),
  zeroBuffers: zeroBuffersOf(['deepspeed', 'accelerate_config']),
  evaluates: evaluatesByStrategy,
  resumes: resumesBy('resume_from_checkpoint'),
  merges: mergesOnExport,
  trainedParts,
  frozenParts,
  picturePixels,
  ...written,
  ...engineDetails,
};

function paddedRows(run: RunReader): Quantity<boolean> {
  if (run.get('packing').value === true) {
    const masked = run.flag('neat_packing') === true && run.get('attention').value === 'sdpa';
    return run.derived(
      masked,
      ['packing', 'attention'],
      masked ? 'a mask keeps samples apart' : 'rows are full',
    );
  }
  const micro = run.get('microBatchSize').value;
  const each = run.detail('sequencesPerSample').value;
  if (micro === null || each === null) return run.unknown('The number of rows is not known.');
  const padded = micro * each > 1;
  const why = padded ? 'rows are padded to the longest' : 'one row needs no padding';
  return run.derived(padded, ['microBatchSize', 'sequencesPerSample'], why);
}

const WHY = 'model/adapter.py, init_adapter: trained parameters are cast to float32';

function adapterDtype(run: RunReader): Quantity<Dtype> {
  if (run.get('lora').value === null) return run.none('no adapter is trained');
  return run.flag('pure_bf16') ? run.at<Dtype>('pure_bf16', 'bf16') : run.byDefault('fp32', WHY);
}

/**
 * DeepSpeed converts the whole model back to 16 bits and keeps a separate fp32 copy: the cast only remains without
 * it.
 */
function trainedDtype(run: RunReader): Quantity<Dtype> {
  const method = run.get('method').value;
  if (method !== 'full' && method !== 'freeze') return run.none('the base is not trained');
  if (isMegatron(run)) return run.none('Megatron loads the model itself');
  if (run.get('zeroStage').value !== null) return run.none('DeepSpeed holds the fp32 copy');
  if (run.flag('pure_bf16') || run.flag('use_badam')) return run.none('trained in half precision');
  // FSDP keeps fp32 shards and 16-bit copies of gathered parameters.
  return run.byDefault('fp32', WHY);
}

/** train/trainer_utils.py L116-148: adapters are disabled instead of loading a second model. */
function referenceModel(run: RunReader): Quantity<boolean> {
  const task = run.get('task').value;
  if (task !== 'dpo' && task !== 'kto' && task !== 'ppo') {
    return run.derived(false, ['task'], 'this task has no reference model');
  }
  if (run.has('ref_model')) return run.at('ref_model', true);
  const adapter = run.get('lora').value !== null;
  return run.derived(
    !adapter,
    ['task', 'method'],
    adapter ? 'the base without its adapter' : 'a frozen copy',
  );
}
