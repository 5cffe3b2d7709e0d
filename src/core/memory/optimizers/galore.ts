import { Variable, eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import { isHalf } from '../tensor';
import type { Parameter } from '../tensor';

const SOURCE = 'galore-torch 1.0, galore_torch/galore_projector.py';
/** Memory that the tape cannot model. */
const NOTE = 'Workspaces of the singular value decomposition are not counted.';

/** The default of `rank` in optim_args (transformers 5.23.0, trainer_optimizer.py, _get_galore_optimizer). */
const RANK = 128;

/** Smaller parameters keep 8-bit states in fp32; the block size of scales (bitsandbytes 0.45). */
const MIN_8BIT = 4096;
const BLOCK = 256;

interface Sides {
  readonly rank: number;
  readonly long: number;
  readonly short: number;
}

/**
 * Matrices except tables are projected (transformers: linear layers named by optim_target_modules); AdamW handles
 * the rest.
 */
function sidesOf({ shape, table }: Parameter): Sides | null {
  const [rows = 1, columns] = shape;
  if (columns === undefined || shape.length !== 2 || table) return null;
  const short = Math.min(rows, columns);
  return { rank: Math.min(RANK, short), long: Math.max(rows, columns), short };
}

/** 16-bit projectors are copies of some rows; fp32 ones are views, which keep the whole U or Vh. */
function projector(tape: Tape, { dtype }: Parameter, { rank, short }: Sides): void {
  state(tape, (isHalf(dtype) ? rank : short) * short, dtype);
}

/**
 * get_orthogonal_matrix, at the first step and every 200th: the gradient in fp32, U, s, Vh, and an unused product.
 */
function renewal(tape: Tape, { elements, dtype }: Parameter, { rank, long, short }: Sides): void {
  const wide = isHalf(dtype) ? [tape.empty(elements, 'fp32')] : [];
  const parts = [long * short, short, short * short].map(size => tape.empty(size, 'fp32'));
  const product = tape.empty(rank * long, 'fp32');
  const kept = isHalf(dtype) ? [tape.empty(rank * short, dtype)] : [];
  for (const tensor of [...wide, ...parts, product, ...kept]) tape.spend(tensor);
}

/** Tensors that `AdamW.step` holds from one parameter to the next. */
class Loop {
  readonly denominator: Variable;
  readonly update: Variable;
  readonly all: readonly Variable[];

  constructor(tape: Tape) {
    this.denominator = new Variable(tape);
    this.update = new Variable(tape);
    this.all = [this.denominator, this.update];
  }
}

function adamw(tape: Tape, parameter: Parameter, loop: Loop, first: boolean): void {
  const { elements, dtype } = parameter;
  const sides = sidesOf(parameter);
  const small = sides ? sides.rank * sides.long : elements;
  if (first) {
    if (sides) projector(tape, parameter, sides);
    for (let i = 0; i < 2; i++) state(tape, small, dtype);
  }
  if (sides) renewal(tape, parameter, sides);
  const gradient = sides && tape.empty(small, dtype);
  loop.denominator.set(tape.empty(small, dtype));
  const update = loop.update.set(tape.empty(small, dtype));
  if (sides) {
    tape.keep(update);
    const back = tape.empty(elements, dtype);
    loop.update.set(tape.done(tape.empty(elements, dtype), back));
    tape.release(update);
  }
  if (gradient) tape.spend(gradient);
}

/** The projected gradient steps in place of the parameter, which is set aside. */
function adamw8bit(tape: Tape, parameter: Parameter, first: boolean): void {
  const { elements, dtype } = parameter;
  const sides = sidesOf(parameter);
  const small = sides ? sides.rank * sides.long : elements;
  if (first) {
    if (sides) projector(tape, parameter, sides);
    for (let i = 0; i < 2; i++) state(tape, small, small < MIN_8BIT ? 'fp32' : 'uint8');
    if (small >= MIN_8BIT) for (let i = 0; i < 2; i++) state(tape, Math.ceil(small / BLOCK), 'fp32');
  }
  if (!sides) return;
  renewal(tape, parameter, sides);
  const sizes = [small, small, elements, elements];
  for (const tensor of sizes.map(size => tape.empty(size, dtype))) tape.spend(tensor);
}

export const galoreAdamw: Optimizer = {
  names: ['galore_adamw'],
  title: 'GaLore AdamW',
  source: `${SOURCE} and adamw.py`,
  note: NOTE,
  step(tape, groups, first) {
    const loop = new Loop(tape);
    eachParameter(tape, groups, loop.all, parameter => adamw(tape, parameter, loop, first));
  },
};

export const galoreAdamw8bit: Optimizer = {
  names: ['galore_adamw_8bit'],
  title: 'GaLore AdamW, 8-bit',
  source: `${SOURCE} and adamw8bit.py; states: bitsandbytes 0.45, bitsandbytes/optim/optimizer.py`,
  note: NOTE,
  step(tape, groups, first) {
    eachParameter(tape, groups, [], parameter => adamw8bit(tape, parameter, first));
  },
};

/** transformers gives each parameter a separate optimizer, and steps it when its gradient arrives. */
const LAYERWISE = 'transformers 5.23.0, trainer_optimizer.py, _setup_low_rank_optimizer';

export const galoreAdamwLayerwise: Optimizer = {
  ...galoreAdamw,
  names: ['galore_adamw_layerwise'],
  title: 'GaLore AdamW, layer by layer',
  source: `${galoreAdamw.source}; ${LAYERWISE}`,
  consumesGradients: true,
};

export const galoreAdamw8bitLayerwise: Optimizer = {
  ...galoreAdamw8bit,
  names: ['galore_adamw_8bit_layerwise'],
  title: 'GaLore AdamW, 8-bit, layer by layer',
  source: `${galoreAdamw8bit.source}; ${LAYERWISE}`,
  consumesGradients: true,
};
