import { STATES } from './terms';
import type { Tape } from './tape';
import type { Element, Parameter, Tensor } from './tensor';

/** Consecutive trainable parameters of the model, repeated `times`. */
export interface ParameterGroup {
  readonly times: number;
  readonly parameters: readonly Parameter[];
}

/** An optimizer: the device allocations of one step, by torch's counters. One file per family. */
export interface Optimizer {
  /** Names in frameworks. */
  readonly names: readonly string[];
  readonly title: string;
  /** The source of its memory use. */
  readonly source: string;
  /** Memory outside torch's counters, for the user. */
  readonly note?: string;
  /** Takes gradients as soon as they exist, one parameter at a time: they are never all alive. */
  readonly consumesGradients?: boolean;
  /** One step; `first`: the states do not exist yet, and are created. */
  step(tape: Tape, groups: readonly ParameterGroup[], first: boolean): void;
}

/** The same optimizer, stepped for each parameter while backward runs (register_post_accumulate_grad_hook). */
export function steppedInBackward(optimizer: Optimizer): Optimizer {
  return {
    ...optimizer,
    title: `${optimizer.title}, in backward`,
    consumesGradients: true,
    step(tape, groups, first) {
      for (const { times, parameters } of groups) {
        if (times > 1) tape.ledger.begin(times);
        for (const parameter of parameters) {
          optimizer.step(tape, [{ times: 1, parameters: [parameter] }], first);
        }
        if (times > 1) tape.ledger.end([], []);
      }
    },
  };
}

/** A loop variable: holds its tensor until the next one is assigned. */
export class Variable {
  value: Tensor | null = null;

  constructor(private readonly tape: Tape) {}

  set(tensor: Tensor): Tensor {
    this.tape.keep(tensor);
    this.clear();
    this.value = tensor;
    return tensor;
  }

  clear(): void {
    if (this.value) this.tape.release(this.value);
    this.value = null;
  }
}

/** Visits the parameters in order, equal groups once for all, with loop variables that outlive an iteration. */
export function eachParameter(
  tape: Tape,
  groups: readonly ParameterGroup[],
  variables: readonly Variable[],
  visit: (parameter: Parameter) => void,
): void {
  const held = (): Tensor['storage'][] => variables.flatMap(({ value }) => value?.storage ?? []);
  for (const { times, parameters } of groups) {
    const before = held();
    if (times > 1) tape.ledger.begin(times);
    for (const parameter of parameters) visit(parameter);
    if (times > 1) tape.ledger.end(before, held());
  }
  for (const variable of variables) variable.clear();
}

/** Creates a permanent state tensor. */
export function state(tape: Tape, elements: number, dtype: Element): Tensor {
  return tape.keep(tape.during(STATES, () => tape.empty(elements, dtype)));
}
