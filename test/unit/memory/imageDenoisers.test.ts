import assert from 'node:assert/strict';
import type { Phase } from '../../../src/core/memory/played';
import { estimatedAs } from '../../eval/accuracy/record';
import { fromSimulated } from '../../eval/accuracy/simulated';
import type { SimulatedRecord } from '../../eval/accuracy/simulated';
import { fixture } from './support';

const PHASES: Readonly<Record<string, Phase>> = { fwd_steady: 'forward', bwd_steady: 'backward' };

/** Position tables, and the moment at which a name is released, are not modeled to the byte. */
const TOLERANCE = 0.04;

describe('memory: denoisers of images against an account of every allocation', () => {
  for (const record of fixture('imageDenoisers') as SimulatedRecord[]) {
    const { id, diffusers = '', autocast_extra: autocast = 'no autocast' } = record;
    const how = record.gradient_checkpointing ? 'checkpointed' : 'current shell';
    it(`${diffusers}, ${how}, ${autocast} (${id}): forward and backward within 4 %`, () => {
      const result = estimatedAs(fromSimulated(record));
      assert.ok(result.ok, result.ok ? '' : result.missing.join());
      const phases = result.estimate.devices[0]?.phases ?? [];
      for (const [key, phase] of Object.entries(PHASES)) {
        const bytes = phases.find(each => each.phase === phase)?.bytes ?? 0;
        const measured = record.bytes[key] ?? 0;
        const error = bytes / measured - 1;
        assert.ok(
          Math.abs(error) < TOLERANCE,
          `${phase}: ${bytes} for ${measured} (${(100 * error).toFixed(2)} %)`,
        );
      }
    });
  }
});
