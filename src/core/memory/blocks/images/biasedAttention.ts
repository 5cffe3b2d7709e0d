import type { Step } from '../../modules';
import { sdpa, sdpaWithBias } from '../../ops/attention';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { viewAsHeads } from '../attend';
import type { AttentionContext } from '../attention';
import { eagerAttention } from '../eagerAttention';

/** Attention with a separate bias per layer. */
interface BiasedAttention {
  readonly projections: readonly [query: Step, key: Step, value: Step];
  readonly output: Step;
  /** Creates the bias, with the size of one image's scores; null: none. */
  readonly bias: (() => Tensor) | null;
}

/** BeitAttention: eager, or with its fused kernel. */
export function attendBiased(
  tape: Tape,
  x: Tensor,
  { projections, output, bias }: BiasedAttention,
  context: AttentionContext,
): Tensor {
  const { shape, kind } = context;
  const copies = kind === 'eager';
  return tape.call([x], () => {
    const [query = x, key = x, value = x] = projections.map(project =>
      tape.name(viewAsHeads(tape, project(tape, x), shape.heads, copies)),
    );
    const made = bias && tape.name(bias());
    if (kind === 'eager') {
      const results = eagerAttention(tape, { query, key, value }, { ...context, bias: made });
      const [mixed = query] = results.map(result => tape.name(result));
      return output(tape, mixed);
    }
    const heads = { query, key, value };
    const mixed = made ? sdpaWithBias(tape, heads, shape, made) : sdpa(tape, heads, shape, null);
    return output(tape, tape.name(mixed));
  });
}
