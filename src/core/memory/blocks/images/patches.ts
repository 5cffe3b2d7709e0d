import type { Builder } from '../../modules';
import { catAll, repeatHeads } from '../../ops/shape';
import { add } from '../../ops/pointwise';
import { dropout } from '../../ops/dropout';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Parameter, Tensor } from '../../tensor';
import { trainableInput } from '../decoder';
import { imagesOf } from './classifier';
import { buildConvolution } from './layers';
import type { Layers } from './layers';

/** Patches of an image as tokens, behind tokens of their own. */
export interface PatchEmbeddings {
  /** Tokens before the patches, in the order of their parameters: a class, and what else a family has. */
  readonly leading: readonly Parameter[];
  readonly positions: Parameter;
  readonly projection: Layers;
  /** Tokens of an image. */
  readonly tokens: number;
}

export interface PatchDesign {
  readonly patch: number;
  readonly hidden: number;
  readonly leading: number;
}

export function buildPatchEmbeddings(
  builder: Builder,
  run: MemoryRun,
  { patch, hidden, leading }: PatchDesign,
): PatchEmbeddings {
  const images = imagesOf(run);
  const side = (length: number): number => Math.floor(length / patch);
  const tokens = side(images.height) * side(images.width) + leading;
  const tables = Array.from({ length: leading }, () => builder.kernel([1, 1, hidden]));
  const positions = builder.kernel([1, tokens, hidden]);
  const shape = { channels: hidden, size: patch, stride: patch, bias: true };
  return { leading: tables, positions, projection: buildConvolution(builder, images, shape), tokens };
}

/** ViTEmbeddings.forward: patches, the tokens before them, positions. */
export function embedPatches(
  tape: Tape,
  pixels: Tensor,
  { leading, positions, projection }: PatchEmbeddings,
  run: MemoryRun,
  rate: number,
): Tensor {
  const { batch } = run;
  return tape.call([pixels], () => {
    const [project] = projection.steps;
    const looked = project ? project(tape, pixels) : pixels;
    const isLeaf = run.inputGradients && looked.node === null;
    let states = tape.name(isLeaf ? trainableInput(tape, looked) : looked);
    const before = leading.map(token => tape.name(repeatHeads(tape, token, batch, false)));
    states = tape.rename(states, catAll(tape, [...before, states]));
    states = tape.rename(states, add(tape, states, positions));
    return dropout(tape, states, rate);
  });
}
