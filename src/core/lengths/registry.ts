import { namedColumns } from '../spec/dataset';
import type { DatasetRef, RowColumns } from '../spec/dataset';

type Loose = Readonly<Record<string, unknown>>;

/**
 * A LLaMA-Factory dataset by its name in `dataset_info.json` (data/README.md): the file, its record format and its
 * columns; or a sentence on what is wrong. Files are relative to the list.
 */
export function datasetFromRegistry(
  ref: DatasetRef,
  text: string,
): { readonly ref: DatasetRef } | { readonly why: string } {
  const entry = objectOf(objectOf(parsed(text))?.[ref.path]);
  if (!entry) return { why: `${ref.registry ?? 'the list of datasets'} has no ${ref.path}` };
  const file = textOf(entry['file_name']);
  const hub = textOf(entry['hf_hub_url']) ?? textOf(entry['ms_hub_url']);
  if (file === null && hub === null) return { why: `${ref.path} is made by a script, or lies in a cloud` };
  const { registry, ...rest } = ref;
  const folder = (registry ?? '').replace(/[^/]*$/, '');
  return {
    ref: { ...rest, path: file === null ? (hub ?? '') : `${folder}${file}`, columns: columnsOf(entry) },
  };
}

function columnsOf(entry: Loose): RowColumns {
  const columns = objectOf(entry['columns']) ?? {};
  const tags = objectOf(entry['tags']) ?? {};
  const isChat = entry['formatting'] === 'sharegpt';
  return namedColumns({
    text: null,
    messages: isChat ? (textOf(columns['messages']) ?? 'conversations') : null,
    role: isChat ? (textOf(tags['role_tag']) ?? 'from') : null,
    content: isChat ? (textOf(tags['content_tag']) ?? 'value') : null,
    system: textOf(columns['system']),
    prompt: isChat ? null : textOf(columns['prompt']),
    input: isChat ? null : textOf(columns['query']),
    completion: isChat ? null : textOf(columns['response']),
    chosen: textOf(columns['chosen']),
    rejected: textOf(columns['rejected']),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const objectOf = (value: unknown): Loose | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : null;
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
