import { dirname, isAbsolute, join } from 'node:path';
import { embedOrder } from '../../core/launch/embedOrder';
import type { RunSpec } from '../../core/spec/runSpec';
import { parseYaml } from '../../core/yaml/parse';
import type { YamlNode } from '../../core/yaml/node';
import { BadInput, terminalOutput } from '../output';
import { Session } from '../session';
import type { EmbedOptions } from './options';

/** A note if a config names more GPUs than are used; null: it does not. */
export function deviceNote(gpus: unknown): string | null {
  if (typeof gpus !== 'number' || gpus < 2) return null;
  return `The config names ${gpus} GPUs: embed computes on one. To use all, add --gpus all.`;
}

/**
 * The options from a config, overridden by those of the command line; `input` and `out` are relative to its folder.
 */
export async function optionsOfConfig(file: string, options: EmbedOptions): Promise<EmbedOptions> {
  const session = new Session();
  const text = await session.text(file);
  const analysis = await session.readable(file, null);
  const run = analysis.runs.map(each => each.run).find(each => each.quantities.task.value === 'embed');
  if (!run) {
    throw new BadInput(
      `${file}: this config embeds nothing. Give a config with an embeddings section and its model, or a text file.`,
    );
  }
  const note = deviceNote(run.quantities.devices.value);
  if (note !== null && options.device === 'auto' && options.gpus === undefined) {
    terminalOutput(options).err(note);
  }
  const root = parseYaml(text).documents[0]?.root ?? null;
  const configured = { ...optionsOfRun(run, dirname(file)), ...optionsOfKeys(root, dirname(file)) };
  const given = Object.fromEntries(
    Object.entries(options).filter(([name, value]) => value !== undefined && !isDefault(name, value)),
  );
  return { ...options, ...configured, ...given };
}

const isDefault = (name: string, value: unknown): boolean => name === 'device' && value === 'auto';

/** Quantities that every embedding dialect has in common. */
function optionsOfRun({ quantities }: RunSpec, folder: string): Partial<EmbedOptions> {
  const { model, microBatchSize, seqLen, accelerator } = quantities;
  const device = deviceOf(accelerator.value);
  return {
    ...(model.value === null ? {} : { model: resolveFrom(model.value, folder) }),
    ...(typeof microBatchSize.value === 'number' ? { batchRows: microBatchSize.value } : {}),
    ...(typeof seqLen.value === 'number' ? { maxTokens: seqLen.value } : {}),
    ...(device === null ? {} : { device }),
  };
}

/** `cuda:0` and lists of GPUs mean CUDA; null (chosen automatically) for devices that only torch has. */
function deviceOf(word: unknown): 'cpu' | 'cuda' | null {
  const text = typeof word === 'string' ? word.toLowerCase() : '';
  if (text === 'cpu') return 'cpu';
  return /^(cuda|gpu)\b/.test(text) ? 'cuda' : null;
}

const resolveFrom = (path: string, folder: string): string =>
  /^\.{1,2}\//.test(path) && !isAbsolute(path) ? join(folder, path) : path;

function optionsOfKeys(root: YamlNode | null, folder: string): Partial<EmbedOptions> {
  const { input, out, textColumn, ...same } = embedOrder(root);
  const path = (given: string): string => join(isAbsolute(given) ? '' : folder, given);
  return {
    ...same,
    ...(input === undefined ? {} : { input: path(input) }),
    ...(out === undefined ? {} : { out: path(out) }),
    ...(textColumn === undefined ? {} : { textColumn: [textColumn] }),
  };
}
