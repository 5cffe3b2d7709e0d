import { eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Element, Parameter } from '../tensor';

const SOURCE =
  'galore-torch 1.0, galore_torch/adamw.py and galore_projector.py; rank 128 as transformers passes it';

/** transformers, trainer_optimizer.py: `rank` where optim_args has none. */
const RANK = 128;

/** Bytes of one element of a state. */
type StateBytes = (parameter: Parameter) => number;

/** A gradient projected to `rank` rows or columns; states are as large as it, the projector stays between its renewals. */
function low({ shape }: Parameter): { readonly projected: number; readonly projector: number } | null {
  const [rows = 1, columns] = shape;
  if (columns === undefined || Math.min(rows, columns) <= RANK) return null;
  return { projected: RANK * Math.max(rows, columns), projector: RANK * Math.min(rows, columns) };
}

function update(tape: Tape, parameter: Parameter, first: boolean, bytes: StateBytes): void {
  const { elements, dtype } = parameter;
  const small = low(parameter);
  const held = small?.projected ?? elements;
  if (first) {
    for (let i = 0; i < 2; i++) state(tape, held * bytes(parameter), 'uint8');
    if (small) state(tape, small.projector, dtype);
  }
  const gradient = tape.empty(held, dtype);
  const denominator = tape.empty(held, dtype);
  const full = tape.empty(elements, dtype);
  for (const tensor of [gradient, denominator, full]) tape.spend(tensor);
}

function galore(title: string, names: readonly string[], bytes: StateBytes): Optimizer {
  return {
    names,
    title,
    source: SOURCE,
    step(tape, groups, first) {
      eachParameter(tape, groups, [], parameter => update(tape, parameter, first, bytes));
    },
  };
}

const own = ({ dtype }: { readonly dtype: Element }): number => bytesPer(dtype);

export const galoreAdamw: Optimizer = galore('GaLore AdamW', ['galore_adamw'], own);

/** Blockwise 8-bit states with an fp32 scale for 256 elements. */
export const galoreAdamw8bit: Optimizer = galore(
  'GaLore AdamW, 8-bit',
  ['galore_adamw_8bit'],
  () => 1 + bytesPer('fp32') / 256,
);

/** Layer by layer as gradients arrive, which then go. */
export const galoreAdamwLayerwise: Optimizer = {
  ...galore('GaLore AdamW, layer by layer', ['galore_adamw_layerwise'], own),
  consumesGradients: true,
};
