/**
 * Model names as configs write them: hub ids (case does not matter to the hub), with or without a trailing slash,
 * or as a hub address.
 */

const HUB_ADDRESS = /^(?:https?:\/\/(?:www\.)?(?:huggingface\.co|hf\.co)\/|hf:\/\/)/i;

/** The form in which ids are compared: `https://huggingface.co/Qwen/Qwen2.5-7B/` → `qwen/qwen2.5-7b`. */
export function comparableId(name: string): string {
  return name
    .trim()
    .replace(HUB_ADDRESS, '')
    .replace(/\/(?:tree|blob|resolve)\/.*$/, '')
    .replace(/\/+$/, '')
    .toLowerCase();
}

/** `org/name` or a bare old name (`gpt2`) as the hub allows them: nothing that could leave a folder. */
const HUB_ID = /^(?:[A-Za-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*$/;

/** The hub id in a name, as written, or null when it cannot be one (a path, an address of another host). */
export function hubId(name: string): string | null {
  const id = name
    .trim()
    .replace(HUB_ADDRESS, '')
    .replace(/\/(?:tree|blob|resolve)\/.*$/, '')
    .replace(/\/+$/, '');
  return HUB_ID.test(id) && !id.includes('..') ? id : null;
}
