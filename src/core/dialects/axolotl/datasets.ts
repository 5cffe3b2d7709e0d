import type { DatasetRef, RowColumns, RowTemplate } from '../../lengths/dataset';
import { defined } from '../../lengths/registry';
import type { RunReader } from '../engine/runReader';
import type { Plain } from '../engine/scalars';
import { mappingsIn, wordIn, wordsIn } from '../shared/datasets';

type Entry = Readonly<Record<string, Plain>>;

/** `datasets` and `pretraining_dataset` (schemas/datasets.py): path, data_files, type, and the columns' names. */
export function axolotlDatasets(run: RunReader): readonly DatasetRef[] {
  const key = run.has('pretraining_dataset') ? 'pretraining_dataset' : 'datasets';
  const whole = wordIn(run.value(key));
  if (whole !== null) return [{ path: whole, files: [], template: 'none', columns: {} }];
  return mappingsIn(run.value(key)).flatMap(entry => {
    const path = wordIn(entry['path']);
    return path === null
      ? []
      : [
          {
            path,
            files: wordsIn(entry['data_files']),
            template: templateOf(entry),
            columns: columnsOf(entry),
          },
        ];
  });
}

/** `alpaca`, `alpaca_chat.load_qa` … are in Alpaca's words; `completion` and a list of segments stand as they are. */
function templateOf({ type }: Entry): RowTemplate {
  const name = wordIn(type) ?? '';
  if (name.startsWith('alpaca') || (typeof type === 'object' && type !== null)) return 'alpaca';
  return ['completion', 'input_output', 'pretrain'].includes(name) ? 'none' : 'chat';
}

function columnsOf(entry: Entry): RowColumns {
  const own = mappingsIn(entry['type'] ?? null)[0] ?? {};
  const mapped = mappingsIn(entry['message_property_mappings'] ?? null)[0] ?? {};
  return defined({
    text: wordIn(entry['type']) === 'completion' ? (wordIn(entry['field']) ?? 'text') : null,
    messages: wordIn(entry['field_messages']),
    role: wordIn(mapped['role']) ?? wordIn(entry['message_field_role']),
    content: wordIn(mapped['content']) ?? wordIn(entry['message_field_content']),
    system: wordIn(own['field_system']),
    prompt: wordIn(own['field_instruction']),
    input: wordIn(own['field_input']),
    completion: wordIn(own['field_output']),
    chosen: wordIn(entry['field_chosen']),
    rejected: wordIn(entry['field_rejected']),
  });
}
