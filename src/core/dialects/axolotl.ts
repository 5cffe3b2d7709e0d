import file from './axolotl.yaml';
import { builtIn } from './defined/compile';
import type { Dialect, KeyWrite, WriterTable } from './dialect';
import { oneOf } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { mappingsIn, wordIn, wordsIn } from './shared/datasets';
import { axolotlDeviceMap } from './shared/deviceMap';
import { refuse } from './shared/writing';
import { namedColumns } from '../spec/dataset';
import type { DatasetRef, RowColumns, RowTemplate } from '../spec/dataset';
import type { Quantity } from '../spec/quantity';
import type { Dtype } from '../spec/values';
import { ARGV, ARGV_TEXT } from '../yaml/node';
import type { Plain } from '../yaml/scalars';
import { ownOf } from '../yaml/tables';

/** Liger's kernels by the keys that enable them, if its plugin is listed. */
const LIGER: Readonly<Record<string, string>> = {
  liger_rope: 'liger_rope',
  liger_rms_norm: 'liger_rms_norm',
  liger_glu_activation: 'liger_glu',
  liger_swiglu: 'liger_glu',
  liger_layer_norm: 'liger_layer_norm',
};

const LORA = ['lora_mlp', 'lora_qkv', 'lora_o', 'lora_embedding'];

/** True if a plugin is listed, whatever its module. */
const hasPlugin = (run: RunReader, plugin: string): boolean =>
  run.words('plugins')?.some(name => name.endsWith(plugin)) === true;

/** Fused kernels instead of the model's own code. */
function kernels(run: RunReader): Quantity<readonly string[]> {
  const liger = hasPlugin(run, 'LigerPlugin') ? Object.keys(LIGER).filter(key => run.flag(key)) : [];
  const set = LORA.filter(name => run.flag(`${name}_kernel`));
  const used = [...liger.map(key => ownOf(LIGER, key) ?? key), ...(loraKernelsByDefault(run) ? LORA : set)];
  const from = [...liger, ...set.map(name => `${name}_kernel`)];
  const [first] = from;
  const names = [...new Set(used)].sort();
  return first === undefined ? run.byDefault(names, 'schemas/config.py L1901-1997') : run.at(first, names);
}

/** The default for supervised LoRA, unless a kernel key is set, or the base is in 8 bits or uses remote code. */
function loraKernelsByDefault(run: RunReader): boolean {
  const method = run.get('method').value;
  const stated = LORA.some(name => run.has(`${name}_kernel`));
  const plain = !run.has('rl') && !run.flag('trust_remote_code') && !run.flag('load_in_8bit');
  return (
    (method === 'lora' || method === 'qlora') && !stated && plain && run.get('fsdp').value?.version !== 1
  );
}

const bf16Word = oneOf<boolean | 'auto'>({ auto: 'auto', true: true, false: false });

/** bf16 is on by default if the GPU supports it, as all do since Ampere (config/__init__ L158-177). */
function bf16(run: RunReader): boolean {
  const stated = run.isNull('bf16') ? false : (run.read('bf16', bf16Word) ?? 'auto');
  return stated === 'auto' ? run.flag('fp16') !== true : stated;
}

/** Dtype of the weights (config/__init__ L191-196). */
function dtype(run: RunReader): Dtype {
  if (bf16(run) || run.flag('bfloat16')) return 'bf16';
  return run.flag('load_in_8bit') || run.flag('fp16') || run.flag('float16') ? 'fp16' : 'fp32';
}

const DTYPE_KEYS = ['bf16', 'bfloat16', 'fp16', 'float16'];

function loadDtype(run: RunReader): Quantity<Dtype> {
  const value = dtype(run);
  return stated(run, DTYPE_KEYS, value, 'schemas/config.py L559: bf16 is auto');
}

function precision(run: RunReader): Quantity<string> {
  if (run.flag('fp8')) return run.at('fp8', 'fp8');
  return stated<string>(run, DTYPE_KEYS, dtype(run), 'schemas/config.py L559: bf16 is auto');
}

function stated<T>(run: RunReader, keys: readonly string[], value: T, source: string): Quantity<T> {
  return keys.some(key => run.has(key))
    ? run.at(
        keys.filter(key => run.has(key)),
        value,
      )
    : run.byDefault(value, source);
}

/** True if the trainer's bf16 or fp16 flag is on: the forward pass then runs under autocast. */
function autocast(run: RunReader): Quantity<boolean> {
  const on = bf16(run) || run.flag('fp16') === true;
  return run.derived(on, ['precision'], on ? 'bf16 or fp16 is on' : 'neither bf16 nor fp16 is on');
}

type Entry = Readonly<Record<string, Plain>>;

/** `datasets` and `pretraining_dataset` (schemas/datasets.py): path, data_files, type, and the columns' names. */
function axolotlDatasets(run: RunReader): readonly DatasetRef[] {
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

const axolotlWriters: WriterTable = {
  loss: (to, run) => {
    if (to !== 'liger') return refuse(`Axolotl has no word for the loss ${to}.`);
    if (run.get('loss').value === 'cut_cross_entropy') {
      return refuse('Only one cross entropy kernel can be on.');
    }
    const near = ['liger_rms_norm', 'plugins', 'base_model'];
    const kernel = { key: 'liger_fused_linear_cross_entropy', value: true, near };
    return { ok: true, writes: [kernel, ...ligerPlugin(run)] };
  },
};

/** The plugin with the kernel, if no list has it yet. */
function ligerPlugin(run: RunReader): readonly KeyWrite[] {
  if (hasPlugin(run, 'LigerPlugin')) return [];
  const at = run.words('plugins')?.length ?? 0;
  return [{ key: `plugins[${at}]`, value: LIGER_PLUGIN, near: ['base_model'] }];
}

const LIGER_PLUGIN = 'axolotl.integrations.liger.LigerPlugin';

/**
 * Axolotl YAML; sources are files of axolotl-ai-cloud/axolotl 067b021, below src/axolotl/utils unless stated
 * otherwise.
 */
export const axolotl: Dialect = builtIn(file, {
  // Its flags only override a file: those of a command without one belong to another program.
  accepts: ({ tag }) => tag !== ARGV && tag !== ARGV_TEXT,
  quantities: { precision, loadDtype },
  details: { autocast, kernels, deviceMap: axolotlDeviceMap },
  writers: axolotlWriters,
  datasets: axolotlDatasets,
});
