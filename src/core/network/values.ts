import type { SyntaxNode } from '@lezer/common';

/** A value of a program that is run for its sizes. Numbers stand for integers and floats, arrays for lists and tuples. */
export type Value =
  | null
  | boolean
  | number
  | string
  | Value[]
  | Dictionary
  | Func
  | Native
  | Klass
  | Instance
  | Named
  | Tensor
  | Slice
  | Unknown;

/** What backward needs of a storage. */
export interface Storage {
  readonly elements: number;
  readonly kind: 'float' | 'integer' | 'bool';
  /** Under autocast it is in 16 bits. */
  readonly low: boolean;
  readonly isParameter: boolean;
  /** The segment of the network that made it. */
  readonly segment: number;
  kept: boolean;
  /** Copies in 16 or 32 bits that autocast makes, and that are kept instead. */
  copies: { low: boolean; wide: boolean; self: boolean };
}

/** A tensor: its shape, without values. */
export interface Tensor {
  readonly kind: 'tensor';
  readonly shape: readonly number[];
  readonly storage: Storage;
  /** A gradient flows through it. */
  readonly grad: boolean;
}

export const elementsOf = (shape: readonly number[]): number => shape.reduce((all, one) => all * one, 1);

/** Names of a module, a class body or a call. */
export class Scope {
  readonly names = new Map<string, Value>();

  constructor(readonly above: Scope | null = null) {}

  get(name: string): Value | undefined {
    const own = this.names.get(name);
    return own === undefined ? this.above?.get(name) : own;
  }

  set(name: string, value: Value): void {
    this.names.set(name, value);
  }
}

/** What only a run knows. What follows from it is unknown as well. */
export class Unknown {
  readonly kind = 'unknown';
}

export const UNKNOWN = new Unknown();

export class Dictionary {
  readonly kind = 'dictionary';
  constructor(readonly entries = new Map<Value, Value>()) {}
}

/** `a:b:c` in brackets. */
export class Slice {
  readonly kind = 'slice';
  constructor(
    readonly from: Value,
    readonly to: Value,
    readonly step: Value,
  ) {}
}

/** Something of a library, by its full name. */
export class Named {
  readonly kind = 'named';
  constructor(readonly path: string) {}
}

/** One program file of the project: its names, and where its imports start from. */
export interface Home {
  readonly path: string;
  readonly text: string;
  readonly scope: Scope;
}

export interface Parameter {
  readonly name: string;
  readonly byDefault: SyntaxNode | null;
  readonly stars: 0 | 1 | 2;
  /** Behind a star: given by name only. */
  readonly byName: boolean;
}

/** A function or a lambda of the program. */
export class Func {
  readonly kind = 'func';
  constructor(
    readonly name: string,
    readonly parameters: readonly Parameter[],
    /** The body, or the expression of a lambda. */
    readonly body: SyntaxNode,
    readonly scope: Scope,
    readonly home: Home,
    /** The class that has it, for `super()`. */
    readonly of: Klass | null,
    readonly wraps: 'property' | 'static' | 'class' | 'config' | 'unknown' | null,
    readonly defaults: ReadonlyMap<string, Value>,
  ) {}
}

/** Arguments of a call. */
export interface Args {
  readonly list: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export const NO_ARGS: Args = { list: [], named: new Map() };

/** A function of the interpreter's own. */
export class Native {
  readonly kind = 'native';
  constructor(readonly call: (args: Args) => Value) {}
}

/** A class of the program. */
export class Klass {
  readonly kind = 'klass';
  readonly attributes = new Map<string, Value>();
  constructor(
    readonly name: string,
    readonly bases: readonly Value[],
    readonly home: Home,
    readonly isDataclass: boolean,
    /** Names of annotated fields, in order. */
    readonly fields: readonly string[],
  ) {}
}

/** A layer of torch.nn: its parameters, and what it computes. */
export interface Layer {
  readonly name: string;
  readonly parameters: readonly Tensor[];
  run(args: Args): Value;
}

/** An object of a class, or a layer of torch. */
export class Instance {
  readonly kind = 'instance';
  readonly attributes = new Map<string, Value>();
  /** Makes another one of the same sizes; null: it can't be copied. */
  again: (() => Value) | null = null;
  constructor(
    readonly of: Klass | null,
    public layer: Layer | null = null,
  ) {}
}

/** The program raises, or does what this reader doesn't know. */
export class Raised extends Error {}

export function raise(why: string): never {
  throw new Raised(why);
}

export const isTensor = (value: Value | undefined): value is Tensor =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'tensor';

export const isInstance = (value: Value | undefined): value is Instance => value instanceof Instance;

/** A number, or nothing to count with. */
export function numberOf(value: Value | undefined, what = 'a size'): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return raise(`${what} is not known`);
}

/** Sizes by dimension: one number stands for all. */
export function sizesOf(value: Value | undefined, count: number, what = 'a size'): readonly number[] {
  if (Array.isArray(value)) {
    const all = value.map(one => numberOf(one, what));
    return all.length === 1 ? Array.from({ length: count }, () => all[0] ?? 0) : all;
  }
  const one = numberOf(value, what);
  return Array.from({ length: count }, () => one);
}

/** A name or another plain value as text; empty for others. */
export const wordOf = (value: Value | undefined): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** Reads arguments by position and name. */
export class Reader {
  constructor(
    private readonly args: Args,
    private readonly names: readonly string[] = [],
  ) {}

  get(name: string, byDefault: Value = null): Value {
    const given = this.args.named.get(name);
    if (given !== undefined) return given;
    const at = this.names.indexOf(name);
    const listed = at < 0 ? undefined : this.args.list[at];
    return listed ?? byDefault;
  }

  number(name: string, byDefault?: number): number {
    const value = this.get(name);
    return value === null && byDefault !== undefined ? byDefault : numberOf(value, name);
  }

  flag(name: string, byDefault: boolean): boolean {
    const value = this.get(name);
    return typeof value === 'boolean' || typeof value === 'number' ? Boolean(value) : byDefault;
  }

  sizes(name: string, count: number, byDefault?: number): readonly number[] {
    const value = this.get(name);
    return sizesOf(value ?? byDefault ?? null, count, name);
  }
}
