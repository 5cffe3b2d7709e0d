import type { SimulatedRecord } from '../../eval/accuracy/simulated';
import { assertEveryPhase } from './everyPhase';
import { fixture } from './support';

describe('memory: models of images against an account of every allocation', () => {
  for (const record of fixture('images') as SimulatedRecord[]) {
    const { id, mode, precision, attention = '' } = record;
    const name = record.model_type ?? record.timm ?? record.torchvision ?? '';
    it(`${name} ${mode} ${precision} ${attention} (${id}): every phase to the byte`, () => {
      assertEveryPhase(record);
    });
  }
});
