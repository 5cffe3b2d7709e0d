import type { Builder, Step } from '../../modules';
import { activation, add, scale } from '../../ops/pointwise';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { buildConvolution } from '../images/layers';
import type { FeatureMaps } from '../images/layers';
import { buildGroupNorm } from './layers';

/** A layer with the time step as input. */
export type TimedStep = (tape: Tape, x: Tensor, time: Tensor) => Tensor;

/** A layer with its output maps. */
interface Timed {
  readonly step: TimedStep;
  readonly to: FeatureMaps;
}

/**
 * ResnetBlock2D (diffusers models/resnet.py): two convolutions over norms, with the time step added between them.
 */
export function buildResnet(builder: Builder, from: FeatureMaps, channels: number, timeSize: number): Timed {
  const shape = { channels, size: 3, padding: 1, bias: true };
  const firstNorm = buildGroupNorm(builder, from);
  const first = buildConvolution(builder, from, shape);
  const toShift = builder.linear({ name: 'time_emb_proj', inputs: timeSize, outputs: channels, bias: true });
  const secondNorm = buildGroupNorm(builder, first.to);
  const second = buildConvolution(builder, first.to, shape);
  const shortcut =
    from.channels === channels
      ? []
      : buildConvolution(builder, from, { channels, size: 1, bias: true }).steps;
  const through = (tape: Tape, x: Tensor, steps: readonly Step[]): Tensor =>
    tape.through(
      x,
      steps.map(step => each => step(tape, each)),
    );
  const step: TimedStep = (tape, x, time) =>
    tape.call([x, time], () => {
      let states = tape.name(firstNorm(tape, x));
      states = through(tape, states, [activation, ...first.steps]);
      const shift = through(tape, tape.name(activation(tape, time)), [toShift]);
      states = tape.rename(states, add(tape, states, shift));
      states = through(tape, states, [secondNorm, activation, ...second.steps]);
      const [cut] = shortcut;
      const input = cut ? tape.name(cut(tape, x)) : x;
      return scale(tape, add(tape, input, states));
    });
  return { step, to: second.to };
}
