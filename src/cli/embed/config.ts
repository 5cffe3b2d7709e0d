import { dirname, isAbsolute, join } from 'node:path';
import { SECTIONS } from '../../core/dialects/embeddings/sections';
import type { RunSpec } from '../../core/spec/runSpec';
import { parseYaml } from '../../core/yaml/parse';
import { find, resolve } from '../../core/yaml/path';
import type { ScalarValue, YamlNode } from '../../core/yaml/node';
import { BadInput } from '../output';
import { unreadable } from '../problems';
import { Session } from '../session';
import type { EmbedOptions } from './options';

/** Where such configs say what is read and written: beside the model, or in a section of its own. */
const DATA_SECTIONS = ['', ...SECTIONS, 'data', 'dataset', 'import', 'input', 'output', 'processing'];
const KEYS = {
  input: ['input', 'input_file', 'input_path', 'data_file', 'data_path'],
  out: ['output', 'output_dir', 'output_path', 'output_folder'],
  textColumn: ['text_column', 'text_field', 'text_key', 'column'],
  idColumn: ['id_column', 'id_field', 'id_key'],
  normalize: ['normalize_embeddings', 'normalize'],
  prompt: ['prompt', 'query_prompt'],
  promptName: ['prompt_name', 'default_prompt_name'],
  dimensions: ['truncate_dim', 'dimensions', 'output_dimension'],
} as const;
/** Keys that mean this in a section of their own, and something else beside a model. */
const OWN: Readonly<
  Record<'input' | 'out', { readonly sections: readonly string[]; readonly keys: readonly string[] }>
> = {
  input: { sections: ['input', 'data', 'dataset'], keys: ['path', 'file'] },
  out: { sections: ['output'], keys: ['path', 'dir', 'folder'] },
};

/** The options that a config stands for, those of the command line first; `input` and `out` are paths from where it lies. */
export async function optionsOfConfig(file: string, options: EmbedOptions): Promise<EmbedOptions> {
  const session = new Session();
  const read = await session.read(file);
  if ('why' in read) throw new BadInput(read.why);
  const analysis = await session.analyse(file, read.text, null);
  const [bad] = unreadable(analysis, true);
  if (bad !== undefined) throw new BadInput(bad);
  const run = analysis.runs.map(each => each.run).find(each => each.quantities.task.value === 'embed');
  if (!run) {
    throw new BadInput(
      `${file}: nothing is embedded by this config; name one with a section embeddings and its model, or a file of texts.`,
    );
  }
  const root = parseYaml(read.text).documents[0]?.root ?? null;
  const said = { ...ofRun(run, dirname(file)), ...ofKeys(root, dirname(file)) };
  const given = Object.fromEntries(
    Object.entries(options).filter(([name, value]) => value !== undefined && !isDefault(name, value)),
  );
  return { ...options, ...said, ...given };
}

const isDefault = (name: string, value: unknown): boolean => name === 'device' && value === 'auto';

/** What every dialect of embeddings says in the same words. */
function ofRun({ quantities }: RunSpec, folder: string): Partial<EmbedOptions> {
  const { model, microBatchSize, seqLen, accelerator } = quantities;
  const device = deviceOf(accelerator.value);
  return {
    ...(model.value === null ? {} : { model: fromFolder(model.value, folder) }),
    ...(typeof microBatchSize.value === 'number' ? { batchRows: microBatchSize.value } : {}),
    ...(typeof seqLen.value === 'number' ? { maxTokens: seqLen.value } : {}),
    ...(device === null ? {} : { device }),
  };
}

/** `cuda:0` and lists of GPUs are CUDA; what torch alone knows is left to be chosen. */
function deviceOf(word: unknown): 'cpu' | 'cuda' | null {
  const text = typeof word === 'string' ? word.toLowerCase() : '';
  if (text === 'cpu') return 'cpu';
  return /^(cuda|gpu)\b/.test(text) ? 'cuda' : null;
}

const fromFolder = (path: string, folder: string): string =>
  /^\.{1,2}\//.test(path) && !isAbsolute(path) ? join(folder, path) : path;

function ofKeys(root: YamlNode | null, folder: string): Partial<EmbedOptions> {
  const text = (name: keyof typeof KEYS): string | undefined => {
    const own = name === 'input' || name === 'out' ? OWN[name] : null;
    const value = valueOf(root, KEYS[name]) ?? (own && valueOf(root, own.keys, own.sections));
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [input, out, column, id] = [text('input'), text('out'), text('textColumn'), text('idColumn')];
  const [prompt, promptName] = [text('prompt'), text('promptName')];
  const [normalize, dimensions] = [valueOf(root, KEYS.normalize), valueOf(root, KEYS.dimensions)];
  return {
    ...(input === undefined ? {} : { input: join(isAbsolute(input) ? '' : folder, input) }),
    ...(out === undefined ? {} : { out: join(isAbsolute(out) ? '' : folder, out) }),
    ...(column === undefined ? {} : { textColumn: [column] }),
    ...(id === undefined ? {} : { idColumn: id }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(promptName === undefined ? {} : { promptName }),
    ...(typeof normalize === 'boolean' ? { normalize } : {}),
    ...(typeof dimensions === 'number' ? { dimensions } : {}),
  };
}

/** The first of some keys that a section has. */
function valueOf(
  root: YamlNode | null,
  keys: readonly string[],
  sections: readonly string[] = DATA_SECTIONS,
): ScalarValue {
  for (const section of sections) {
    for (const key of keys) {
      const found = find(root, section === '' ? [key] : [section, key]);
      const node = found && resolve(found.node);
      if (node?.kind === 'scalar' && node.value !== null) return node.value;
    }
  }
  return null;
}
