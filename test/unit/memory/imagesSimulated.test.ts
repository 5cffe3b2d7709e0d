import assert from 'node:assert/strict';
import type { Phase } from '../../../src/core/memory/played';
import { estimatedAs } from '../../eval/accuracy/record';
import { fromSimulated } from '../../eval/accuracy/simulated';
import type { SimulatedRecord } from '../../eval/accuracy/simulated';
import { fixture } from './support';

const PHASES: Readonly<Record<string, Phase>> = {
  fwd_first: 'first forward',
  bwd_first: 'first backward',
  opt_first: 'first optimizer step',
  fwd_steady: 'forward',
  bwd_steady: 'backward',
  opt_steady: 'optimizer step',
  infer: 'forward',
};

describe('memory: models of images against an account of every allocation', () => {
  for (const record of fixture('images') as SimulatedRecord[]) {
    const { id, mode, precision, attention = '' } = record;
    const name = record.model_type ?? record.timm ?? record.torchvision ?? '';
    it(`${name} ${mode} ${precision} ${attention} (${id}): every phase to the byte`, () => {
      const result = estimatedAs(fromSimulated(record));
      assert.ok(result.ok);
      const phases = result.estimate.devices[0]?.phases ?? [];
      const named = Object.entries(record.bytes).filter(([key]) => key in PHASES);
      const bytesOf = (key: string) => phases.find(({ phase }) => phase === PHASES[key])?.bytes;
      assert.deepEqual(
        Object.fromEntries(named.map(([key]) => [key, bytesOf(key)])),
        Object.fromEntries(named),
      );
    });
  }
});
