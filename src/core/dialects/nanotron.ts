import type { Quantity } from '../spec/quantity';
import type { OwnModel } from '../models/ownModel';
import type { RunReader } from './engine/runReader';
import { builtIn } from './defined/compile';
import file from './nanotron.yaml';
import type { Dialect } from './dialect';

const SECTION = 'model.model_config';

/** `is_llama_config`, `is_qwen2_config`: the marker names the class (config/models_config.py). */
function marker(run: RunReader): string | null {
  const section = run.value(SECTION);
  if (typeof section !== 'object' || section === null || Array.isArray(section)) return null;
  const key = Object.keys(section).find(name => /^is_\w+_config$/.test(name));
  return key?.replace(/^is_|_config$/g, '') ?? null;
}

function model(run: RunReader): Quantity<string> {
  const name = marker(run);
  return name === null
    ? run.unknown('model_config has no marker of a class (is_llama_config).')
    : run.derived(name, [`${SECTION}.is_${name}_config`], `is_${name}_config`);
}

/** model_config uses the keys of config.json; llama and qwen2 are the transformers models of that name. */
function nanotronModel(run: RunReader): OwnModel | null {
  const name = marker(run);
  if (name !== 'llama' && name !== 'qwen2') return null;
  const section = run.value(SECTION) as Readonly<Record<string, unknown>>;
  return { as: 'config.json', config: { ...section, model_type: name } };
}

/** nanotron; sources are files of huggingface/nanotron 2411b02. */
export const nanotron: Dialect = builtIn(file, { quantities: { model }, ownModel: nanotronModel });
