import { room, verdictWord } from '../memory/words';
import { basename } from '../text/paths';
import { label as labelOf, visibleLine } from '../text/visible';
import type { KeyEdit } from '../yaml/keyEdit';
import type { Plan } from '../plan/plan';
import type { PricedRemedy } from '../rules/remedy';
import { timeChange } from './speed';
import { stepName } from './steps';
import { formatBytes } from '../units';
import { english } from '../text/say';
import { comma, commas } from '../text/lists';
import type { Say } from '../text/say';

/** Characters that a menu of fixes shows before it truncates. */
const MENU = 110;
/** Characters that fit into a row of a quick pick, which is at most 600 pixels wide. */
const ROW = 80;

/** Two long keys that are shortened, because their readers know them. */
const ACCUMULATION: ReadonlySet<string> = new Set(['gradient_accumulation_steps', 'accumulate_grad_batches']);

/**
 * A remedy as one line of a menu: `fits, 17.7 GB · micro_batch_size 4 → 2, accumulation 4 → 8: −6.1 GB, effective
 * batch 64 unchanged, slower`. The outcome is first, because a narrow window cuts off the end. If the line is too
 * long, drops explanations first, then the sections of keys, then the last items of either part; never the number of
 * bytes. `file` is the menu's file: edits in other files name theirs.
 */
export function fixTitle(remedy: PricedRemedy, file: string, say: Say = english): string {
  const outcome = outcomeText(say, remedy);
  const left = MENU - outcome.length;
  return visibleLine(outcome + firstWithin(left, titles(say, remedy, file, left)));
}

/** Below this change the outcome is not shown. */
const LEAST_BYTES = 16 * 2 ** 20;

/** Whether a fix is sufficient by itself: `fits, 17.7 GB · `, `26.1 of 24 GB · `. */
function outcomeText(say: Say, { after, savedBytes }: PricedRemedy): string {
  const capacity = after?.capacityBytes ?? null;
  if (!after || capacity === null || Math.abs(savedBytes ?? 0) < LEAST_BYTES) return '';
  const need = formatBytes(after.device.expected);
  if (after.verdict === 'exceeds') {
    return `${say('{0} of {1}', need.replace(/ GB$/, ''), room(say, after))} · `;
  }
  return `${commas(say, [verdictWord(say, after.verdict), need])} · `;
}

/** All changes of a plan. `file` is the plan's config: edits in other files name theirs. */
export const planTitle = (plan: PricedRemedy, file: string, say: Say = english): string =>
  changeTexts(say, plan, file).full[0] ?? plan.title;

/** The changes of a plan, as a row of a list. What alters the training is always named, however long it is. */
export function planLabel(say: Say, plan: PricedRemedy, file: string): string {
  const { full, least } = changeTexts(say, plan, file);
  return [...full, ...least].find(text => text.length <= ROW) ?? least.at(-1) ?? full.at(-1) ?? plan.title;
}

