import type { ParameterGroup } from '../optimizer';
import type { MemoryRun } from '../run';
import { Tape } from '../tape';
import { STATES } from '../terms';

/**
 * States of layers that are not trained now but were before: an optimizer keeps what it has made (torch/optim/optimizer.py;
 * axolotl, utils/callbacks/lisa.py, which switches `requires_grad` and nothing else).
 */
export function statesOfOthers(
  { training: { partly, optimizer } }: MemoryRun,
  groups: readonly ParameterGroup[],
): number {
  if (partly?.parts.by !== 'turn' || optimizer === null) return 0;
  const others = groups.map(({ times, parameters }) => ({
    times,
    parameters: parameters.filter(({ trainable }) => !trainable),
  }));
  const tape = new Tape();
  optimizer.step(tape, others, true);
  return tape.ledger.terms[STATES] ?? 0;
}
