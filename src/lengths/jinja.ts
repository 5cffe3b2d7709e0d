import { Environment, Interpreter, Template } from '@huggingface/jinja';
import { templateVariables } from '../core/lengths/chatTemplate';
import type { ChatTemplate } from '../core/lengths/chatTemplate';
import type { Turn } from '../core/lengths/rowText';
import { reasonOf } from '../core/text/errors';

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const two = (n: number): string => String(n).padStart(2, '0');

/** Python's `strftime` directives in English, as far as chat templates use them for dates. */
const PARTS: Readonly<Record<string, (date: Date) => string>> = {
  Y: date => String(date.getFullYear()),
  y: date => two(date.getFullYear() % 100),
  m: date => two(date.getMonth() + 1),
  d: date => two(date.getDate()),
  B: date => MONTHS[date.getMonth()] ?? '',
  b: date => (MONTHS[date.getMonth()] ?? '').slice(0, 3),
  A: date => DAYS[date.getDay()] ?? '',
  a: date => (DAYS[date.getDay()] ?? '').slice(0, 3),
  H: date => two(date.getHours()),
  M: date => two(date.getMinutes()),
  S: date => two(date.getSeconds()),
  '%': () => '%',
};

/** Formats a date by a Python format; unknown directives stay unchanged. */
export const strftime = (date: Date, format: string): string =>
  format.replace(/%(.)/g, (all, part: string) => PARTS[part]?.(date) ?? all);

/** A conversation rendered by the template; or why it failed: the end of a sentence. */
export type Rendered = { readonly text: string } | { readonly why: string };

/** No conversation has this many messages: a template that counts further is broken. */
const MOST_STEPS = 1_000_000;

/** Renders conversations with one template, as transformers does. */
export function jinjaWriter(template: ChatTemplate, nowMs: number): (messages: readonly Turn[]) => Rendered {
  let parsed: Template['parsed'];
  try {
    parsed = new Template(template.text).parsed;
  } catch (error) {
    const why = `it could not be parsed: ${sentenceOf(error)}`;
    return () => ({ why });
  }
  const now = new Date(nowMs);
  return messages => {
    try {
      const environment = environmentOf(templateVariables(messages, template), now);
      const rendered: unknown = new Interpreter(environment).run(parsed).value;
      if (typeof rendered !== 'string') return { why: 'it produces no text' };
      return rendered.length > mostOf(messages) ? { why: 'it produces too much text' } : { text: rendered };
    } catch (error) {
      return { why: sentenceOf(error) };
    }
  };
}

/** Names that every template can use. The library's own have a clock and an unbounded range. */
function environmentOf(variables: Readonly<Record<string, unknown>>, now: Date): Environment {
  const environment = new Environment();
  const globals = {
    ...{ true: true, false: false, none: null, True: true, False: false, None: null },
    range,
    raise_exception: (message: unknown) => {
      throw new Error(String(message));
    },
    strftime_now: (format: unknown) => strftime(now, String(format)),
  };
  for (const [name, value] of Object.entries({ ...variables, ...globals })) environment.set(name, value);
  return environment;
}

function range(first: number, end?: number, step = 1): readonly number[] {
  const [from, to] = end === undefined ? [0, first] : [first, end];
  const count = Math.max(0, Math.ceil((to - from) / step));
  if (!(count <= MOST_STEPS)) throw new Error('its loop is too long');
  return Array.from({ length: count }, (_, i) => from + i * step);
}

/** Far more than a template adds around messages, including tools and rules. */
const mostOf = (messages: readonly Turn[]): number =>
  (1 << 20) + 4 * messages.reduce((all, { content }) => all + content.length, 0);

const MOST_CHARACTERS = 200;

function sentenceOf(error: unknown): string {
  const text = reasonOf(error);
  return text.replace(/\s+/g, ' ').slice(0, MOST_CHARACTERS).replace(/[.!]$/, '');
}
