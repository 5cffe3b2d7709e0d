import type { Builder } from '../../modules';
import { interpolate } from '../../ops/pooling';
import { catAll, resized, slice, viewWhoseGradientIsCopied } from '../../ops/shape';
import type { Tape } from '../../tape';
import type { Parameter, Tensor } from '../../tensor';

/** The grid of an image's patches. */
export interface Grid {
  readonly height: number;
  readonly width: number;
}

/** Distances between two positions in a window, and the three pairs with the class token. */
const rowsOf = ({ height, width }: Grid): number => (2 * height - 1) * (2 * width - 1) + CLASS_ROWS;
const CLASS_ROWS = 3;

/** A number per distance and head. */
export interface RelativeBias {
  readonly table: Parameter;
  readonly heads: number;
}

/** BeitRelativePositionBias with a table for the image size that the model was made for. */
export function buildRelativeBias(builder: Builder, made: Grid, heads: number): RelativeBias {
  return { table: builder.kernel([rowsOf(made), heads]), heads };
}

/**
 * BeitRelativePositionBias.forward: resizes the table to this image, and picks a row for each pair of tokens, by
 * head.
 */
export function relativeBias(tape: Tape, { table, heads }: RelativeBias, grid: Grid): Tensor {
  const rows = rowsOf(grid);
  const tokens = grid.height * grid.width + 1;
  return tape.call([], () => {
    const old = tape.name(slice(tape, table, table.elements - CLASS_ROWS * heads));
    const stretched = tape.name(interpolate(tape, old, (rows - CLASS_ROWS) * heads));
    const flat = tape.rename(stretched, resized(tape, stretched, stretched.elements));
    const last = tape.name(slice(tape, table, CLASS_ROWS * heads));
    const whole = tape.name(catAll(tape, [flat, last]));
    const pairs = tape.name(pickSorted(tape, whole, tokens * tokens, tokens * tokens * heads));
    return resized(tape, viewWhoseGradientIsCopied(tape, pairs), pairs.elements);
  });
}

/**
 * `table[index]`: the index is on the host and is copied for each use. In backward it is sorted to sum equal rows
 * (aten, cuda/Indexing.cu, index_put_with_sort_kernel: linear index, sorted index, and the original order).
 */
function pickSorted(tape: Tape, table: Tensor, rows: number, elements: number): Tensor {
  const node = tape.record(table);
  const index = (): Tensor => tape.empty(rows, 'int64');
  if (node) {
    node.backward = grad => {
      const result = tape.like(table);
      const ordered = tape.like(grad);
      return [tape.done(result, index(), index(), index(), ordered)];
    };
  }
  const copied = index();
  return tape.done(tape.empty(elements, table.dtype, node), table, copied);
}
