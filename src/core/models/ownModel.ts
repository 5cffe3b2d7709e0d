import type { OwnModel } from '../spec/runSpec';
import { modelFromConfigJson } from './fromConfig';
import type { ModelReading } from './fromConfig';
import { megatronModel } from './megatron';

/** Facts of a model that a config describes by its own keys, as its user's word; or a phrase that says what is missing. */
export function modelOfConfig(id: string, own: OwnModel): ModelReading {
  if (own.as === 'config.json') return modelFromConfigJson(id, JSON.stringify(own.config), 'user');
  const model = megatronModel(id, 'gpt', own.arguments, own.tensorRanks);
  return model
    ? { ok: true, model: { ...model, source: 'user' } }
    : { ok: false, why: 'the config leaves out one of the sizes' };
}
