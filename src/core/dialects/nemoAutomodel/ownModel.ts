import type { OwnModel } from '../../models/ownModel';
import type { RunReader } from '../engine/runReader';

/** components/models/gpt2.py, build_gpt2_model: sizes with their defaults. */
export function automodelOwnModel(run: RunReader): OwnModel | null {
  if (run.word('model._target_')?.endsWith('.build_gpt2_model') !== true) return null;
  const size = (key: string, otherwise: number): number =>
    run.has(`model.${key}`) ? (run.count(`model.${key}`) ?? otherwise) : otherwise;
  return {
    as: 'config.json',
    config: {
      model_type: 'gpt2',
      vocab_size: size('vocab_size', 50257),
      n_positions: size('n_positions', 2048),
      n_embd: size('n_embd', 768),
      n_layer: size('n_layer', 12),
      n_head: size('n_head', 12),
    },
  };
}
