import table from './otherNames.json';

/**
 * Model names in configs: hub ids (case-insensitive on the hub), with or without a trailing slash, as a hub URL, or
 * as the cache folder of huggingface_hub.
 */

const HUB_ADDRESS = /^(?:https?:\/\/(?:www\.)?(?:huggingface\.co|hf\.co)\/|hf:\/\/)/i;
const REVISION = /\/(?:tree|blob|resolve)\/.*/s;
const CACHE_FOLDER = /(?:^|\/)models--((?:(?!--)[\w.-])+)(?:--([\w.-]+))?(?:\/snapshots(?:\/[^]*)?)?\/?$/;

/** `org/name` or an old name without an owner (`gpt2`), as the hub allows; excludes path traversal. */
const HUB_ID = /^(?:[A-Za-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*$/;

/** The name without the parts of a hub URL or a cache folder. */
function bareName(name: string): string {
  const trimmed = name.trim();
  const cached = CACHE_FOLDER.exec(trimmed);
  if (cached) return cached.slice(1).filter(Boolean).join('/');
  return trimmed
    .replace(HUB_ADDRESS, '')
    .replace(REVISION, '')
    .replace(/(?<!\/)\/+$/, '');
}

/** Normalizes an id for comparison: `https://huggingface.co/Qwen/Qwen2.5-7B/` → `qwen/qwen2.5-7b`. */
export function comparableId(name: string): string {
  return bareName(name).toLowerCase();
}

/** The hub id in a name, as written; null if it cannot be one (a path, a URL of another host). */
export function hubId(name: string): string | null {
  const id = bareName(name);
  return HUB_ID.test(id) && !id.includes('..') ? id : null;
}

const NAMES: Readonly<Record<string, string>> = table.names;
const LITGPT: Readonly<Record<string, string>> = table.litgpt.names;

/** Prefixes of builders that add adapters or quantize (`qlora_llama3_8b`). */
const METHOD = /\.(?:qlora|lora|dora)_/;

/**
 * The hub id of a model with another framework's name: `torchtune.models.llama3.lora_llama3_8b`; null for other
 * names.
 */
export function hubIdOfBuilder(name: string): string | null {
  const trimmed = name.trim();
  if (Object.hasOwn(LITGPT, trimmed)) return LITGPT[trimmed] ?? null;
  // `litgpt download` stores a model in a folder named after its hub id.
  if (trimmed.startsWith(table.litgpt.folder)) return trimmed.slice(table.litgpt.folder.length);
  if (!trimmed.startsWith(table.prefix)) return null;
  const builder = trimmed.slice(table.prefix.length).replace(METHOD, '.');
  return Object.hasOwn(NAMES, builder) ? (NAMES[builder] ?? null) : null;
}
