import type { Builder } from '../../modules';
import { catAll, repeatHeads } from '../../ops/shape';
import { add, dropout } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Parameter, Tensor } from '../../tensor';
import { trainableInput } from '../decoder';
import { buildConvolution, imagesOf } from './layers';
import type { Layers } from './layers';

/** Patches of an image as tokens, after special tokens. */
interface PatchEmbeddings {
  /** Tokens before the patches, in parameter order: a class token, and others of the family. */
  readonly leading: readonly Parameter[];
  /** Null if positions are encoded differently. */
  readonly positions: Parameter | null;
  readonly projection: Layers;
  /** Tokens per image. */
  readonly tokens: number;
  readonly late: boolean;
}

interface PatchDesign {
  readonly patch: number;
  readonly hidden: number;
  readonly leading: number;
  /** A learned position per token; default: true. */
  readonly positions?: boolean;
  /** All leading tokens except the first are one parameter (registers). */
  readonly registers?: boolean;
  /** Positions are only for patches: leading tokens are added after them. */
  readonly late?: boolean;
  /** The patch projection has a bias; default: true. */
  readonly bias?: boolean;
}

export function buildPatchEmbeddings(
  builder: Builder,
  run: MemoryRun,
  {
    patch,
    hidden,
    leading,
    positions: learned = true,
    late = false,
    bias = true,
    registers = false,
  }: PatchDesign,
): PatchEmbeddings {
  const images = imagesOf(run);
  const side = (length: number): number => Math.floor(length / patch);
  const tokens = side(images.height) * side(images.width) + leading;
  const shapes = registers && leading > 1 ? [1, leading - 1] : Array.from({ length: leading }, () => 1);
  const tables = shapes.map(count => builder.kernel([1, count, hidden]));
  const rows = late ? tokens - leading : tokens;
  const positions = learned ? builder.kernel([1, rows, hidden]) : null;
  const shape = { channels: hidden, size: patch, stride: patch, bias };
  return { leading: tables, positions, projection: buildConvolution(builder, images, shape), tokens, late };
}

/** ViTEmbeddings.forward: patches, leading tokens, positions. */
export function embedPatches(
  tape: Tape,
  pixels: Tensor,
  { leading, positions, projection, late }: PatchEmbeddings,
  run: MemoryRun,
  rate: number,
): Tensor {
  const batch = run.batch.rows;
  return tape.call([pixels], () => {
    const [project] = projection.steps;
    const embedded = project ? project(tape, pixels) : pixels;
    const isLeaf = run.recompute.inputGradients && embedded.node === null;
    let states = tape.name(isLeaf ? trainableInput(tape, embedded) : embedded);
    const placed = (x: Tensor): Tensor => (positions ? tape.rename(x, add(tape, x, positions)) : x);
    if (late) states = placed(states);
    const before = leading.map(token => tape.name(repeatHeads(tape, token, batch, false)));
    if (before.length > 0) states = tape.rename(states, catAll(tape, [...before, states]));
    return dropout(tape, late ? states : placed(states), rate);
  });
}
