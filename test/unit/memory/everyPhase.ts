import assert from 'node:assert/strict';
import type { Phase } from '../../../src/core/memory/played';
import { estimatedAs } from '../../eval/accuracy/record';
import { fromSimulated } from '../../eval/accuracy/simulated';
import type { SimulatedRecord } from '../../eval/accuracy/simulated';

const PHASES: Readonly<Record<string, Phase>> = {
  fwd_first: 'first forward',
  bwd_first: 'first backward',
  opt_first: 'first optimizer step',
  fwd_steady: 'forward',
  bwd_steady: 'backward',
  opt_steady: 'optimizer step',
  infer: 'forward',
  evaluation: 'evaluation',
};

/** The estimate of a simulated run has every phase of the record, to the byte. */
export function assertEveryPhase(record: SimulatedRecord): void {
  const result = estimatedAs(fromSimulated(record));
  assert.ok(result.ok, record.id);
  const phases = result.estimate.devices[0]?.phases ?? [];
  const named = Object.entries(record.bytes).filter(([key]) => key in PHASES);
  const bytesOf = (key: string) => phases.find(({ phase }) => phase === PHASES[key])?.bytes;
  assert.deepEqual(Object.fromEntries(named.map(([key]) => [key, bytesOf(key)])), Object.fromEntries(named));
}
