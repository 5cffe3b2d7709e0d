import assert from 'node:assert/strict';
import fc from 'fast-check';
import { protoFields, textOf, tfRecords, wandbRecords } from '../../../src/core/history/records';
import { tries } from '../../tries';
import { runsOf, wandbLogOf } from './support';

const NAMES = [
  'trainer_state.json',
  'logging.jsonl',
  'trainer_log.jsonl',
  'metrics.csv',
  'meta.yaml',
  'metrics/loss',
  'sacct.txt',
  'a.ipynb',
  'events.out.tfevents.1770000000.host.1.0',
  'wandb/run-20260301_101500-x/run-x.wandb',
  'wandb/run-20260301_101500-x/files/config.yaml',
  'wandb/run-20260301_101500-x/files/wandb-metadata.json',
];

describe('hostile logs', () => {
  it('break no reader, whatever their bytes or values are', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map(value => `{"log_history": [${value}]}`),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...NAMES), text), async contents => {
        for (const { peaks, speed } of await runsOf(contents)) {
          for (const { bytes } of peaks) assert.ok(bytes > 0);
          assert.ok(speed === null || speed.secondsPerStep > 0);
        }
      }),
      { numRuns: tries(50) },
    );
  });

  it('end their records where they are cut, and never before', () => {
    const log = wandbLogOf([{ a: 1 }, { b: 2 }, { c: 3 }], 20_000);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: log.length }), cut => {
        const whole = [...wandbRecords(log)].length;
        const found = [...wandbRecords(log.subarray(0, cut))].length;
        assert.ok(found <= whole && (cut < log.length || found === whole));
      }),
      { numRuns: tries(50) },
    );
  });

  it('are read as bytes in any order', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), bytes => {
        for (const { bytes: part } of protoFields(bytes)) if (part) textOf(part);
        for (const record of tfRecords(bytes)) assert.ok(record.length <= bytes.length);
        for (const record of wandbRecords(Buffer.concat([Buffer.from(':W&B\xe1\xbe\0', 'latin1'), bytes]))) {
          assert.ok(record.length <= bytes.length);
        }
      }),
      { numRuns: tries(200) },
    );
  });

  it('decode text as the platform does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        assert.equal(textOf(Buffer.from(text)), text);
      }),
      { numRuns: tries(100) },
    );
  });
});
