import type { Builder, Step } from '../../../modules';
import { batchedMatmul, softmax } from '../../../ops/attention';
import { add, scale } from '../../../ops/pointwise';
import { catAll, copy, split } from '../../../ops/shape';
import { elementsOf } from '../layers';
import type { FeatureMaps } from '../layers';
import { conv, inSequence } from './modules';
import type { Module } from './modules';

/** Value channels per head; queries and keys have half of them (nn/modules/block.py, Attention). */
const HEAD = 64;

/** Attention over all pairs of positions, with positions added to the values by a convolution. */
function attention(builder: Builder, from: FeatureMaps): Module {
  const { channels, batch, height, width } = from;
  const places = height * width;
  const heads = Math.max(Math.floor(channels / HEAD), 1);
  const keys = batch * heads * Math.floor(Math.floor(channels / heads) / 2) * places;
  const project = conv(builder, from, { channels: channels + (2 * keys) / (batch * places), acts: false });
  const output = conv(builder, from, { channels, acts: false });
  const position = conv(builder, from, { channels, size: 3, groups: channels, acts: false });
  const values = elementsOf(from);
  const plain = (tensor: Parameters<Step>[1]) => ({ tensor, permuted: false });
  const run: Step = (tape, x) =>
    tape.call([x], () => {
      const all = tape.name(project.run(tape, x));
      const parts = split(tape, tape.view(all, all.elements, all.node), [keys, keys, values]);
      const [q = x, k = x, v = x] = parts.map(part => tape.name(part));
      const scores = scale(tape, batchedMatmul(tape, plain(q), plain(k), batch * heads * places ** 2));
      const weights = tape.name(softmax(tape, tape.name(scores)));
      const mixed = tape.name(batchedMatmul(tape, plain(v), plain(weights), values));
      const placed = add(tape, mixed, position.run(tape, copy(tape, v)));
      return output.run(tape, placed);
    });
  return { run, to: from };
}

/** PSABlock: attention and two convolutions, each with a residual connection. */
function block(builder: Builder, from: FeatureMaps): Module {
  const attend = attention(builder, from);
  const forward = inSequence(from, [
    at => conv(builder, at, { channels: 2 * from.channels }),
    at => conv(builder, at, { channels: from.channels, acts: false }),
  ]);
  const run: Step = (tape, x) =>
    tape.call([x], () => {
      const middle = tape.name(add(tape, x, attend.run(tape, x)));
      return add(tape, middle, forward.run(tape, middle));
    });
  return { run, to: from };
}

/** C2PSA: half of a convolution's output goes through such blocks. */
export function c2psa(builder: Builder, from: FeatureMaps, repeats: number): Module {
  const inner = Math.floor(from.channels / 2);
  const first = conv(builder, from, { channels: 2 * inner });
  const last = conv(builder, first.to, { channels: from.channels });
  const half = { ...from, channels: inner };
  const deep = inSequence(
    half,
    Array.from({ length: repeats }, () => at => block(builder, at)),
  );
  const run: Step = (tape, x) =>
    tape.call([x], () => {
      const size = elementsOf(half);
      const [a = x, b = x] = split(tape, first.run(tape, x), [size, size]).map(part => tape.name(part));
      const mixed = tape.rename(b, deep.run(tape, b));
      return last.run(tape, catAll(tape, [a, mixed]));
    });
  return { run, to: last.to };
}
