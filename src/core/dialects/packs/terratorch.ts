import type { Pack } from '../dialect';
import { loraSettings } from '../shared/peft';
import type { LoraKeys } from '../shared/peft';

const ADAPTER = 'model.init_args.model_args.peft_config';
const METHOD = `${ADAPTER}.method`;
const argument = (name: string): string[] => [`${ADAPTER}.peft_config_kwargs.${name}`];

const LORA: LoraKeys = {
  r: argument('r'),
  alpha: argument('lora_alpha'),
  dropout: argument('lora_dropout'),
  targets: argument('target_modules'),
  modulesToSave: argument('modules_to_save'),
  rslora: argument('use_rslora'),
  dora: argument('use_dora'),
  // peft LoraConfig
  defaults: { r: 8, alpha: 8, dropout: 0 },
};

const MODEL = 'model.class_path';
/** Prithvi WxC: a model of weather and climate. */
const WEATHER = 'WxCTask';

/** Backbones for images of the Earth: terrastackai/terratorch, which hands them to PEFT (models/peft_utils.py). */
export const terratorch: Pack = {
  id: 'terratorch',
  project: 'terrastackai/terratorch',
  extends: ['lightning-cli'],
  evidence: { modules: ['terratorch', WEATHER], keys: [ADAPTER] },
  quantities: {
    task: run =>
      run.word(MODEL) === WEATHER ? run.derived('forecasting', [MODEL], `${MODEL} is ${WEATHER}`) : null,
    method: run => {
      if (!run.has(METHOD)) return null;
      if (run.word(METHOD)?.toUpperCase() === 'LORA') return run.at(METHOD, 'lora');
      return run.unknown(`${METHOD} is no method that is known here.`);
    },
    lora: run => (run.get('method').value === 'lora' ? loraSettings(run, LORA, [METHOD]) : null),
  },
};
