import { join } from '../text/paths';
import { isRecord, parsedJson } from '../text/json';
import type { LoggedConfig, LogFiles } from './logs';
import { asConfig, configText } from './huggingFaceConfig';

/** Files in which trainers write down the config of a run, the most complete first. */
const CONFIGS: readonly string[] = [
  // ms-swift, arguments/base_args: everything as resolved.
  'args.json',
  // LLaMA-Factory, hparams/parser.py and the web interface.
  'training_args.yaml',
  'llamaboard_config.yaml',
  // TRL's and people's own scripts.
  'training_args.json',
  'train_config.yaml',
  'train_config.json',
  'config.yaml',
  'config.yml',
  // Lightning's CLI and loggers.
  'hparams.yaml',
  '.hydra/config.yaml',
];

/** The configs that stand next to a log. */
export async function configsIn(folder: string, files: LogFiles): Promise<readonly LoggedConfig[]> {
  const found: LoggedConfig[] = [];
  for (const name of CONFIGS) {
    const path = join(folder, name);
    const text = await files.text(path);
    if (text !== null && text.trim() !== '') found.push({ path, text: plainText(name, text) });
  }
  return found;
}

/** transformers' own dump has the model's name elsewhere. */
function plainText(name: string, text: string): string {
  if (name !== 'training_args.json') return text;
  const value = parsedJson(text);
  return isRecord(value) ? configText(asConfig(value)) : text;
}
