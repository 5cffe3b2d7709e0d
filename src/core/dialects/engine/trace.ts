import type { Framework } from '../../spec/runSpec';
import type { OwnModel } from '../../models/ownModel';
import type { Dialect } from '../dialect';
import type { Layers } from './layers';
import type { ShownPack } from './packs';
import type { RunReader } from './runReader';

/** The inputs of an answer: while they stay the same, so does the answer. */
export class Trace {
  readonly keys = new Set<string>();
  /** The answers used, including itself. */
  readonly names = new Set<string>();
  /** It depends on more than keys and answers: on the files that the config names, or on its other content. */
  isWide = false;

  absorb(other: Trace): void {
    for (const key of other.keys) this.keys.add(key);
    for (const name of other.names) this.names.add(name);
    this.isWide ||= other.isWide;
  }
}

/** Records the inputs of answers while they are computed; answers can be nested. */
export class Traces {
  private readonly open: Trace[] = [];
  private readonly done = new Map<string, Trace>();

  /** Computes an answer and records its inputs. */
  during<T>(name: string, make: () => T): T {
    const trace = new Trace();
    trace.names.add(name);
    this.open.push(trace);
    try {
      return make();
    } finally {
      this.open.pop();
      this.done.set(name, trace);
      this.open.at(-1)?.absorb(trace);
    }
  }

  of(name: string): Trace | null {
    return this.done.get(name) ?? null;
  }

  /** Every key that any answer depends on. */
  keys(): ReadonlySet<string> {
    return new Set([...this.done.values()].flatMap(({ keys }) => [...keys]));
  }

  /** Records that the current answer uses an earlier one. */
  reuse(name: string): void {
    const trace = this.done.get(name);
    if (trace) this.open.at(-1)?.absorb(trace);
  }

  key(key: string): void {
    this.open.at(-1)?.keys.add(key);
  }

  /** Records that the current answers depend on more than keys. */
  widen(): void {
    for (const trace of this.open) trace.isWide = true;
  }
}

/** A run whose answers may be traced. */
export interface TracedRun extends RunReader {
  readonly dialect: Dialect;
  readonly framework: Framework;
  readonly packs: readonly ShownPack[];
  readonly layers: Layers;
  /** The inputs of each answer; null if not traced. */
  readonly traces: Traces | null;
  ownModel(): OwnModel | null;
}

/** Answers from before some keys were set, as far as they do not depend on these keys. */
export class Earlier {
  private readonly same = new Map<string, boolean>();

  private constructor(
    private readonly now: TracedRun,
    readonly before: TracedRun,
    private readonly given: ReadonlySet<string>,
  ) {}

  /** Null if everything has to be read again. `given` are the names of given values that differ. */
  static of(now: TracedRun, before: TracedRun, given: ReadonlySet<string>): Earlier | null {
    if (JSON.stringify(now.framework) !== JSON.stringify(before.framework)) return null;
    if (packsOf(now) !== packsOf(before)) return null;
    return new Earlier(now, before, given);
  }

  /** True if an earlier answer is still valid. */
  holds(name: string): boolean {
    const trace = this.before.traces?.of(name);
    if (!trace || trace.isWide) return false;
    for (const one of trace.names) if (this.given.has(one)) return false;
    for (const key of trace.keys) if (!this.isSame(key)) return false;
    return true;
  }

  private isSame(key: string): boolean {
    const known = this.same.get(key);
    if (known !== undefined) return known;
    const same = this.now.layers.agreeWith(this.before.layers, key);
    this.same.set(key, same);
    return same;
  }
}

const packsOf = ({ packs }: TracedRun): string => packs.map(({ pack }) => pack.id).join(' ');
