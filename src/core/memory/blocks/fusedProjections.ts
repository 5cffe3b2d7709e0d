import type { ModelFacts } from '../../models/model';
import type { Linear } from '../modules';
import { slice, split, viewWhoseGradientIsCopied } from '../ops/shape';
import { viewAsHeads } from './attend';
import type { Project } from './attention';

/** Elements of a batch's queries, keys and values from a single projection. */
export function partSizes(
  { heads, kvHeads, headDim }: ModelFacts,
  tokens: number,
): readonly [number, number, number] {
  return [tokens * heads * headDim, tokens * kvHeads * headDim, tokens * kvHeads * headDim];
}

/** `qkv[..., a:b]` three times (Phi 3): each slice's gradient has the full size. */
export function sliced(model: ModelFacts, linear: Linear): Project {
  const { heads, kvHeads, hiddenSize } = model;
  return (tape, x) => {
    const [queries, keys, values] = partSizes(model, x.elements / hiddenSize);
    const all = tape.name(linear(tape, x));
    const query = tape.name(slice(tape, all, queries));
    const key = tape.name(slice(tape, all, keys));
    const value = tape.name(slice(tape, all, values));
    return {
      query: tape.rename(query, viewAsHeads(tape, query, heads, true)),
      key: tape.rename(key, viewAsHeads(tape, key, kvHeads, true)),
      value: tape.rename(value, viewAsHeads(tape, value, kvHeads, true)),
    };
  };
}

/** `split` into three, each viewed as heads (GPT-2). */
export function splitThenHeads(model: ModelFacts, linear: Linear): Project {
  const { heads, kvHeads, hiddenSize } = model;
  return (tape, x) => {
    const sizes = partSizes(model, x.elements / hiddenSize);
    const [query = x, key = x, value = x] = split(tape, linear(tape, x), sizes);
    for (const part of [query, key, value]) tape.name(part);
    return {
      key: tape.rename(key, viewAsHeads(tape, key, kvHeads, true)),
      value: tape.rename(value, viewAsHeads(tape, value, kvHeads, true)),
      query: tape.rename(query, viewAsHeads(tape, query, heads, true)),
    };
  };
}

/** Viewed as heads, each of which is split into three (GPT-NeoX). */
export function headsThenSplit(model: ModelFacts, linear: Linear): Project {
  return (tape, x) => {
    const all = tape.name(viewWhoseGradientIsCopied(tape, linear(tape, x)));
    const [query = x, key = x, value = x] = split(
      tape,
      tape.view(all, all.elements, all.node),
      partSizes(model, x.elements / model.hiddenSize),
    );
    return { query: tape.name(query), key: tape.name(key), value: tape.name(value) };
  };
}
