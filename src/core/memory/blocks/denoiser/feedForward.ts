import type { Builder, Step } from '../../modules';
import { activation } from '../../ops/pointwise';

/** FeedForward with GELU (diffusers, models/attention.py). */
export function buildFeedForward(builder: Builder, size: number, inner = 4 * size): Step {
  const up = builder.linear({ name: 'ff.net.0.proj', inputs: size, outputs: inner, bias: true });
  const down = builder.linear({ name: 'ff.net.2', inputs: inner, outputs: size, bias: true });
  return (tape, x) =>
    tape.call([x], () => {
      const states = tape.call([x], () => activation(tape, tape.name(up(tape, x))));
      return down(tape, tape.name(states));
    });
}
