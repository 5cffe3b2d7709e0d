import { basename } from '../text/paths';
import type { KeyEdit } from '../yaml/keyEdit';
import type { PricedRemedy } from '../rules/remedy';

/** Characters that a menu of fixes shows before it cuts. */
const MENU = 110;
/** Characters that a row of a quick pick shows: it is 600 pixels wide at most. */
const ROW = 80;

/** Two keys that are too long for a line whose reader knows what they mean. */
const ACCUMULATION: ReadonlySet<string> = new Set(['gradient_accumulation_steps', 'accumulate_grad_batches']);

/**
 * A remedy in one line of a menu: `micro_batch_size 4 → 2, accumulation 4 → 8: −6.1 GB, effective batch 64 unchanged,
 * slower`. What is too long loses its explanations first, then the sections of its keys, then what comes last in
 * either part; never the number of bytes. `file` is the one the menu is in: edits elsewhere say where.
 */
export function fixTitle(remedy: PricedRemedy, file: string): string {
  return firstWithin(MENU, titles(remedy, file));
}

/** What a plan changes, in full. `file` is the config it is for: edits elsewhere say where. */
export const planTitle = (plan: PricedRemedy, file: string): string =>
  changeTexts(plan, file)[0] ?? plan.title;

/** What a plan changes, as a row of the list of plans. */
export const planLabel = (plan: PricedRemedy, file: string): string =>
  firstWithin(ROW, changeTexts(plan, file));

/** What a plan does and costs, as the row below it. */
export const planDetail = ({ effect }: PricedRemedy): string => firstWithin(ROW, effectTexts(effect));

function* titles(remedy: PricedRemedy, file: string): Generator<string> {
  const [longest = '', ...shorter] = changeTexts(remedy, file);
  const effects = effectTexts(remedy.effect);
  // Every clause is worth more than the sections of a key.
  const worthwhile = effects.filter(effect => !effect.endsWith('…'));
  yield* worthwhile.map(effect => `${longest}: ${effect}`);
  // "slightly" is worth less than to say what else changes.
  const curt = worthwhile.map(effect => effect.replaceAll(', slightly ', ', '));
  for (const change of shorter) yield* [...worthwhile, ...curt].map(effect => `${change}: ${effect}`);
  const shortest = shorter.at(-1) ?? longest;
  const last = effects.at(-1) ?? '';
  yield* effects.map(effect => `${shortest}: ${effect}`);
  yield `${clipped(shortest, MENU - last.length - 2)}: ${last}`;
}

/** What changes, longest first. */
function changeTexts({ id, title, edits }: PricedRemedy, file: string): string[] {
  // A rule puts what it orders before the edits.
  if (id === 'rule') return [title, title.slice(0, (title.indexOf(': ') + 1 || title.length + 1) - 1)];
  const own = edits.filter(edit => !isEcho(edit, edits, file));
  const echoes = new Set(edits.filter(edit => !own.includes(edit)).map(edit => basename(edit.file)));
  const also = [...echoes].map(name => `also in ${name}`);
  const said = (key: (edit: KeyEdit) => string, added: string): string =>
    [...own.map(edit => `${changeText(edit, key(edit), added)}${elsewhere(edit, file)}`), ...also].join(', ');
  const rest = own.length + also.length - 1;
  const [first] = own;
  const least = first && rest > 0 ? [`${changeText(first, shortKey(first), '')} and ${rest} more`] : [];
  return [said(edit => edit.path, ' (new)'), said(shortKey, ' (new)'), said(shortKey, ''), ...least];
}

/** The same step in a file that says the same as this one, and has to follow. */
function isEcho({ file: there, from, to }: KeyEdit, edits: readonly KeyEdit[], file: string): boolean {
  return there !== file && edits.some(edit => edit.file === file && edit.from === from && edit.to === to);
}

const changeText = ({ from, to }: KeyEdit, key: string, added: string): string =>
  from === null ? `${key}: ${to}${added}` : `${key} ${from} → ${to}`;

const elsewhere = (edit: KeyEdit, file: string): string =>
  edit.file === file ? '' : ` in ${basename(edit.file)}`;

function shortKey({ path }: KeyEdit): string {
  const leaf = path.slice(path.lastIndexOf('.') + 1);
  return ACCUMULATION.has(leaf) ? 'accumulation' : leaf;
}

/** Effect and price, longest first: without explanations, then clause by clause down to the number of bytes. */
function effectTexts(effect: string): string[] {
  const brief = effect.split(', ').map(clause => clause.replace(/(?:: |; | \(| by the ).*$/, ''));
  const clauses = brief.map(clause => clause.replace(/^effective batch /, 'batch '));
  const fewer = clauses.map((_, i) => clauses.slice(0, clauses.length - i).join(', ') + (i > 0 ? ' …' : ''));
  return [effect, brief.join(', '), ...fewer];
}

function firstWithin(most: number, ways: Iterable<string>): string {
  let last = '';
  for (const way of ways) {
    if (way.length <= most) return way;
    last = way;
  }
  return clipped(last, most);
}

const clipped = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;
