import type { Quantity } from '../../spec/quantity';
import type { TrainedParts } from '../../spec/trainedParts';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { listOf } from './rules';

/** hparams/finetuning_args.py, FreezeArguments. */
const LAYERS = 2;

/** model/adapter.py, _setup_freeze_tuning. */
export function trainedParts(run: RunReader): Quantity<TrainedParts> {
  if (run.get('method').value !== 'freeze') return run.none('finetuning_type freezes no parts of the base');
  const modules = listOf(run, 'freeze_trainable_modules') ?? ['all'];
  const stated = run.read('freeze_trainable_layers', number);
  const parts: TrainedParts = {
    by: 'layer',
    layers: stated ?? LAYERS,
    apart: run.flag('use_llama_pro') ?? false,
    modules: modules.includes('all') ? null : modules,
    beside: listOf(run, 'freeze_extra_modules') ?? [],
  };
  return stated === null
    ? run.byDefault(parts, 'hparams/finetuning_args.py: freeze_trainable_layers is 2')
    : run.at('freeze_trainable_layers', parts);
}
