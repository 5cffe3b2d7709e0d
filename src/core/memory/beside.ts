import type { Inventory } from './inventory';
import type { Ledger, Peak } from './ledger';
import type { MemoryRun } from './run';
import { WEIGHTS } from './terms';
import type { PlayedPhase } from './timeline';

/** Puts the weights of what stays beside the trained network on the device. */
export function placeBeside(ledger: Ledger, inventory: Inventory, { beside = [] }: MemoryRun): void {
  for (const { bytes, dtype, parameters, dropped } of beside) {
    if (dropped) continue;
    ledger.place(bytes, WEIGHTS, 1);
    inventory.add({ term: WEIGHTS, held: dtype, count: parameters, bytes });
  }
}

/** Loading as a phase of its own, where more lies on the device then than in any step: what is dropped before the first. */
export function withDropped(
  { beside = [] }: MemoryRun,
  load: Peak,
  phases: readonly PlayedPhase[],
): readonly PlayedPhase[] {
  const bytes = beside.reduce((sum, one) => sum + (one.dropped ? one.bytes : 0), 0);
  if (bytes === 0) return phases;
  const terms = load.terms.slice();
  terms[WEIGHTS] = (terms[WEIGHTS] ?? 0) + bytes;
  return [{ phase: 'load', peak: { bytes: load.bytes + bytes, terms } }, ...phases];
}
