import table from './otherNames.json';

const NAMES: Readonly<Record<string, string>> = table.names;
const LITGPT: Readonly<Record<string, string>> = table.litgpt.names;

/** What a builder's name begins with where it makes adapters or quantises (`qlora_llama3_8b`). */
const METHOD = /\.(?:qlora|lora|dora)_/;

/** The hub id of a model that another framework names in its own words: `torchtune.models.llama3.lora_llama3_8b`; null for other names. */
export function hubIdOfBuilder(name: string): string | null {
  const trimmed = name.trim();
  if (Object.hasOwn(LITGPT, trimmed)) return LITGPT[trimmed] ?? null;
  // `litgpt download` keeps a model below its hub id.
  if (trimmed.startsWith(table.litgpt.folder)) return trimmed.slice(table.litgpt.folder.length);
  if (!trimmed.startsWith(table.prefix)) return null;
  const builder = trimmed.slice(table.prefix.length).replace(METHOD, '.');
  return Object.hasOwn(NAMES, builder) ? (NAMES[builder] ?? null) : null;
}
