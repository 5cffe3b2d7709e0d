import assert from 'node:assert/strict';
import { config, withData } from '../lengths/withData';

interface Case {
  readonly rule: string;
  readonly title: string;
  readonly keys: Parameters<typeof config>[0];
  readonly longest: number;
  readonly fires: boolean;
}

/** 99 rows of 100 tokens and a longest one, compared with a limit. */
const cases: readonly Case[] = [
  { rule: 'limit-above-data', title: 'twice the data', keys: {}, longest: 4000, fires: true },
  {
    rule: 'limit-above-data',
    title: 'little more',
    keys: { sequence_len: 4096 },
    longest: 4000,
    fires: false,
  },
  { rule: 'limit-above-data', title: 'packed', keys: { sample_packing: true }, longest: 1000, fires: false },
  {
    rule: 'rows-cut',
    title: 'one in a hundred is longer',
    keys: { sequence_len: 512 },
    longest: 4000,
    fires: true,
  },
  { rule: 'rows-cut', title: 'none is longer', keys: {}, longest: 4000, fires: false },
  {
    rule: 'padding-waste',
    title: 'one long row in a batch',
    keys: { sequence_len: 4096 },
    longest: 4000,
    fires: true,
  },
  { rule: 'padding-waste', title: 'rows alike', keys: { sequence_len: 4096 }, longest: 110, fires: false },
  {
    rule: 'padding-waste',
    title: 'one row a batch',
    keys: { micro_batch_size: 1 },
    longest: 4000,
    fires: false,
  },
];

describe('rules on the lengths of data', () => {
  for (const { rule, title, keys, longest, fires } of cases) {
    it(`${rule}: ${title}`, async () => {
      const { findings } = await withData(config(keys), longest);
      assert.equal(
        findings.some(finding => finding.rule === rule),
        fires,
      );
    });
  }
});
