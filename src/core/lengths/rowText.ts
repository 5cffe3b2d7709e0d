import type { ChatMarks } from './chatMarks';
import type { DatasetRef, RowColumns } from '../spec/dataset';

/** One message of a row. */
export interface Turn {
  readonly role: string;
  readonly content: string;
  /** Other fields that a template may write. */
  readonly more?: Fields;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields of messages in addition to role and content, as chat templates name them. */
const MORE = ['name', 'tool_calls', 'tool_call_id', 'reasoning_content', 'thinking'];

/** The sequences that the model reads of a record: one, or those of a pair. Strings are used verbatim. */
export type Sequences = readonly (string | readonly Turn[])[];

/** The sequences of a record; null if none of its columns is known. */
export function sequencesOf(fields: Fields, { columns }: Pick<DatasetRef, 'columns'>): Sequences | null {
  if (columns.text !== undefined) return one(textIn(fields, [columns.text]));
  return (
    pair(fields, columns) ??
    conversation(fields, columns) ??
    answered(fields, columns) ??
    compared(fields) ??
    one(textIn(fields, TEXTS))
  );
}

/** True for columns that form rows; other columns need not be read. */
export function isRowColumn(name: string, columns: RowColumns): boolean {
  return KNOWN.has(name) || Object.values(columns).includes(name);
}

const MESSAGES = ['messages', 'conversations', 'conversation', 'dialog', 'dialogue'];
const PROMPTS = ['prompt', 'instruction', 'question', 'query', 'problem'];
const INPUTS = ['input', 'context'];
const COMPLETIONS = ['completion', 'response', 'output', 'answer', 'solution', 'target'];
const TEXTS = ['text', 'content', 'sentence', 'document', 'code', 'raw_content'];
const COMPARED = ['anchor', 'query', 'sentence1', 'positive', 'pos', 'sentence2', 'negative', 'neg'];

const KNOWN: ReadonlySet<string> = new Set([
  ...MESSAGES,
  ...PROMPTS,
  ...INPUTS,
  ...COMPLETIONS,
  ...TEXTS,
  ...COMPARED,
  'system',
  'history',
  'chosen',
  'rejected',
  'segments',
]);

/** ShareGPT's roles, as chat templates name them. */
const ROLES: Readonly<Record<string, string>> = {
  human: 'user',
  gpt: 'assistant',
  bot: 'assistant',
  model: 'assistant',
  chatgpt: 'assistant',
  observation: 'tool',
  function_call: 'assistant',
};

const one = (text: string | null): Sequences | null => (text === null ? null : [text]);

function textIn(fields: Fields, names: readonly (string | undefined)[]): string | null {
  for (const name of names) {
    const value = name === undefined ? undefined : fields[name];
    if (typeof value === 'string') return value;
  }
  return null;
}

/** A chosen and a rejected answer, each after the prompt. */
function pair(fields: Fields, columns: RowColumns): Sequences | null {
  const answers = [columns.chosen ?? 'chosen', columns.rejected ?? 'rejected'].map(name => fields[name]);
  if (answers.some(answer => answer === undefined || answer === null)) return null;
  const before = promptOf(fields, columns) ?? [];
  return answers.map(answer => [
    ...before,
    ...(turnsOf(answer, columns) ?? [{ role: 'assistant', content: plain(answer) }]),
  ]);
}

function conversation(fields: Fields, columns: RowColumns): Sequences | null {
  for (const name of columns.messages === undefined ? MESSAGES : [columns.messages]) {
    const turns = turnsOf(fields[name], columns);
    if (turns) return [[...systemOf(fields, columns), ...turns]];
  }
  const segments = fields['segments'];
  if (!Array.isArray(segments)) return null;
  return [segments.map(segment => plain((segment as Fields | null)?.['text'])).join('')];
}

/** An instruction, its input and its answer, after the rounds before. */
function answered(fields: Fields, columns: RowColumns): Sequences | null {
  const prompt = promptOf(fields, columns);
  if (!prompt) return null;
  const named = columns.completion === undefined ? COMPLETIONS : [columns.completion];
  const completion = turnsOf(fields[named[0] ?? ''], columns) ?? null;
  if (completion) return [[...prompt, ...completion]];
  const answer = textIn(fields, named);
  const isOnlyPrompt = answer === null && columns.prompt === undefined && !('prompt' in fields);
  if (isOnlyPrompt) return null;
  return [[...prompt, ...(answer === null ? [] : [{ role: 'assistant', content: answer }])]];
}

function promptOf(fields: Fields, columns: RowColumns): readonly Turn[] | null {
  const names = columns.prompt === undefined ? PROMPTS : [columns.prompt];
  const turns = names.map(name => turnsOf(fields[name], columns)).find(found => found !== null);
  if (turns) return turns;
  const prompt = textIn(fields, names);
  if (prompt === null) return null;
  const input = textIn(fields, columns.input === undefined ? INPUTS : [columns.input]) ?? '';
  const content = input === '' ? prompt : `${prompt}\n${input}`;
  return [...systemOf(fields, columns), ...historyOf(fields), { role: 'user', content }];
}

function systemOf(fields: Fields, columns: RowColumns): readonly Turn[] {
  const system = textIn(fields, [columns.system ?? 'system']) ?? '';
  return system === '' ? [] : [{ role: 'system', content: system }];
}

/** Earlier rounds in LLaMA-Factory's format: [instruction, answer]. */
function historyOf(fields: Fields): readonly Turn[] {
  const { history } = fields;
  if (!Array.isArray(history)) return [];
  return history.flatMap((round: unknown) =>
    Array.isArray(round)
      ? round.map((text, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: plain(text) }))
      : [],
  );
}

