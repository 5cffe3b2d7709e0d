import type { Quantity } from '../../spec/quantity';
import type { Dtype, OffloadSettings } from '../../spec/values';
import type { RunReader } from '../engine/runReader';

const ARGUMENTS = 'megatron/training/arguments.py';

/** The script's name says what is trained. */
export function task(run: RunReader): Quantity<string> {
  const isTuned = run.flag('sft') === true;
  return isTuned ? run.at('sft', 'sft') : run.byCode('pretrain', 'pretrain_gpt.py: the program');
}

/** params_dtype follows from --fp16 and --bf16; products of linear layers are in fp8 with --fp8-format. */
export function precision(run: RunReader): Quantity<string> {
  const eight = ['fp8_format', 'fp8'].find(key => run.has(key));
  if (eight !== undefined && run.word(eight) !== null) return run.at(eight, 'fp8');
  const half = ['bf16', 'fp16'].find(key => run.flag(key) === true);
  return half === undefined
    ? run.byDefault('fp32', `${ARGUMENTS}: params_dtype is torch.float`)
    : run.at(half, half);
}

export function precisionRaw(run: RunReader): Quantity<string> {
  const said = ['bf16', 'fp16', 'fp8_format'].filter(key => run.has(key));
  return said.length === 0
    ? run.unknown('No precision is given.')
    : run.at(said, said.map(key => (key === 'fp8_format' ? `fp8 ${run.word(key) ?? ''}` : key)).join(', '));
}

export function loadDtype(run: RunReader): Quantity<Dtype> {
  const half = ['bf16', 'fp16'].find(key => run.flag(key) === true);
  return half === undefined
    ? run.byDefault<Dtype>('fp32', `${ARGUMENTS}: params_dtype is torch.float`)
    : run.at<Dtype>(half, half === 'bf16' ? 'bf16' : 'fp16');
}

const GRANULARITY = 'recompute_granularity';

/** `--recompute-activations` is selective. */
export function checkpointing(run: RunReader): Quantity<boolean> {
  if (run.has(GRANULARITY)) return run.at(GRANULARITY, run.word(GRANULARITY) !== null);
  return run.flag('recompute_activations') === true
    ? run.at('recompute_activations', true)
    : run.byDefault(false, `${ARGUMENTS}: recompute_granularity is None`);
}

export function selective(run: RunReader): Quantity<'operations' | number> {
  if (run.has(GRANULARITY)) {
    return run.word(GRANULARITY) === 'selective'
      ? run.at(GRANULARITY, 'operations')
      : run.none('whole layers are computed again');
  }
  return run.flag('recompute_activations') === true
    ? run.at('recompute_activations', 'operations')
    : run.none('nothing is computed again');
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  if (run.flag('optimizer_cpu_offload') === true) {
    return run.at('optimizer_cpu_offload', { param: 'none', optimizer: 'cpu' });
  }
  return run.byDefault({ param: 'none', optimizer: 'none' }, `${ARGUMENTS}: optimizer_cpu_offload is off`);
}

const EACH = 'num_layers_per_virtual_pipeline_stage';
const CHUNKS = 'num_virtual_stages_per_pipeline_rank';

/** Layers of a virtual stage become virtual stages of a rank. */
export function pipelineChunks(run: RunReader): Quantity<number> {
  if (run.has(CHUNKS)) return run.at(CHUNKS, run.count(CHUNKS));
  if (!run.has(EACH)) return run.byDefault(1, `${ARGUMENTS}: no virtual stages`);
  const [each, layers] = [run.count(EACH), run.count('num_layers')];
  const stages = run.get('parallel').value?.pipeline ?? 1;
  const chunks = each === null || layers === null ? Number.NaN : layers / stages / each;
  return Number.isInteger(chunks)
    ? run.at(EACH, chunks)
    : run.unknown(`${EACH} does not divide the layers of a stage.`);
}
