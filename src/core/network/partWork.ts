import type { NetworkWork } from '../models/network';
import { ROWS } from './inputs';
import type { Segment } from './trace';
import type { Work } from './work';

/** Backward of a fused attention kernel has five products where forward has two (FlashAttention-2, section 3.1). */
const ATTENTION_BACKWARD = 2.5;

/** What nothing computes. */
export const NO_WORK: NetworkWork = {
  products: [],
  attention: { forward: 0, backward: 0 },
  written: { full: 0, mixed: 0 },
  kernels: 0,
};

/** The work of consecutive layers per sample, of a pass over `ROWS` of them. */
export function workOf(segments: readonly Segment[]): NetworkWork {
  const all = segments.flatMap(({ work }) => work);
  const sum = (of: (segment: Segment) => number): number =>
    segments.reduce((total, segment) => total + of(segment), 0);
  return {
    products: productsIn(all),
    attention: attentionIn(all),
    written: {
      full: sum(({ written }) => written.full) / ROWS,
      mixed: sum(({ written }) => written.mixed) / ROWS,
    },
    kernels: sum(({ written }) => written.kernels),
  };
}

/** The work of a network that a step passes so often. */
export const repeated = (work: NetworkWork, times: number): NetworkWork => ({
  products: work.products.map(one => ({ ...one, times: one.times * times })),
  attention: { forward: work.attention.forward * times, backward: work.attention.backward * times },
  written: { full: work.written.full * times, mixed: work.written.mixed * times },
  kernels: work.kernels * times,
});

function productsIn(all: readonly Work[]): NetworkWork['products'] {
  const found = new Map<string, NetworkWork['products'][number]>();
  for (const { computed, gradients } of all) {
    if (computed.kind !== 'product') continue;
    const { rows, inputs, outputs, groups, times, grows, reads } = computed;
    const key = `${rows} ${inputs} ${outputs} ${groups} ${grows} ${gradients} ${reads ?? ''}`;
    const known = found.get(key)?.times ?? 0;
    const window = reads === undefined ? {} : { reads: reads / ROWS };
    const sized = { rows, groups, ...window, [grows]: computed[grows] / ROWS };
    found.set(key, { ...sized, inputs, outputs, grows, gradients, times: known + times });
  }
  return [...found.values()];
}

function attentionIn(all: readonly Work[]): NetworkWork['attention'] {
  let [forward, backward] = [0, 0];
  for (const { computed, gradients } of all) {
    if (computed.kind !== 'attention') continue;
    forward += computed.flops / ROWS;
    if (gradients > 0) backward += (computed.flops * ATTENTION_BACKWARD) / ROWS;
  }
  return { forward, backward };
}
