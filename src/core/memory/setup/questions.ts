import { UNKNOWN } from '../../spec/maybe';
import type { Unknown } from '../../spec/maybe';
import { isUnknown } from '../../spec/quantity';
import type { RunSpec } from '../../spec/runSpec';
import type { GuessName } from '../calibration';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from '../../spec/values';
import { OTHER_GAP } from '../gap';
import type { Gap } from '../gap';
import type { Doubt } from '../estimate';

/** Reads a run for the tape, and notes missing facts and assumptions. */
export class RunQuestions {
  readonly missing: string[] = [];
  /** The kind of each missing fact. */
  readonly gaps: Gap[] = [];
  readonly assumptions: string[] = [];
  readonly doubts: Doubt[] = [];
  private readonly supposed = new Map<QuantityName, unknown>();
  private readonly guesses = new Map<string, GuessName>();

  constructor(readonly run: RunSpec) {}

  /** A quantity's value; null if it is none, or unknown without an assumption. */
  value<Name extends QuantityName>(name: Name): QuantityValues[Name] | null {
    const supposed = this.supposed.get(name) as QuantityValues[Name] | undefined;
    return supposed ?? this.run.quantities[name].value;
  }

  /** Assumes a value for an unstated quantity, and notes the assumption. The run itself is unchanged. */
  suppose<Name extends QuantityName>(name: Name, value: QuantityValues[Name], phrase: string): void {
    this.supposes(name, this.assume(value, phrase));
  }

  /** Answers with a value whose assumption is noted already. */
  supposes<Name extends QuantityName>(name: Name, value: QuantityValues[Name]): void {
    this.supposed.set(name, value);
  }

  /** True if the quantity is unknown. */
  unknown(name: QuantityName): boolean {
    return isUnknown(this.run.quantities[name]);
  }

  detail<Name extends DetailName>(name: Name): DetailValues[Name] | null {
    const quantity = this.run.details[name];
    return quantity?.value ?? null;
  }

  /** A required value; without it there is no estimate. */
  needed<Name extends QuantityName>(name: Name, phrase: string): QuantityValues[Name] | null {
    const value = this.value(name);
    if (value === null) this.lack(phrase);
    return value;
  }

  /** Notes a missing fact: a phrase that completes "missing: …". */
  lack(phrase: string, gap = OTHER_GAP): null {
    if (!this.missing.includes(phrase)) {
      this.missing.push(phrase);
      this.gaps.push(gap);
    }
    return null;
  }

  /** Notes a missing fact, and returns the unknown state. */
  notKnown(phrase: string, gap = OTHER_GAP): Unknown {
    this.lack(phrase, gap);
    return UNKNOWN;
  }

  /** Assumes what may be quite different: the estimate has no verdict, and a wide interval. */
  guess<T>(value: T, phrase: string, name: GuessName = 'other'): T {
    this.guesses.set(phrase, name);
    return this.assume(value, phrase);
  }

  /** What was guessed, one entry for each fact. */
  get guessed(): readonly GuessName[] {
    return [...this.guesses.values()];
  }

  assume<T>(value: T, phrase: string): T {
    if (!this.assumptions.includes(phrase)) this.assumptions.push(phrase);
    return value;
  }
}