/** A plan in the list: the outcome, the changes, and their effect. */
interface PlanRow {
  /** `fits · 17.7 of 24 GB`. */
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

/** Keys that do not affect what the model learns. All other keys are always named. */
const SAME_RESULT =
  /batch_?size|accumulat|checkpoint|recompute|(?<!lora_)att(?:n|ention)|flash|sdp|kernel|liger|fused|cut_cross|plugins|offload|pin_memory|num_workers|memory_(?:share|utilization|fraction)|device_map|max_memory|zero|stage|fsdp|shard/i;

/**
 * The row begins with the result. Changes that affect the training come next and are all named; those that do not
 * fit into the first line begin the second.
 */
export function planRow(plan: Plan, file: string, say: Say = english): PlanRow {
  const label = planResult(say, plan);
  // A step also has the edits of those before it; their own rows name them.
  const edits = plan.step?.edits ?? plan.edits;
  const own = edits.filter(edit => !isEcho(edit, edits, file));
  const isNamed = (edit: KeyEdit): boolean =>
    !SAME_RESULT.test(edit.path) || (plan.changesBatch === true && isBatch(edit));
  const name = (edit: KeyEdit): string => inFile(say, changeText(say, edit, shortKey(say, edit)), edit, file);
  const named = own.filter(isNamed).map(name);
  const others = own.filter(edit => !isNamed(edit)).map(name);
  const space = ROW - label.length;
  const [first, second] = filled(say, named, space);
  const [more, left] =
    second.length > 0 ? [[], others] : filled(say, [...first, ...others], space, first.length);
  const shown = second.length > 0 ? first : more;
  const hidden = second.length > 0 ? others.length : left.length;
  const lead = commas(say, second);
  const effect = firstWithin(Math.max(ROW - lead.length, LEAST_EFFECT), effectTexts(say, plan.effect));
  const description = labelOf(andMore(say, commas(say, shown), hidden));
  const detail = lead === '' ? effect : say('{0}: {1}', lead, effect);
  return { label: labelOf(label), description, detail: labelOf(detail) };
}

const andMore = (say: Say, text: string, hidden: number): string =>
  hidden > 0 ? say('{0} and {1} more', text, hidden) : text;

/** Room for the number of bytes. */
const LEAST_EFFECT = 12;

const isBatch = ({ path }: KeyEdit): boolean => /batch|accumulat/i.test(path);

/** ` and 2 more` */
const REST = 11;

/** As many of the texts as fit into the line, but at least `least`, and the rest. */
function filled(
  say: Say,
  texts: readonly string[],
  space: number,
  least = 0,
): [readonly string[], readonly string[]] {
  const fits = (count: number): boolean => {
    const { length } = commas(say, texts.slice(0, count));
    return length <= (count < texts.length ? space - REST : space);
  };
  let count = texts.length;
  while (count > least && !fits(count)) count--;
  return [texts.slice(0, count), texts.slice(count)];
}

/** `fits · 17.7 of 24 GB`: the fullest GPU with the plan. */
function planResult(say: Say, { id, step, after, time }: Plan): string {
  const need = formatBytes(after.device.expected);
  const amount =
    after.capacityBytes === null ? need : say('{0} of {1}', need.replace(/ GB$/, ''), room(say, after));
  const result = `${verdictWord(say, after.verdict)} · ${amount}${time ? ` · ${timeChange(say, time)}` : ''}`;
  return step ? say('{0}: {1}', stepName(say, id, step), result) : result;
}

function* titles(say: Say, remedy: PricedRemedy, file: string, most: number): Generator<string> {
  const { full, least } = changeTexts(say, remedy, file);
  const [longest = '', ...shorter] = full;
  const effects = effectTexts(say, remedy.effect);
  const titled = (change: string, effect: string): string => say('{0}: {1}', change, effect);
  // Any clause is more useful than the sections of a key.
  const worthwhile = effects.filter(effect => !effect.endsWith('…'));
  yield* worthwhile.map(effect => titled(longest, effect));
  // "slightly" is less useful than another change.
  const curt = worthwhile.map(effect => effect.replaceAll(', slightly ', ', '));
  for (const change of shorter) yield* [...worthwhile, ...curt].map(effect => titled(change, effect));
  // Naming the changed keys and files is more useful than any clause except the number of bytes.
  const named = shorter.at(-1) ?? longest;
  yield* effects.map(effect => titled(named, effect));
  for (const change of least) {
    yield* [...worthwhile, ...curt, ...effects].map(effect => titled(change, effect));
  }
  const shortest = least.at(-1) ?? named;
  const last = effects.at(-1) ?? '';
  yield titled(clipped(shortest, most - last.length - 2), last);
}

/** The changes, longest first; `least`: only what alters the training has a name, else the first key. */
function changeTexts(
  say: Say,
  { id, title, edits }: PricedRemedy,
  file: string,
): { readonly full: readonly string[]; readonly least: readonly string[] } {
  // A rule's title comes before the edits.
  if (id === 'rule') {
    const [own = title] = title.split(say('{0}: {1}', '', ''));
    return { full: [title, own], least: [] };
  }
  const own = edits.filter(edit => !isEcho(edit, edits, file));
  const echoes = new Set(edits.filter(edit => !own.includes(edit)).map(edit => basename(edit.file)));
  const also = [...echoes].map(name => say('also in {0}', name));
  const changesText = (key: (edit: KeyEdit) => string, isMarked: boolean): string =>
    commas(say, [
      ...own.map(edit => inFile(say, changeText(say, edit, key(edit), isMarked), edit, file)),
      ...also,
    ]);
  const short = (edit: KeyEdit): string => shortKey(say, edit);
  const altering = own.filter(edit => !SAME_RESULT.test(edit.path));
  const named = altering.length > 0 ? altering : own.slice(0, 1);
  const rest = own.length + also.length - named.length;
  const words = named.map(edit => inFile(say, changeText(say, edit, short(edit)), edit, file));
  const least = named.length > 0 && rest > 0 ? [andMore(say, commas(say, words), rest)] : [];
  return {
    full: [changesText(edit => edit.path, true), changesText(short, true), changesText(short, false)],
    least,
  };
}

/** True for the same edit in a second file that has to agree with this one. */
function isEcho({ file: editFile, from, to }: KeyEdit, edits: readonly KeyEdit[], file: string): boolean {
  return editFile !== file && edits.some(edit => edit.file === file && edit.from === from && edit.to === to);
}

/** `isMarked`: a new key says so. */
function changeText(say: Say, { from, to }: KeyEdit, key: string, isMarked = false): string {
  if (from !== null) return `${key} ${from} → ${to}`;
  return isMarked ? say('{0}: {1} (new)', key, to) : `${key}: ${to}`;
}

const inFile = (say: Say, text: string, edit: KeyEdit, file: string): string =>
  edit.file === file ? text : say('{0} in {1}', text, basename(edit.file));

function shortKey(say: Say, { path }: KeyEdit): string {
  const leaf = path.slice(path.lastIndexOf('.') + 1);
  return ACCUMULATION.has(leaf) ? say('accumulation') : leaf;
}

/** An explanation after a clause. */
const EXPLANATION = /(?:: |; | \(| by the |：|；|（).*/s;

/** Effect and price, longest first: without explanations, then clause by clause down to the number of bytes. */
function effectTexts(say: Say, effect: string): string[] {
  // Two changes that are slower for different reasons are slower.
  const brief = [...new Set(effect.split(comma(say)).map(clause => clause.replace(EXPLANATION, '')))].filter(
    (clause, _, all) => !all.some(other => outweighs(say, other, clause)),
  );
  const clauses = brief.map(clause => clause.replace(/^effective batch /, 'batch '));
  const fewer = clauses.map(
    (_, i) => commas(say, clauses.slice(0, clauses.length - i)) + (i > 0 ? ' …' : ''),
  );
  return [effect, commas(say, brief), ...fewer];
}

/** What is slower and slightly faster is slower, and the other way round. */
const outweighs = (say: Say, clause: string, slight: string): boolean =>
  (clause === say('slower') && slight === say('slightly faster')) ||
  (clause === say('faster') && slight === say('slightly slower'));

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
