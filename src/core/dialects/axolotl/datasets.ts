import type { DatasetRef, RowColumns, RowTemplate } from '../../spec/dataset';
import { namedColumns } from '../../spec/dataset';
import type { RunReader } from '../engine/runReader';
import type { Plain } from '../../yaml/scalars';
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
            ...ownTemplateOf(entry, run),
            columns: columnsOf(entry),
          },
        ];
  });
}

/** `alpaca`, `alpaca_chat.load_qa` … use Alpaca's prompt; `completion` and a list of segments are verbatim. */
function templateOf({ type }: Entry): RowTemplate {
  const name = wordIn(type) ?? '';
  if (name.startsWith('alpaca') || (typeof type === 'object' && type !== null)) return 'alpaca';
  return ['completion', 'input_output', 'pretrain'].includes(name) ? 'none' : 'chat';
}

/**
 * Rows of `chat_template` use the template named at the dataset, else the global one; `tokenizer_default`, the
 * default, is the tokenizer's (utils/chat_templates: get_chat_template). Other types have their own format.
 */
function ownTemplateOf(entry: Entry, run: RunReader): { readonly ownTemplate?: string } {
  const type = wordIn(entry['type']) ?? '';
  if (templateOf(entry) !== 'chat' || type === '') return {};
  if (!type.startsWith('chat_template')) return { ownTemplate: type };
  const named = wordIn(entry['chat_template']) ?? run.word('chat_template') ?? 'tokenizer_default';
  return named.startsWith('tokenizer_default') ? {} : { ownTemplate: named };
}

function columnsOf(entry: Entry): RowColumns {
  const own = mappingsIn(entry['type'] ?? null)[0] ?? {};
  const mapped = mappingsIn(entry['message_property_mappings'] ?? null)[0] ?? {};
  return namedColumns({
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
