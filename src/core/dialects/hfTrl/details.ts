import type { Quantity } from '../../spec/quantity';
import type { DetailValues, Dtype } from '../../spec/values';
import type { DetailTable } from '../dialect';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { adapterSwitch, DTYPE_KEYS, PLUGINS } from './rules';
import { resumesBy } from '../shared/checkpoints';
import { deviceMapAt } from '../shared/deviceMap';
import { evaluatesByStrategy } from '../shared/evaluation';
import { others } from './others';
import { writing } from './writing';
import { checkpointDtype } from '../shared/loading';
import { zeroBuffersOf } from '../shared/sharding';
import { head, sequencesPerSample } from '../shared/tasks';
import { autocastByFlags, ligerKernels, reentrantCheckpointing } from '../shared/trainingArguments';

export const hfTrlDetails: DetailTable = {
  paddedRows,
  kbitPrepare,
  adapterDtype,
  checkpointDtype: checkpointDtype(DTYPE_KEYS),
  autocast: autocastByFlags,
  reentrantCheckpointing: run =>
    run.has('gradient_checkpointing_kwargs.use_reentrant') || !run.atLeast('0.28.0')
      ? reentrantCheckpointing(run)
      : run.byDefault(false, 'trl sft_trainer.py: use_reentrant is set to false'),
  sequencesPerSample,
  referenceModel,
  ...writing,
  ...others,
  head,
  kernels: run => {
    const plugged = run.part(PLUGINS)?.detail('kernels');
    return plugged?.value ? plugged : ligerKernels(run);
  },
  zeroBuffers: zeroBuffersOf(['deepspeed', 'accelerate_config']),
  evaluates: evaluatesByStrategy,
  trainedParts: run =>
    run.part('spectrum_config_path')?.detail('trainedParts') ??
    run.none('model_config.py: nothing of the base is frozen'),
  resumes: resumesBy('resume_from_checkpoint'),
  deviceMap: deviceMapAt('model_init_kwargs.', ''),
};

/** Tasks that need a frozen copy if there is no adapter to disable instead. */
const REFERENCED = new Set(['dpo', 'ipo', 'kto', 'online_dpo', 'ppo']);

function paddedRows(run: RunReader): Quantity<boolean> {
  const plugged = run.part(PLUGINS)?.detail('paddedRows');
  if (plugged && plugged.value !== null) return plugged;
  if (run.get('packing').value === true) return run.derived(false, ['packing'], 'packed rows are full');
  if (run.flag('padding_free')) return run.at('padding_free', false);
  const micro = run.get('microBatchSize').value;
  const each = run.detail('sequencesPerSample').value;
  if (micro === null || each === null) return run.unknown('The number of rows is not known.');
  // Completions differ in length, and prompts are padded on the left.
  const padded = micro * each > 1 || run.get('task').value === 'grpo';
  const why = padded ? 'rows are padded to the longest' : 'one row needs no padding';
  return run.derived(padded, ['microBatchSize', 'sequencesPerSample'], why);
}

/** Trainers stopped preparing quantized models in 0.26, DPO in 0.29 (from trl's release tags). */
function prepares(run: RunReader): boolean {
  return !run.atLeast(run.get('task').value === 'dpo' ? '0.29.0' : '0.26.0');
}

function kbitPrepare(run: RunReader): Quantity<DetailValues['kbitPrepare']> {
  if (run.get('quantization').value === null) return run.none('the base is not quantised');
  const plugged = run.part(PLUGINS)?.detail('kbitPrepare');
  if (plugged && plugged.value !== null) return plugged;
  if (!prepares(run)) {
    return run.byDefault('none', 'trl: quantised models are not prepared since 0.26 (DPO 0.29)');
  }
  const bf16 = run.get('precision').value === 'bf16' && run.get('quantization').value?.bits === 4;
  return bf16
    ? run.byDefault('norms', 'trl utils.py peft_module_casting_to_bf16')
    : run.byDefault('all', 'peft prepare_model_for_kbit_training');
}

/**
 * PEFT keeps adapters on a 16-bit base in fp32; since trainers stopped preparing, adapters on a quantized base are
 * bf16.
 */
function adapterDtype(run: RunReader): Quantity<Dtype> {
  if (run.get('lora').value === null) return run.none('no adapter is trained');
  const quantized = run.get('quantization').value !== null;
  return quantized && !prepares(run)
    ? run.byDefault('bf16', 'trl sft_trainer.py L1130: adapters of quantised models are cast')
    : run.byDefault('fp32', 'peft: autocast_adapter_dtype is true');
}

function referenceModel(run: RunReader): Quantity<boolean> {
  const task = run.get('task').value;
  if (task === null) return run.unknown('The task is not known.');
  const beta = run.read('beta', number) ?? (run.atLeast('0.19.0') ? 0 : 0.04);
  const needed = task === 'grpo' ? beta > 0 : REFERENCED.has(task);
  if (!needed) return run.derived(false, ['task'], 'this task has no reference model');
  const adapters = adapterSwitch(run);
  if (adapters !== null) return run.at(adapters, false, 'the base without its adapter serves');
  if (run.flag('precompute_ref_log_probs')) return run.at('precompute_ref_log_probs', false);
  return run.derived(true, ['task', 'method'], 'a frozen copy');
}
