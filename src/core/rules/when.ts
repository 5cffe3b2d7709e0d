import type { OriginKind } from '../spec/quantity';
import { isUnknown } from '../spec/quantity';
import { compareReleases } from '../spec/version';
import type { QuantityName, QuantityValues } from '../spec/values';
import type { Change } from '../spec/change';
import { commas } from '../text/lists';
import type { Say } from '../text/say';
import type { Report, RuleContext, SuggestedRemedy } from './rule';
import { isNull, isOff, isOn, isStated, numberOf, holdsBoolean, textOf } from './raw';
import type { Keys } from './raw';

/** A condition on a run. It is false if the answer is unknown. */
export type Condition = (context: RuleContext) => boolean;

/** Quotes a key as the config has it: `` `bf16: true` ``. */
type Quote = (path: string) => string;

/**
 * The check of a rule that is a set of facts: reports once if all hold. `report` receives a function that quotes
 * keys with their values.
 */
export function when(
  conditions: readonly Condition[],
  report: (quote: Quote, context: RuleContext) => Report,
): (context: RuleContext) => readonly Report[] {
  return context =>
    conditions.every(holds => holds(context)) ? [report(path => quoted(context, path), context)] : [];
}

/** All of these keys are true in Python. */
export const on = (...paths: readonly string[]): Condition => {
  return context => paths.every(path => isOn(context, path));
};

/** All of these keys are false in Python: absent, null, false, 0, empty. */
export const off = (...paths: readonly string[]): Condition => {
  return context => paths.every(path => isOff(context, path));
};

/** At least one of these keys is true in Python. */
export const anyOn = (...paths: readonly string[]): Condition => {
  return context => paths.some(path => isOn(context, path));
};

/** The key holds this boolean. */
export const exactly = (path: string, value: boolean): Condition => {
  return context => holdsBoolean(context, path, value);
};

/** The key is present and not null. */
export const stated = (path: string): Condition => {
  return context => isStated(context, path);
};

/** The key is present and null. */
export const holdsNull = (path: string): Condition => {
  return context => isNull(context, path);
};

/** The key's value is readable. */
export const readable = (path: string): Condition => {
  return context => isOn(context, path) || isOff(context, path);
};

/** The key holds one of these texts. */
export const is = (path: string, ...texts: readonly string[]): Condition => {
  return context => texts.includes(textOf(context, path) ?? '');
};

/** The key holds a number above the limit. */
export const isAbove = (path: string, limit: number): Condition => {
  return context => (numberOf(context, path) ?? limit) > limit;
};

/** The key holds a number below the limit. */
export const isBelow = (path: string, limit: number): Condition => {
  return context => (numberOf(context, path) ?? limit) < limit;
};

/** Both keys hold numbers that differ. */
export const differ = (one: string, other: string): Condition => {
  return context => compared(context, one, other, (a, b) => a !== b);
};

/** Both keys hold numbers, and the first is not a multiple of the second. */
export const notMultiple = (number: string, of: string): Condition => {
  return context => compared(context, number, of, (a, b) => b > 0 && a % b !== 0);
};

function compared(
  context: RuleContext,
  one: string,
  other: string,
  holds: (a: number, b: number) => boolean,
): boolean {
  const [a, b] = [numberOf(context, one), numberOf(context, other)];
  return a !== null && b !== null && holds(a, b);
}

/** A quantity has this known value. */
export function equals<Name extends QuantityName>(name: Name, value: QuantityValues[Name]): Condition {
  return ({ run }) => run.quantities[name].value === value && !isUnknown(run.quantities[name]);
}

/** A quantity's value has one of these origins. */
export function from(name: QuantityName, ...kinds: readonly OriginKind[]): Condition {
  return ({ run }) => kinds.includes(run.quantities[name].origin.kind);
}

/** The config was written for this release of a framework or library, or a newer one. */
export function atLeast(library: string, release: string): Condition {
  return ({ run: { framework } }) => {
    const version = framework.name === library ? framework.version : framework.libraries?.[library];
    return typeof version === 'string' && compareReleases(version, release) >= 0;
  };
}

export const not = (condition: Condition): Condition => {
  return context => !condition(context);
};

const MOST_SHOWN = 40;

/** `` `key: value` `` as in the file, with long values and collections truncated; only the key if it is absent. */
export function quoted(keys: Keys, path: string): string {
  const node = keys.raw(path);
  if (node?.kind === 'map') return `\`${path}\``;
  if (node?.kind === 'sequence') return `\`${path}\``;
  const source = node?.source.replace(/\s+/g, ' ') ?? '';
  if (source === '') return `\`${path}\``;
  return `\`${path}: ${source.length > MOST_SHOWN ? `${source.slice(0, MOST_SHOWN)}…` : source}\``;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(say: Say, items: readonly string[]): string {
  return items.length < 2
    ? items.join('')
    : say('{0} and {1}', commas(say, items.slice(0, -1)), items.at(-1) ?? '');
}

/** The remedy that sets one key, which is its title. */
export const setKey = (key: string, to: string | number | boolean): SuggestedRemedy => ({
  changes: [{ key, to }],
});

/** A remedy in canonical quantities: the dialect knows its keys. */
export const change = (title: string, ...changes: readonly Change[]): SuggestedRemedy => ({ title, changes });
