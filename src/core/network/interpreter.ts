import type { SyntaxNode } from '@lezer/common';
import { attributeOf } from './attributes';
import { bind, construct, isNetwork } from './calls';
import { evaluate } from './expressions';
import { libraryCall } from './library';
import type { Block, Frame, Import, Machine } from './machine';
import { run } from './statements';
import {
  Dictionary,
  Func,
  Instance,
  isTensor,
  Klass,
  Named,
  Native,
  NO_ARGS,
  raise,
  Scope,
  Unknown,
  UNKNOWN,
} from './values';
import { SeenSamples } from './seen';
import { Trace } from './trace';
import type { Args, Home, Storage, Value } from './values';

/** Steps of one network: the deepest of real ones need some hundred thousand. */
const MOST_STEPS = 300_000;
const DEEPEST = 120;
/** Copying so many items of a list counts as a step. */
const ITEMS_PER_STEP = 16;

/** Functions of a program that are looked through for its networks. */
const MOST_BLOCKS = 200;

/** The program takes too long; no `try` of it catches that. */
export class TooLong extends Error {}

/** Hydra gives its config to the function that it starts. */
function givenTo({ wraps }: Func, args: Args, self: Value | undefined, config: Value): Args {
  if (wraps === 'config' && args.list.length === 0) return { ...args, list: [config] };
  return self === undefined ? args : { ...args, list: [self, ...args.list] };
}

/** Runs programs within limits. */
export class Interpreter implements Machine {
  readonly trace = new Trace(() => this.step());
  readonly frozen = this.trace.frozen;
  readonly named = new Set<string>();
  readonly made: Instance[] = [];
  readonly sequences: Instance[] = [];
  readonly settings: Instance[] = [];
  readonly blocks: Block[] = [];
  readonly optimized = new Set<Storage>();
  hasOpenOptimizer = false;
  whyNot: string | null = null;
  readonly seen = new SeenSamples();
  config: Value = UNKNOWN;
  options: Value | null = null;
  lenient: Home | null = null;
  private steps = 0;
  private depth = 0;

  constructor(
    readonly imported: Import,
    readonly find: (path: string) => Value | null,
    readonly load: (path: string) => Value,
  ) {}

  step(items = 0): void {
    this.steps += 1 + items / ITEMS_PER_STEP;
    if (this.steps > MOST_STEPS) throw new TooLong('the program takes too many steps');
  }

  evaluate(node: SyntaxNode, frame: Frame): Value {
    this.step();
    if (this.depth > DEEPEST) throw new TooLong('the program calls too deeply');
    const value = evaluate(this, node, frame);
    if (typeof value === 'string' || Array.isArray(value)) this.step(value.length);
    return value;
  }

  attribute(of: Value, name: string): Value {
    return attributeOf(this, of, name);
  }

  call(target: Value, args: Args): Value {
    this.step();
    if (target instanceof Native) return target.call(args);
    if (target instanceof Func) return this.callFunction(target, args, undefined);
    if (target instanceof Klass) return construct(this, target, args);
    if (target instanceof Named) return libraryCall(this, target.path, args);
    if (target instanceof Instance) return this.callObject(target, args);
    if (target instanceof Unknown || target === null) return UNKNOWN;
    return raise('what is called is not a function');
  }

  callFunction(target: Func, args: Args, self: Value | undefined): Value {
    if (target.wraps === 'unknown') return UNKNOWN;
    const given = givenTo(target, args, self, this.config);
    const scope = new Scope(target.scope);
    bind(target, given, scope);
    const frame = { scope, home: target.home, of: target.of, self: given.list[0] ?? null };
    this.depth += 1;
    if (this.depth > DEEPEST) throw new TooLong('the program calls too deeply');
    try {
      if (target.body.name !== 'Body') return this.evaluate(target.body, frame);
      const result = run(this, target.body, frame);
      return result.kind === 'return' ? result.value : null;
    } finally {
      this.note(target, scope);
      this.depth -= 1;
    }
  }

  /** Notes a function of the program that may train. */
  private note({ body, home, of }: Func, scope: Scope): void {
    if (this.made.length + this.sequences.length === 0 || (of !== null && isNetwork(of))) return;
    if (this.blocks.length < MOST_BLOCKS) this.blocks.push({ scope, body, text: home.text });
  }

  private callObject(target: Instance, args: Args): Value {
    if (target.layer) {
      this.trace.layer(target.layer.parameters);
      return target.layer.run(args);
    }
    const method = attributeOf(this, target, '__call__') ?? attributeOf(this, target, 'forward');
    if (!(method instanceof Native)) raise(`${target.of?.name ?? 'an object'} has no forward`);
    return method.call(args);
  }

  items(value: Value): readonly Value[] {
    const found = this.itemsIn(value);
    this.step(found.length);
    return found;
  }

  private itemsIn(value: Value): readonly Value[] {
    if (Array.isArray(value)) return [...value];
    if (value instanceof Dictionary) return [...value.entries.keys()];
    if (typeof value === 'string') return value.split('');
    if (isTensor(value)) return this.rows(value);
    if (value instanceof Instance) {
      const listed = value.attributes.get('#items');
      if (Array.isArray(listed)) return [...listed];
      if (listed instanceof Dictionary) return [...listed.entries.keys()];
      const method = attributeOf(this, value, '__iter__');
      if (method instanceof Native) return this.itemsIn(method.call(NO_ARGS));
    }
    return raise('what a loop goes over is not known');
  }

  private rows(value: Value): readonly Value[] {
    if (!isTensor(value)) return [];
    const [count = 0, ...rest] = value.shape;
    if (count > 4096) raise('a loop over too many rows');
    return Array.from({ length: count }, () => this.trace.view(value, rest));
  }

  holds(value: Value): boolean {
    if (value instanceof Unknown || value === null) return false;
    if (Array.isArray(value)) return value.length > 0;
    if (value instanceof Dictionary) return value.entries.size > 0;
    if (value instanceof Instance) {
      const listed = value.attributes.get('#items');
      return Array.isArray(listed) ? listed.length > 0 : true;
    }
    return typeof value === 'object' ? true : Boolean(value);
  }
}