/** Texts that are compared with one another: each is a separate sequence. */
function compared(fields: Fields): Sequences | null {
  const texts = COMPARED.flatMap(name => {
    const value = fields[name];
    return Array.isArray(value) ? value.map(plain) : typeof value === 'string' ? [value] : [];
  });
  return texts.length >= 2 ? texts : null;
}

function turnsOf(value: unknown, { role = 'role', content = 'content' }: RowColumns): readonly Turn[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const turns = value.flatMap((message: unknown): Turn[] => {
    if (typeof message !== 'object' || message === null) return [];
    const fields = message as Fields;
    const who = textIn(fields, [role, 'role', 'from']) ?? 'user';
    const body = fields[content] ?? fields['content'] ?? fields['value'];
    const more = MORE.flatMap(name =>
      fields[name] === undefined || fields[name] === null ? [] : [[name, fields[name]] as const],
    );
    const turn = { role: ROLES[who] ?? who, content: plain(body) };
    return [more.length === 0 ? turn : { ...turn, more: Object.fromEntries(more) }];
  });
  return turns.length === 0 ? null : turns;
}

/** Text; for a message in parts, the text parts. */
function plain(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (!Array.isArray(value)) return '';
  return value
    .map(part => (typeof part === 'object' && part !== null ? plain((part as Fields)['text']) : plain(part)))
    .join('');
}

/** Alpaca's prompt (tatsu-lab/stanford_alpaca train.py PROMPT_DICT), as axolotl's `alpaca` writes it. */
const ALPACA =
  'Below is an instruction that describes a task. Write a response that appropriately completes the request.\n\n### Instruction:\n';

/** A sequence as the text to tokenize. */
export function textToTokenize(
  sequence: string | readonly Turn[],
  { template }: Pick<DatasetRef, 'template'>,
  marks: ChatMarks,
): string {
  if (typeof sequence === 'string') return sequence;
  if (template === 'none') return sequence.map(({ content }) => content).join('');
  if (template === 'alpaca') {
    return sequence
      .map(({ role, content }) =>
        role === 'assistant' ? `\n\n### Response:\n${content}` : role === 'user' ? ALPACA + content : content,
      )
      .join('');
  }
  return sequence
    .map(({ role, content }) => {
      const form = role === 'assistant' ? (marks.answer ?? marks.turn) : marks.turn;
      return form.replace('{role}', () => marks.roles?.[role] ?? role).replace('{content}', () => content);
    })
    .join('');
}
