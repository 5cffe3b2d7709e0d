import { withDelta } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import type { Parameter, Tensor } from '../tensor';

/** (w1a · w1b) ∘ (w2a · w2b): an autograd function that keeps the four factors and recomputes the products. */
export const loha: AdapterMethod = {
  names: ['loha'],
  title: 'LoHa',
  source: 'peft 0.21.2, tuners/loha/layer.py, HadaWeight',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const all: Parameter[] = [1, 2].flatMap(() => [
      builder.adapter([shape.outputs, plan.r], plan.dtype),
      builder.adapter([plan.r, shape.inputs], plan.dtype),
    ]);
    const elements = shape.outputs * shape.inputs;
    return withDelta(site, tape => {
      const node = tape.record(...all);
      const product = (): Tensor => tape.empty(elements, plan.dtype);
      if (node) {
        for (const factor of all) node.save(factor);
        node.backward = () => {
          const gradients = all.map(factor => tape.like(factor));
          const temporaries = [product(), product(), product()];
          for (const temporary of temporaries) tape.spend(temporary);
          return gradients;
        };
      }
      const both = tape.done(product(), product(), product());
      return tape.done(tape.empty(elements, plan.dtype, node), both);
    });
  },
};
