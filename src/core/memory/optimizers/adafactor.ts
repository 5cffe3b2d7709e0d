import { Variable, eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import { isHalf } from '../tensor';
import type { Parameter, Tensor } from '../tensor';

/** Tensors that the loop of `Adafactor.step` holds from one parameter to the next. */
class Loop {
  readonly gradient: Variable;
  readonly wide: Variable;
  readonly update: Variable;
  readonly all: readonly Variable[];

  constructor(tape: Tape) {
    this.gradient = new Variable(tape);
    this.wide = new Variable(tape);
    this.update = new Variable(tape);
    this.all = [this.gradient, this.wide, this.update];
  }
}

/** transformers' Adafactor without momentum: factored second moments of matrices, fp32 copies, full-size updates. */
export const adafactor: Optimizer = {
  names: ['adafactor'],
  title: 'Adafactor',
  source: 'transformers 5.23.0, optimization.py, Adafactor.step',
  step(tape, groups, first) {
    const loop = new Loop(tape);
    eachParameter(tape, groups, loop.all, parameter => update(tape, parameter, loop, first));
  },
};

function update(tape: Tape, parameter: Parameter, loop: Loop, first: boolean): void {
  const { elements, dtype, shape } = parameter;
  const [rows, columns] = factors(shape);
  const fp32 = (): Tensor => tape.empty(elements, 'fp32');
  if (isHalf(dtype)) loop.gradient.set(fp32());
  if (first) states(tape, rows, columns);
  if (isHalf(dtype)) loop.wide.set(fp32());
  rootMeanSquare(tape, first);
  const square = fp32();
  loop.update.set(tape.done(fp32(), square));
  if (columns === null) {
    loop.update.set(fp32());
  } else {
    tape.spend(tape.empty(rows, 'fp32'));
    tape.spend(tape.empty(columns, 'fp32'));
    loop.update.set(approximation(tape, elements, rows, columns));
  }
  scalars(tape);
  tape.spend(fp32());
}

/** Elements of the row and column moments: the shape without the last, or the second-to-last, dimension. */
function factors(shape: readonly number[]): readonly [rows: number, columns: number | null] {
  const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);
  if (shape.length < 2) return [product(shape), null];
  return [product(shape.slice(0, -1)), product([...shape.slice(0, -2), ...shape.slice(-1)])];
}

/** Row and column moments of a matrix, or a full one of a vector. */
function states(tape: Tape, rows: number, columns: number | null): void {
  state(tape, rows, 'fp32');
  if (columns !== null) state(tape, columns, 'fp32');
}

/** `state["RMS"]`, a scalar that lives until the next step replaces it. */
function rootMeanSquare(tape: Tape, first: boolean): void {
  const norm = tape.empty(1, 'fp32');
  if (first) state(tape, 1, 'fp32');
  else tape.spend(tape.empty(1, 'fp32'));
  tape.spend(norm);
}

/** _approx_sq_grad: the outer product of row and column factors. */
function approximation(tape: Tape, elements: number, rows: number, columns: number): Tensor {
  const mean = tape.empty(1, 'fp32');
  const rowFactor = tape.done(tape.empty(rows, 'fp32'), mean);
  const columnFactor = tape.empty(columns, 'fp32');
  return tape.done(tape.empty(elements, 'fp32'), rowFactor, columnFactor);
}

/** The root mean square of the update. */
function scalars(tape: Tape): void {
  const norm = tape.empty(1, 'fp32');
  const rms = tape.done(tape.empty(1, 'fp32'), norm);
  tape.spend(tape.done(tape.empty(1, 'fp32'), rms));
}
