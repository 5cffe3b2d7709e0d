import assert from 'node:assert/strict';
import { Graph } from '../../../src/core/memory/autograd';
import { activation, add, scale } from '../../../src/core/memory/ops/pointwise';
import { Tape } from '../../../src/core/memory/tape';
import type { Leaf, Tensor } from '../../../src/core/memory/tensor';
import { checkpoint } from '../../../src/core/memory/transforms/checkpoint';
import type { Checkpointed } from '../../../src/core/memory/transforms/checkpoint';

const SIZE = 4096;
const BYTES = SIZE * 2;

const fresh = (tape: Tape): Tensor => tape.empty(SIZE, 'bf16');

/** A named tensor that requires a gradient. */
function leafOf(tape: Tape): Leaf {
  const leaf = tape.leaf(fresh(tape));
  leaf.storage.owners -= 1;
  tape.keep(leaf);
  return leaf;
}

describe('memory: the tape', () => {
  it('frees a temporary with the operation that consumes it', () => {
    const tape = new Tape();
    const result = scale(tape, scale(tape, fresh(tape)));
    assert.equal(tape.ledger.live, BYTES);
    assert.equal(tape.ledger.takePeak().bytes, 2 * BYTES);
    tape.spend(result);
    assert.equal(tape.ledger.live, 0);
  });

  it('keeps arguments to the end of a function, and its names', () => {
    const tape = new Tape();
    const result = tape.call([fresh(tape)], () => {
      tape.name(fresh(tape));
      return fresh(tape);
    });
    assert.equal(tape.ledger.takePeak().bytes, 3 * BYTES);
    assert.equal(tape.ledger.live, BYTES);
    tape.spend(result);
    assert.equal(tape.ledger.live, 0);
  });

  it('rebinds a name: the old tensor goes when the new one is there', () => {
    const tape = new Tape();
    tape.call([], () => {
      const first = tape.name(fresh(tape));
      return tape.rename(first, scale(tape, first));
    });
    assert.equal(tape.ledger.takePeak().bytes, 2 * BYTES);
  });

  it('counts a view with what it is a view of', () => {
    const tape = new Tape();
    const whole = tape.keep(fresh(tape));
    const part = tape.keep(tape.view(whole, 16));
    tape.release(whole);
    assert.equal(tape.ledger.live, BYTES);
    tape.release(part);
    assert.equal(tape.ledger.live, 0);
  });

  it('sums the gradients of a tensor that is used twice, and frees everything', () => {
    const tape = new Tape();
    const leaf = leafOf(tape);
    const graph = new Graph(tape);
    tape.graph = graph;
    const twice = tape.keep(tape.call([], () => add(tape, scale(tape, leaf), activation(tape, leaf))));
    const seed = tape.keep(tape.like(twice));
    graph.backward(twice, seed);
    for (const tensor of [seed, twice]) tape.release(tensor);
    assert.equal(tape.ledger.live, 2 * BYTES, 'the leaf and its gradient');
    const gradient = tape.gradientOf(leaf);
    assert.ok(gradient);
    tape.spend(gradient);
    assert.equal(tape.ledger.live, BYTES);
  });
});

describe('memory: a repeated body', () => {
  const run = (tape: Tape, walk: (x: Tensor) => Tensor): { kept: number; peak: number; left: number } => {
    const leaf = leafOf(tape);
    const graph = new Graph(tape);
    tape.graph = graph;
    const output = tape.call([], () => walk(tape.name(scale(tape, leaf))));
    tape.keep(output);
    const kept = tape.ledger.live;
    const seed = tape.keep(tape.like(output));
    graph.backward(output, seed);
    for (const tensor of [seed, output]) tape.release(tensor);
    return { kept, peak: tape.ledger.takePeak().bytes, left: tape.ledger.live };
  };

  it('takes what it takes unrolled, forwards and backwards', () => {
    for (const times of [2, 3, 17]) {
      const body = (tape: Tape) => (x: Tensor) =>
        tape.call([x], () => add(tape, x, activation(tape, scale(tape, x))));
      const repeated = new Tape();
      const unrolled = new Tape();
      assert.deepEqual(
        run(repeated, x => repeated.repeat(times, x, [body(repeated)])),
        run(unrolled, x =>
          unrolled.through(
            x,
            Array.from({ length: times }, () => body(unrolled)),
          ),
        ),
      );
    }
  });
});

describe('memory: checkpointing', () => {
  const layers = 6;
  const body =
    (tape: Tape) =>
    (x: Tensor): Tensor =>
      tape.call([x], () => add(tape, x, activation(tape, activation(tape, scale(tape, x)))));

  function peaks(kind: Checkpointed['kind'] | 'none'): { kept: number; left: number } {
    const tape = new Tape();
    const leaf = leafOf(tape);
    const graph = new Graph(tape);
    tape.graph = graph;
    const step = (x: Tensor): Tensor =>
      kind === 'none' ? body(tape)(x) : checkpoint(tape, x, { kind, captured: [], body: body(tape) });
    const output = tape.keep(
      tape.call([], () =>
        tape.through(
          tape.name(scale(tape, leaf)),
          Array.from({ length: layers }, () => step),
        ),
      ),
    );
    const kept = tape.ledger.live;
    const seed = tape.keep(tape.like(output));
    graph.backward(output, seed);
    for (const tensor of [seed, output]) tape.release(tensor);
    return { kept, left: tape.ledger.live };
  }

  it('keeps the inputs of what is checkpointed, and frees all in the end', () => {
    const none = peaks('none');
    assert.equal(
      none.kept,
      BYTES * (1 + 1 + 2 * layers),
      'leaf, output, the inputs of two activations a layer',
    );
    for (const kind of ['reentrant', 'non-reentrant'] as const) {
      const found = peaks(kind);
      assert.equal(found.kept, BYTES * (1 + 1 + layers), `${kind}: leaf, output, one input a layer`);
      assert.equal(found.left, none.left);
    }
  });
});
