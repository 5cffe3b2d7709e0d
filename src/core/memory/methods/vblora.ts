import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** VBLoRAConfig: vectors in the bank, elements of each, and the number that is mixed. */
const VECTORS = 256;
const LENGTH = 256;
const MIXED = 2;

/** LoRA's matrices are mixtures of a few vectors from a bank that all layers share. */
export const vblora: AdapterMethod = {
  names: ['vblora'],
  title: 'VB-LoRA',
  source: 'peft 0.21.2, tuners/vblora/layer.py, Linear._get_low_rank_matrix',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const { r, dtype } = plan;
    const bank = builder.extras.common('vblora bank', [VECTORS, LENGTH], dtype);
    const logits = [shape.inputs, shape.outputs].map(size =>
      builder.adapter([r, size / LENGTH, VECTORS], dtype),
    );
    return withUpdate(site, (tape, x) => {
      const [a, b] = logits.map(one => mixture(tape, one, bank));
      if (!a || !b) return x;
      const narrow = matmul(tape, x, a, null, [r, shape.inputs]);
      return matmul(tape, narrow, b, null, [shape.outputs, r]);
    });
  },
};

/** Keeps the weights of the best vectors, these vectors, and their products; the result is their sum. */
function mixture(tape: Tape, logits: Parameter, bank: Tensor): Tensor {
  const elements = (logits.elements / VECTORS) * LENGTH;
  const node = tape.record(logits, bank);
  const picked = tape.empty(elements * MIXED, logits.dtype);
  if (node) {
    node.save(picked);
    node.backward = () => {
      const ofPicked = tape.empty(picked.elements, logits.dtype);
      return [tape.like(logits), tape.done(tape.like(bank), ofPicked)];
    };
  }
  return tape.done(tape.empty(elements, logits.dtype, node), picked);
}
