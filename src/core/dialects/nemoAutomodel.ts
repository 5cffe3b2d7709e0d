import { isRecord } from '../text/json';
import type { Quantity } from '../spec/quantity';
import type { LoraSettings } from '../spec/values';
import { number } from './engine/readers';
import type { RunReader } from './engine/runReader';
import type { OwnModel } from '../models/ownModel';
import { builtIn } from './defined/compile';
import file from './nemoAutomodel.yaml';
import type { Dialect } from './dialect';

/** components/_peft/lora.py L45-59. */
function lora(run: RunReader): Quantity<LoraSettings> {
  if (!run.has('peft')) return run.none('recipes/llm/train_ft.py: no peft section');
  const named = run.words('peft.target_modules') ?? [];
  const all = run.flag('peft.match_all_linear') === true || named.length === 0;
  return run.at(['peft.dim', 'peft'], {
    r: run.has('peft.dim') ? run.count('peft.dim') : 8,
    alpha: run.read('peft.alpha', number) ?? 32,
    dropout: run.read('peft.dropout', number) ?? 0,
    targets: all ? 'all-linear' : named.flatMap(name => (name === '*_proj' ? PROJECTIONS : [lastOf(name)])),
    modulesToSave: [],
    rslora: false,
    dora: run.flag('peft.use_dora') ?? false,
  });
}

const lastOf = (name: string): string => name.split('.').at(-1) ?? name;

const PROJECTIONS = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];

/** `transformers.models.qwen3_moe.configuration_qwen3_moe.Qwen3MoeConfig`: the folder is the model's type. */
const CONFIG_CLASS = /^transformers\.models\.(\w+)\.configuration_\w+\.\w+Config$/;

/** A config class of transformers that is called with the sizes of the model. */
function configuredModel(run: RunReader): OwnModel | null {
  const [, modelType] = CONFIG_CLASS.exec(run.word('model.config._target_') ?? '') ?? [];
  const stated = run.value('model.config');
  if (modelType === undefined || !run.has('model.config.num_hidden_layers') || !isRecord(stated)) return null;
  return { as: 'config.json', config: { ...stated, model_type: modelType } };
}

/** components/models/gpt2.py, build_gpt2_model: sizes with their defaults. */
function automodelOwnModel(run: RunReader): OwnModel | null {
  const configured = configuredModel(run);
  if (configured !== null) return configured;
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

/** NeMo Automodel; sources are files of NVIDIA-NeMo/Automodel 36044ad (0.5.0). */
export const nemoAutomodel: Dialect = builtIn(file, { quantities: { lora }, ownModel: automodelOwnModel });
