import type { SimulatedRecord } from '../../eval/accuracy/simulated';
import { assertEveryPhase } from './everyPhase';
import { fixture } from './support';

describe('memory: encoders against an account of every allocation', () => {
  for (const record of fixture('encoders') as SimulatedRecord[]) {
    const { id, mode, precision, head } = record;
    it(`${record.model_type ?? ''} ${mode} ${head} ${precision} (${id}): every phase to the byte`, () => {
      assertEveryPhase(record);
    });
  }
});
