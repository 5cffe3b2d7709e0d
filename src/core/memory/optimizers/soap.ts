import { Variable, eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** Longer sides have no preconditioner (max_precond_dim). */
const LONGEST = 10_000;

/** Elements of a parameter's preconditioners, by side; vectors have none (precondition_1d). */
function squares({ shape }: Parameter): readonly number[] {
  return shape.length < 2 ? [] : shape.filter(size => size <= LONGEST).map(size => size * size);
}

/** Adam in the eigenbasis of Shampoo's preconditioners: moments, and GG and Q in fp32 per side. */
export const soap: Optimizer = {
  names: ['soap'],
  title: 'SOAP',
  source: 'nikhilvyas/SOAP a1e5535, soap.py',
  note: 'The step that renews the preconditioners is counted, every tenth; workspaces of its QR decomposition are not.',
  step(tape, groups, first) {
    eachParameter(tape, groups, [], parameter => {
      if (first) states(tape, parameter);
      if (parameter.shape.length < 2) vector(tape, parameter);
      else matrix(tape, parameter);
    });
  },
};

function states(tape: Tape, parameter: Parameter): void {
  for (let i = 0; i < 2; i++) state(tape, parameter.elements, parameter.dtype);
  for (const square of squares(parameter)) for (let i = 0; i < 2; i++) state(tape, square, 'fp32');
}

/** Without projection: the denominator and the quotient. */
function vector(tape: Tape, { elements, dtype }: Parameter): void {
  const denominator = tape.empty(elements, dtype);
  const update = tape.empty(elements, dtype);
  for (const tensor of [denominator, update]) tape.spend(tensor);
}

/** The step's variables: the moment projected back, the last outer product, and the sorted second moment. */
function matrix(tape: Tape, parameter: Parameter): void {
  const sides = squares(parameter);
  const held: Tensor[] = [];
  for (let i = 0; i < 5; i++) held.push(tape.empty(parameter.elements, parameter.dtype));
  const outer = sides.at(-1);
  if (outer !== undefined) held.push(tape.empty(outer, 'fp32'));
  for (const tensor of [...held, ...bases(tape, sides)]) tape.spend(tensor);
}

/**
 * get_orthogonal_matrix_QR: the sorted o, m @ o, and its Q and R; variables hold those of the last side until
 * reassigned.
 */
function bases(tape: Tape, sides: readonly number[]): readonly Tensor[] {
  const variables = [1, 2, 3].map(() => new Variable(tape));
  const [power, r, sorted] = variables;
  const found: Tensor[] = [];
  for (const square of sides) {
    const side = Math.sqrt(square);
    const eigenvalues = tape.empty(side, 'fp32');
    const order = tape.empty(side, 'int64');
    sorted?.clear();
    sorted?.set(tape.empty(square, 'fp32'));
    power?.set(tape.empty(square, 'fp32'));
    found.push(tape.empty(square, 'fp32'));
    r?.set(tape.empty(square, 'fp32'));
    for (const tensor of [eigenvalues, order]) tape.spend(tensor);
  }
  for (const variable of variables) variable.clear();
  return found;
}
