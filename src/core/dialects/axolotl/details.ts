import type { Quantity } from '../../spec/quantity';
import type { Dtype } from '../../spec/values';
import { kernels } from './kernels';
import { autocast, dtype } from './rules';
import { trainedParts } from './trainedParts';
import type { DetailTable } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { resumesBy } from '../shared/checkpoints';
import { axolotlDeviceMap } from '../shared/deviceMap';
import { evaluatesWithData } from '../shared/evaluation';
import { zeroBuffersOf } from '../shared/sharding';
import { head, sequencesPerSample } from '../shared/tasks';

/**
 * Attention that accepts an fp32 residual stream; other kernels require cast embeddings and norms (schemas/enums.py
 * L159).
 */
const TAKES_FP32 = new Set(['sdpa', 'eager']);

/** Tasks that load a frozen copy if there is no adapter to disable instead (train.py L138-152). */
const REFERENCED = new Set(['dpo', 'ipo', 'kto', 'simpo', 'gdpo']);

export const axolotlDetails: DetailTable = {
  paddedRows,
  fixedLength,
  kbitPrepare: run =>
    run.byDefault('none', 'loaders/model.py L455-472: norms, embeddings and head are cast back for adapters'),
  adapterDtype,
  autocast,
  fp32Embeddings,
  reentrantCheckpointing,
  sequencesPerSample,
  referenceModel,
  head,
  kernels,
  zeroBuffers: zeroBuffersOf(['deepspeed']),
  evaluates: evaluatesWithData,
  trainedParts,
  resumes: resumesBy('resume_from_checkpoint'),
  deviceMap: axolotlDeviceMap,
};

function paddedRows(run: RunReader): Quantity<boolean> {
  const attention = run.get('attention').value ?? 'sdpa';
  if (run.get('packing').value !== true) {
    return run.derived(
      true,
      ['packing'],
      'rows are padded to the longest, in steps of 64, or to sequence_len',
    );
  }
  const masked = TAKES_FP32.has(attention);
  const why = masked
    ? `${attention} keeps packed samples apart by a mask`
    : `${attention} needs no mask for packed samples`;
  return run.derived(masked, ['packing', 'attention'], why);
}

/**
 * schemas/validation.py L228-241: packing turns it on by default; otherwise rows end with the longest of their
 * batch.
 */
function fixedLength(run: RunReader): Quantity<boolean> {
  const stated = run.flag('pad_to_sequence_len');
  if (stated !== null) return run.at('pad_to_sequence_len', stated);
  return run.get('packing').value === true
    ? run.derived(true, ['packing'], 'sample_packing turns pad_to_sequence_len on')
    : run.byDefault(false, 'core/builders/causal.py L387-392: batches are padded to their longest row');
}

/** PEFT keeps adapters on a 16-bit base in fp32 unless configured otherwise. */
function adapterDtype(run: RunReader): Quantity<Dtype> {
  if (run.flag('peft_autocast_adapter_dtype') === false) {
    return run.at('peft_autocast_adapter_dtype', dtype(run));
  }
  return run.byDefault('fp32', 'peft: autocast_adapter_dtype is true');
}

/** Full fine-tuning keeps norms, embeddings and head in fp32 unless a kernel requires 16 bits. */
function fp32Embeddings(run: RunReader): Quantity<boolean> {
  const whole = run.get('method').value === 'full' || run.get('method').value === 'freeze';
  const kept =
    whole &&
    run.get('loadDtype').value !== 'fp32' &&
    run.get('fsdp').value === null &&
    TAKES_FP32.has(run.get('attention').value ?? 'sdpa') &&
    run.get('loss').value !== 'cut_cross_entropy';
  return run.derived(kept, ['method', 'attention', 'fsdp', 'loss'], 'loaders/model.py L426-472');
}

/** config/__init__ L377: reentrant for plain fine-tuning without further settings, non-reentrant otherwise. */
function reentrantCheckpointing(run: RunReader): Quantity<boolean> {
  const key = 'gradient_checkpointing_kwargs.use_reentrant';
  const stated = run.flag(key);
  if (stated !== null) return run.at(key, stated);
  const plain =
    !run.has('rl') && !run.has('unfrozen_parameters') && !run.has('gradient_checkpointing_kwargs');
  return run.byDefault(plain, 'utils/config/__init__.py L377-383');
}

function referenceModel(run: RunReader): Quantity<boolean> {
  const task = run.get('task').value;
  const needed = task !== null && REFERENCED.has(task);
  if (!needed) return run.derived(false, ['task'], 'this task has no reference model');
  const adapter = run.has('adapter') && !run.flag('rl_adapter_ref_model');
  return run.derived(
    !adapter,
    ['task', 'method'],
    adapter ? 'the base without its adapter serves' : 'a frozen copy',
  );
}
