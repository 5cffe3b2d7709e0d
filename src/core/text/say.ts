import { Retelling } from './retell';

/** What fills a placeholder of a template. */
type Value = string | number;

/**
 * Says a sentence in the reader's language: `say('{0} of {1}', used, size)`. The template is English, and the key of its
 * translations. `scripts/l10n.mjs` collects the templates of these calls, so each must be a literal.
 */
export type Say = (template: string, ...values: readonly Value[]) => string;

const PLACEHOLDER = /\{(\d{1,2})\}/g;

function filled(template: string, values: readonly Value[]): string {
  if (values.length === 0) return template;
  return template.replaceAll(PLACEHOLDER, (whole, index: string) => String(values[Number(index)] ?? whole));
}

/** What the CLI, JSON, SARIF, agents and the documentation say. */
export const english: Say = (text, ...values) => filled(text, values);

/** Translations by their English text, as VS Code's `l10n.bundle` has them. */
export type Translations = Readonly<Record<string, string>>;

/** Says it in the language of a table of translations; in English where the table has nothing. */
export function sayIn(translations: Translations): Say {
  const table = new Map(Object.entries(translations));
  const retelling = new Retelling(table);
  return (text, ...values) =>
    values.length === 0 ? retelling.tell(text) : filled(table.get(text) ?? text, values);
}

/** A text that is known before its reader, such as an entry of a table. Made by `template`, said by `said`. */
export type Template = string & { readonly isTemplate: true };

/** Marks a literal text for translation. */
export const template = (text: string): Template => text as Template;

/** Says a marked text. */
export const said = (say: Say, text: Template, ...values: readonly Value[]): string => say(text, ...values);

/**
 * Says a text that was composed in English before its reader was known: an assumption, a formula, the reason of an origin, a
 * job's record. Its templates are what `phrase` marks, and the literals at the places that `scripts/l10n.mjs` names.
 */
export const told = (say: Say, text: string): string => say(text);

/** Such a text: the English one. */
export const phrase = (texts: TemplateStringsArray, ...values: readonly Value[]): string =>
  texts.reduce((all, text, i) => `${all}${values[i - 1] ?? ''}${text}`);
