import type { Conditions } from '../spec/conditions';
import type { QuantityName } from '../spec/values';
import { said } from '../text/say';
import type { Template } from '../text/say';
import type { Rule } from './rule';
import type { Severity } from '../spec/conditions';
import {
  isAbove,
  anyOn,
  atLeast,
  isBelow,
  differ,
  equals,
  is,
  not,
  notMultiple,
  off,
  on,
  setKey,
  stated,
  when,
} from './when';
import type { Condition } from './when';

/** A rule that is a set of facts: reports once if all hold. */
interface Fact {
  /** In kebab-case, with the dialect as prefix; never changes. */
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly when: Conditions;
  /** Keys or quantities to report it at, in order of preference. */
  readonly at: readonly string[];
  /** A full sentence: what, why, what to do. `{a.b}` is replaced by the key as the config has it. */
  readonly message: Template;
  /** For its page: the meaning, and what to do. */
  readonly meaning: string;
  readonly advice: string;
  /** A key to set, if that is safe. */
  readonly set?: { readonly key: string; readonly to: string | number | boolean };
  readonly source: string;
  /** A config that it is reported for, and a similar one that it is not reported for. */
  readonly example: string;
  readonly counterexample: string;
}

/** Facts about the configs of some dialects, from one file. */
export interface Facts {
  readonly dialects: readonly string[];
  /** Only for configs of these projects (packs of the dialects). */
  readonly packs?: readonly string[];
  readonly facts: readonly Fact[];
}

/** Facts as rules. */
export function rulesOf({ dialects, packs, facts }: Facts): readonly Rule[] {
  return facts.map(fact => ({
    id: fact.id,
    severity: fact.severity,
    summary: fact.summary,
    sources: [fact.source],
    dialects,
    ...(packs && { packs }),
    check: when(conditionsOf(fact.when), (quote, { say }) => ({
      at: fact.at,
      message: said(say, fact.message).replaceAll(/\{([^{}]+)\}/g, (_, key: string) => quote(key)),
      ...(fact.set && { remedies: [setKey(fact.set.key, fact.set.to)] }),
    })),
  }));
}

/** The stated conditions, compiled. */
export function conditionsOf(conditions: Conditions): readonly Condition[] {
  const releases = (table: Conditions['since']): readonly Condition[] =>
    Object.entries(table ?? {}).map(([library, release]) => atLeast(library, release));
  return [
    ...(conditions.on ?? []).map(key => on(key)),
    ...(conditions.anyOn ? [anyOn(...conditions.anyOn)] : []),
    ...(conditions.off ?? []).map(key => off(key)),
    ...(conditions.stated ?? []).map(stated),
    ...(conditions.absent ?? []).map(key => not(stated(key))),
    ...texts(conditions.is).map(([key, values]) => is(key, ...values)),
    ...texts(conditions.isNot).flatMap(([key, values]) => [stated(key), not(is(key, ...values))]),
    ...Object.entries(conditions.above ?? {}).map(([key, limit]) => isAbove(key, limit)),
    ...Object.entries(conditions.below ?? {}).map(([key, limit]) => isBelow(key, limit)),
    ...(conditions.differ ?? []).map(pair => differ(...pair)),
    ...(conditions.notMultiple ?? []).map(pair => notMultiple(...pair)),
    ...Object.entries(conditions.equals ?? {}).map(([name, value]) =>
      equals(name as QuantityName, value as never),
    ),
    ...releases(conditions.since),
    ...releases(conditions.before).map(not),
  ];
}

const texts = (table: Conditions['is']): readonly (readonly [string, readonly string[]])[] =>
  Object.entries(table ?? {});
