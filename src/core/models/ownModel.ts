import { impossibleSize } from './bounds';
import { modelFromConfigJson } from './fromConfig';
import type { ModelReading } from './fromConfig';
import { megatronModel } from './megatron';
import type { MegatronFamily } from './megatron';

/**
 * Facts of a model that a config describes with its own keys, with the user as source; or a phrase about what is
 * missing.
 */
export function modelOfConfig(id: string, own: OwnModel): ModelReading {
  if (own.as === 'config.json') return modelFromConfigJson(id, JSON.stringify(own.config), 'user');
  const beyond = impossibleSize(own.arguments);
  if (beyond !== null) return { ok: false, why: beyond };
  const model = megatronModel(id, own.family, own.arguments, own.tensorRanks);
  return model
    ? { ok: true, model: { ...model, source: 'user' } }
    : { ok: false, why: 'the config leaves out one of the sizes' };
}

/** A model in the keys of a Hugging Face `config.json`, or in Megatron-LM's arguments without their dashes. */
export type OwnModel =
  | {
      readonly as: 'config.json';
      readonly config: Readonly<Record<string, unknown>>;
      /** Training starts with random weights, whatever the task. */
      readonly fromScratch?: boolean;
    }
  | {
      readonly as: 'megatron';
      readonly family: MegatronFamily;
      readonly arguments: Readonly<Record<string, string>>;
      readonly tensorRanks: number;
    };
