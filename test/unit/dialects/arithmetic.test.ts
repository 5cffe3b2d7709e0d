import assert from 'node:assert/strict';
import { arithmetic, computed } from '../../../src/core/dialects/engine/arithmetic';
import { read } from './support';

describe('arithmetic in interpolations', () => {
  it('is that of whole numbers, as Python has it', () => {
    const cases: readonly (readonly [string, number | null])[] = [
      ['(512 // 3) // (2 * 1)', 85],
      ['-7 % 3', 2],
      ['div_up(512, 7)', 74],
      ['max(2, min(8, 4)) + 1', 5],
      ['1 // 0', null],
      ["len(__import__('os'))", null],
      ['1 if 2 < 40 else 2', null],
      ['', null],
    ];
    for (const [text, value] of cases) assert.equal(arithmetic(text), value, text);
  });

  it('asks for the numbers of other keys, and gives up where one is none', () => {
    const numbers: Readonly<Record<string, number>> = { '.global': 512, 'trainer.devices': 4 };
    const at = (reference: string): number | null => numbers[reference] ?? null;
    assert.equal(computed('${div_up:${.global}, ${eval:${trainer.devices} * 2}}', at), 64);
    assert.equal(computed("${eval:'(${.global} // ${trainer.devices})'}", at), 128);
    assert.equal(computed('${div_up:${.global}, ${device_count:}}', at), null);
    assert.equal(computed('${oc.env:N,4}', at), null);
    assert.equal(computed('${other_resolver:${.global}}', at), null);
  });

  it('gives a run its batch, derived and not to be edited', async () => {
    const { runs } = await read({
      'conf/config.yaml':
        'defaults:\n  - data: x\n  - _self_\ntrainer:\n  _target_: lightning.Trainer\n  devices: 4\nloader:\n  global_batch_size: 512\n  batch_size: ${div_up:${.global_batch_size}, ${trainer.devices}}\n',
    });
    const { microBatchSize, gradAccum } = runs[0]?.quantities ?? assert.fail();
    assert.equal(microBatchSize.value, 128);
    assert.equal(microBatchSize.origin.kind, 'derived');
    assert.equal(gradAccum.value, 1);
  });
});
