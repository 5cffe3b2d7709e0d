import type { Turn } from './rowText';
import { isRecord } from '../text/json';

/** A tokenizer's chat template, and the values of the tokens it may use by name. */
export interface ChatTemplate {
  /** Jinja. */
  readonly text: string;
  readonly tokens: Readonly<Record<string, string>>;
}

/** Files next to a `tokenizer.json`; null: missing. */
interface TokenizerFiles {
  /** `tokenizer_config.json` */
  readonly config: string | null;
  /** `special_tokens_map.json` */
  readonly special: string | null;
  /** `chat_template.jinja` */
  readonly template: string | null;
}

/**
 * Variables of a template in addition to the messages (transformers tokenization_utils_base.py:
 * apply_chat_template).
 */
export function templateVariables(
  messages: readonly Turn[],
  { tokens }: ChatTemplate,
): Readonly<Record<string, unknown>> {
  return {
    ...tokens,
    messages: messages.map(({ role, content, more }) => ({ role, content, ...more })),
    tools: null,
    documents: null,
    add_generation_prompt: false,
  };
}

/**
 * The template that transformers uses for training: from its own file, else from the config; of several, the one
 * without tools.
 */
export function chatTemplateIn({ config, special, template }: TokenizerFiles): ChatTemplate | null {
  const fields = objectIn(config);
  const text = template ?? textOf(fields['chat_template']);
  return text === null ? null : { text, tokens: tokensIn({ ...objectIn(special), ...fields }) };
}

type Loose = Readonly<Record<string, unknown>>;

/** SPECIAL_TOKENS_ATTRIBUTES of transformers. */
const TOKENS = [
  'bos_token',
  'eos_token',
  'unk_token',
  'sep_token',
  'pad_token',
  'cls_token',
  'mask_token',
] as const;

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  const named = value.find((one: unknown): one is Loose => isRecord(one) && one['name'] === 'default');
  return typeof named?.['template'] === 'string' ? named['template'] : null;
}

/** Tokens are plain strings, or objects that also say how to match them. */
function tokensIn(fields: Loose): Readonly<Record<string, string>> {
  const found = TOKENS.flatMap(name => {
    const value = fields[name];
    const text = isRecord(value) ? value['content'] : value;
    return typeof text === 'string' ? [[name, text] as const] : [];
  });
  return Object.fromEntries(found);
}

function objectIn(text: string | null): Loose {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
