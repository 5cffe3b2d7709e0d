import type { SyntaxNode } from '@lezer/common';
import type { Args, Func, Home, Instance, Klass, Scope, Storage, Value } from './values';
import type { SeenSamples } from './seen';
import type { Trace } from './trace';

/** The running function. */
export interface Frame {
  readonly scope: Scope;
  readonly home: Home;
  /** The class whose method runs, and its object. */
  readonly of: Klass | null;
  readonly self: Value;
  /** A class body runs: its functions see the names around it. */
  readonly inClass?: true;
}

/** Names that hold networks, and the statements that use them. */
export interface Block {
  readonly scope: Scope;
  readonly body: SyntaxNode;
  readonly text: string;
}

/** Imports of the project: null if a name is of a library. */
export type Import = (module: string, name: string | null, from: string) => Value | null;

/** Runs a program's code for the sizes of its tensors, without values. What it doesn't know is unknown. */
export interface Machine {
  readonly trace: Trace;
  /** Parameters that are not trained. */
  readonly frozen: Set<Storage>;
  readonly imported: Import;
  /** Names of models that the program takes from a library. */
  readonly named: Set<string>;
  /** What the program says of its samples. */
  readonly seen: SeenSamples;
  /** The config, as the program loads it. */
  config: Value;
  /** What a command gives a program that has no config; null: the options are those of another program. */
  options: Value | null;
  /** The program that is run as far as it is known: what fails in it is passed over. */
  lenient: Home | null;
  /** Networks that the program has made, of classes of its own. */
  readonly made: Instance[];
  /** The program itself, and functions that it has called since it makes networks. */
  readonly blocks: Block[];
  /** Parameters that the program gives to optimizers. */
  readonly optimized: Set<Storage>;
  /** Whether an optimizer gets parameters that are not known. */
  hasOpenOptimizer: boolean;
  /** Objects with settings that the program has made. */
  readonly settings: Instance[];
  /** Why a network could not be made; null: none failed. */
  whyNot: string | null;
  /** Layers behind each other, which are a network where no class is. */
  readonly sequences: Instance[];
  /** What a config of the project holds that the program opens; null: none is there. */
  readonly load: (path: string) => Value;
  /** A class or a function of the project by its full name. */
  readonly find: (path: string) => Value | null;
  /** Counts a step, and items that it goes over. Throws if the program takes too many. */
  step(items?: number): void;
  evaluate(node: SyntaxNode, frame: Frame): Value;
  attribute(of: Value, name: string): Value;
  call(target: Value, args: Args): Value;
  /** `self`: the object of a method, which is its first argument. */
  callFunction(target: Func, args: Args, self: Value | undefined): Value;
  /** The items of what a loop goes over. */
  items(value: Value): readonly Value[];
  /** Whether a condition holds; unknown ones don't. */
  holds(value: Value): boolean;
}
