import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/analyse/analyse';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { datasetsOf } from '../../../src/core/dialects/datasetsOf';
import { lengthsKey } from '../../../src/core/spec/dataset';
import type { LengthRecord } from '../../../src/core/lengths/record';
import { axolotl, judged, target, worldWithModels } from '../core/support';

const DATA = 'datasets:\n  - {path: data/train.jsonl, type: chat_template}\n';
/** Axolotl's keys with local data. */
export const config = (changes: Parameters<typeof axolotl>[0] = {}): string =>
  axolotl({ sample_packing: false, sequence_len: 8192, ...changes }) + DATA;

/** Rows of 100 tokens, and one of the given length. */
export function recordOf(key: string, longest: number, more: Partial<LengthRecord> = {}): LengthRecord {
  return {
    schema: 'headroom-lengths/1',
    at: '2026-01-02T00:00:00Z',
    by: '0',
    key,
    name: 'data/train.jsonl',
    files: [{ path: 'data/train.jsonl', bytes: 1, modifiedMs: 1 }],
    left: [],
    tokenizer: 'a tokenizer',
    marks: null,
    rows: 100,
    counted: 100,
    scanned: true,
    bins: [
      [100, 99],
      [longest, 1],
    ],
    sum: 9900 + longest,
    longest,
    untokenisedBytes: 0,
    leastBytesPerToken: 3,
    ...more,
  };
}

/** A run with counted data: 99 rows of 100 tokens and a longest one. */
export async function withData(
  text: string,
  longest: number,
  more: Partial<LengthRecord> = {},
  isStale = false,
): Promise<RunAnalysis> {
  const { run } = await judged(text);
  const key = lengthsKey(datasetsOf(run), run.quantities.model.value);
  const record = recordOf(key, longest, more);
  const lengths = { near: () => Promise.resolve({ counted: [{ record, isStale }], dependencies: ['x'] }) };
  const world = { ...worldWithModels({ 'config.yaml': text }), lengths };
  const options = { target: target('RTX 4090'), severities: {} };
  const { runs, dependencies } = await analyze('config.yaml', text, world, options, { aborted: false });
  assert.ok(dependencies.includes('x'));
  const [analyzed] = runs;
  assert.ok(analyzed);
  return analyzed;
}
