import type { Quantity } from '../../spec/quantity';
import { formatPath } from '../../yaml/path';
import { flagsOf } from './flags';
import type { Job } from './job';
import type { EnvironmentEntry } from './job';
import type { Command } from './word';
import { wordOf } from './tree';

/** Flags of people's own scripts that name the model, as counted in GENERIC.md, and variables that do. */
const FLAG =
  /^(?:(?:base_|pretrained_|hf_)?model(?:_name_or_path|_name|_id|_path)?|pretrained_model_name_or_path)$/;
const VARIABLE = /^(?:(?:BASE|HF|LLM|VLLM|EMBEDDING)_)?MODEL(?:_NAME|_ID|_PATH|_NAME_OR_PATH)?$/;

/** A repository of the hub, and no file. */
const HUB_ID = /^[A-Za-z0-9][\w.-]*\/[\d_.-]*[A-Za-z][\w.-]*$/;
const isModel = (text: string): boolean =>
  HUB_ID.test(text) && !/\.(?:py|ya?ml|json|toml|sh|txt|csv)$/.test(text);

/** Images of NVIDIA's NIM have the model's name: `nvcr.io/nim/meta/llama-3.1-8b-instruct:1.8.0`. */
const NIM = /^nvcr\.io\/nim\/([\w.-]{1,80}\/[\w.-]{1,80})(?:[:@]|$)/;

/**
 * The model of a job without a known framework: from a flag of its script, otherwise from a variable of its environment or
 * its image. NIM chooses an engine and a quantization by the GPU.
 */
export function namedModel({
  commands,
  environment,
  image,
}: Pick<Job, 'commands' | 'environment' | 'image'>): Quantity<string> | null {
  const ofImage = NIM.exec(image)?.[1];
  if (ofImage !== undefined) {
    return {
      value: ofImage,
      origin: { kind: 'derived', from: ['image'], formula: 'the image names the model' },
    };
  }
  const names = [...new Set([...commands.flatMap(flagged), ...environment.flatMap(variable)])];
  const [first] = names;
  if (!first) return null;
  const [value, from] = first.split(' ') as [string, string];
  const isOne = names.every(name => name.startsWith(`${value} `));
  return isOne
    ? { value, origin: { kind: 'derived', from: [from], formula: `${from} names the model` } }
    : null;
}

function flagged(command: Command): readonly string[] {
  const script = command.findIndex(({ text }) => text.endsWith('.py'));
  if (script < 0) return [];
  return flagsOf(command.slice(script + 1), { joint: '_' }).settings.flatMap(({ path, value }) => {
    const name = formatPath(path);
    const text = value.kind === 'scalar' && value.opaque === null ? wordOf(value) : '';
    return FLAG.test(name) && isModel(text) ? [`${text} --${name}`] : [];
  });
}

const variable = ({ name, word }: EnvironmentEntry): readonly string[] =>
  VARIABLE.test(name) && word && !word.open && isModel(word.text) ? [`${word.text} ${name}`] : [];
