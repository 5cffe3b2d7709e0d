import type { Conditions } from '../spec/conditions';
import type { QuantityName } from '../spec/values';
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

/** A rule that is a set of facts: where all hold, one report. */
export interface Fact {
  /** kebab-case, with the dialect in front; it never changes. */
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly when: Conditions;
  /** Keys or quantities that it is reported at, most wanted first. */
  readonly at: readonly string[];
  /** A full sentence: what, why, what to do. `{a.b}` is quoted as the config has it. */
  readonly message: string;
  /** For its page: what it means, and what to do. */
  readonly meaning: string;
  readonly advice: string;
  /** A key to set where that is safe. */
  readonly set?: { readonly key: string; readonly to: string | number | boolean };
  readonly source: string;
  /** A config that it is reported for, and one much like it that it is not. */
  readonly example: string;
  readonly counterexample: string;
}

/** Facts about the configs of some dialects, as one file has them. */
export interface Facts {
  readonly dialects: readonly string[];
  /** Only about configs of these projects (packs of the dialects). */
  readonly packs?: readonly string[];
  readonly facts: readonly Fact[];
}

/** The rules that facts are. */
export function rulesOf({ dialects, packs, facts }: Facts): readonly Rule[] {
  return facts.map(fact => ({
    id: fact.id,
    severity: fact.severity,
    summary: fact.summary,
    sources: [fact.source],
    dialects,
    ...(packs && { packs }),
    check: when(conditionsOf(fact.when), quote => ({
      at: fact.at,
      message: fact.message.replaceAll(/\{([^{}]+)\}/g, (_, key: string) => quote(key)),
      ...(fact.set && { remedies: [setKey(fact.set.key, fact.set.to)] }),
    })),
  }));
}

/** What is said to hold, as conditions. */
export function conditionsOf(said: Conditions): readonly Condition[] {
  const releases = (table: Conditions['since']): readonly Condition[] =>
    Object.entries(table ?? {}).map(([library, release]) => atLeast(library, release));
  return [
    ...(said.on ?? []).map(key => on(key)),
    ...(said.anyOn ? [anyOn(...said.anyOn)] : []),
    ...(said.off ?? []).map(key => off(key)),
    ...(said.stated ?? []).map(stated),
    ...(said.absent ?? []).map(key => not(stated(key))),
    ...texts(said.is).map(([key, values]) => is(key, ...values)),
    ...texts(said.isNot).flatMap(([key, values]) => [stated(key), not(is(key, ...values))]),
    ...Object.entries(said.above ?? {}).map(([key, limit]) => isAbove(key, limit)),
    ...Object.entries(said.below ?? {}).map(([key, limit]) => isBelow(key, limit)),
    ...(said.differ ?? []).map(pair => differ(...pair)),
    ...(said.notMultiple ?? []).map(pair => notMultiple(...pair)),
    ...Object.entries(said.equals ?? {}).map(([name, value]) => equals(name as QuantityName, value as never)),
    ...releases(said.since),
    ...releases(said.before).map(not),
  ];
}

const texts = (table: Conditions['is']): readonly (readonly [string, readonly string[]])[] =>
  Object.entries(table ?? {});
