import { SECTIONS } from '../dialects/embeddings';
import type { ScalarValue, YamlNode } from '../yaml/node';
import { find, resolve } from '../yaml/path';

/** The texts and vectors of an embedding config, in addition to the model; paths are as written there. */
interface EmbedOrder {
  readonly input?: string;
  readonly out?: string;
  readonly textColumn?: string;
  readonly idColumn?: string;
  readonly prompt?: string;
  readonly promptName?: string;
  readonly normalize?: boolean;
  readonly dimensions?: number;
}

/** Sections that say what to read and write: next to the model, or separate. */
const DATA_SECTIONS = ['', ...SECTIONS, 'data', 'dataset', 'import', 'input', 'output', 'processing'];

const TEXTS = {
  input: ['input', 'input_file', 'input_path', 'data_file', 'data_path'],
  out: ['output', 'output_dir', 'output_path', 'output_folder'],
  textColumn: ['text_column', 'text_field', 'text_key', 'column'],
  idColumn: ['id_column', 'id_field', 'id_key'],
  prompt: ['prompt', 'query_prompt'],
  promptName: ['prompt_name', 'default_prompt_name'],
} as const;

const NORMALIZE = ['normalize_embeddings', 'normalize'];
const DIMENSIONS = ['truncate_dim', 'dimensions', 'output_dimension'];

/** Keys that have this meaning only in their own section, and another one next to a model. */
const OWN: Readonly<
  Record<'input' | 'out', { readonly sections: readonly string[]; readonly keys: readonly string[] }>
> = {
  input: { sections: ['input', 'data', 'dataset'], keys: ['path', 'file'] },
  out: { sections: ['output'], keys: ['path', 'dir', 'folder'] },
};

/** Reads the order from a config's keys, for any embedding dialect. */
export function embedOrder(root: YamlNode | null): EmbedOrder {
  const texts = Object.entries(TEXTS).flatMap(([name, keys]) => {
    const own = name === 'input' || name === 'out' ? OWN[name] : null;
    const value = valueOf(root, keys) ?? (own && valueOf(root, own.keys, own.sections));
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  const [normalize, dimensions] = [valueOf(root, NORMALIZE), valueOf(root, DIMENSIONS)];
  return {
    ...Object.fromEntries(texts),
    ...(typeof normalize === 'boolean' ? { normalize } : {}),
    ...(typeof dimensions === 'number' ? { dimensions } : {}),
  };
}

/** The first of these keys that a section has. */
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
