import table from './otherNames.json';

/**
 * Model names as configs write them: hub ids (case does not matter to the hub), with or without a trailing slash, as a
 * hub address, or as the folder in which huggingface_hub keeps a model.
 */

const HUB_ADDRESS = /^(?:https?:\/\/(?:www\.)?(?:huggingface\.co|hf\.co)\/|hf:\/\/)/i;
const REVISION = /\/(?:tree|blob|resolve)\/.*$/;
const CACHE_FOLDER = /(?:^|\/)models--([\w.-]+?)(?:--([\w.-]+?))?(?:\/snapshots(?:\/.*)?)?\/?$/;

/** `org/name` or a bare old name (`gpt2`) as the hub allows them: nothing that could leave a folder. */
const HUB_ID = /^(?:[A-Za-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*$/;

/** The name without what a hub address or a cache folder puts around it. */
function bareName(name: string): string {
  const trimmed = name.trim();
  const cached = CACHE_FOLDER.exec(trimmed);
  if (cached) return cached.slice(1).filter(Boolean).join('/');
  return trimmed.replace(HUB_ADDRESS, '').replace(REVISION, '').replace(/\/+$/, '');
}

/** The form in which ids are compared: `https://huggingface.co/Qwen/Qwen2.5-7B/` → `qwen/qwen2.5-7b`. */
export function comparableId(name: string): string {
  return bareName(name).toLowerCase();
}

/** The hub id in a name, as written, or null when it cannot be one (a path, an address of another host). */
export function hubId(name: string): string | null {
  const id = bareName(name);
  return HUB_ID.test(id) && !id.includes('..') ? id : null;
}

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
