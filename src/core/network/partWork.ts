import type { NetworkWork } from '../models/network';
import { ROWS } from './inputs';
import type { Segment } from './trace';
import type { Work } from './work';

/** Backward of a fused attention kernel has five products where forward has two (FlashAttention-2, section 3.1). */
const ATTENTION_BACKWARD = 2.5;

/** What nothing computes. */
export const NO_WORK: NetworkWork = {
  products: [],
  convolution: { forward: 0, backward: 0 },
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
    convolution: flopsOf(all, 'convolution', gradients => gradients),
    attention: flopsOf(all, 'attention', gradients => (gradients > 0 ? ATTENTION_BACKWARD : 0)),
    written: {
      full: sum(({ written }) => written.full) / ROWS,
      mixed: sum(({ written }) => written.mixed) / ROWS,
    },
    kernels: sum(({ written }) => written.kernels),
  };
}

function productsIn(all: readonly Work[]): NetworkWork['products'] {
  const found = new Map<string, NetworkWork['products'][number]>();
  for (const { computed, gradients } of all) {
    if (computed.kind !== 'product') continue;
    const { rows, inputs, outputs, groups, times, grows } = computed;
    const key = `${rows} ${inputs} ${outputs} ${groups} ${grows} ${gradients}`;
    const known = found.get(key)?.times ?? 0;
    const sized = { rows, groups, [grows]: computed[grows] / ROWS };
    found.set(key, { ...sized, inputs, outputs, grows, gradients, times: known + times });
  }
  return [...found.values()];
}

function flopsOf(
  all: readonly Work[],
  kind: 'convolution' | 'attention',
  share: (gradients: number) => number,
): NetworkWork['convolution'] {
  let [forward, backward] = [0, 0];
  for (const { computed, gradients } of all) {
    if (computed.kind !== kind) continue;
    forward += computed.flops / ROWS;
    backward += (computed.flops * share(gradients)) / ROWS;
  }
  return { forward, backward };
}
