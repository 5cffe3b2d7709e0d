import assert from 'node:assert/strict';
import type { Evidence } from '../../../src/core/learn/evidence';
import { explanation } from '../../../src/core/render/explanation';
import { fileAsJson } from '../../../src/core/render/json';
import { answer } from '../../../src/core/render/verdict';
import { axolotl, judge } from '../core/support';

const GB = 2 ** 30;
const measured: Evidence = {
  kind: 'measured',
  source: 'job',
  points: 2,
  at: '2026-01-02T03:04:05Z',
  computed: { low: 20 * GB, expected: 21 * GB, high: 23 * GB },
  says: 'measured, 2 times (a job of this config, 2026-01-02)',
  regression: 'after transformers 4.50 (from 4.49) this config needs 2.1 GB more',
};

describe('an answer that was measured', () => {
  it('says so in the lens, and in the hover what was computed and what a release changed', async () => {
    const analysis = await judge({ 'a.yaml': axolotl() });
    const [run] = analysis.runs;
    assert.ok(run);
    assert.match(answer({ ...run, evidence: measured }), / · measured$/);
    assert.doesNotMatch(answer(run), /measured/);
    const page = explanation({ ...analysis, runs: [{ ...run, evidence: measured }] }).replaceAll('\\', '');
    assert.match(
      page,
      /Measured, 2 times .* Computed: 21\.0 GB \(20\.0–23\.0 GB\)\. After transformers 4\.50/,
    );
  });

  it('says so to programs', async () => {
    const analysis = await judge({ 'a.yaml': axolotl() });
    const [run] = analysis.runs;
    assert.ok(run);
    const json = JSON.stringify(fileAsJson({ ...analysis, runs: [{ ...run, evidence: measured }] }));
    assert.match(json, /"evidence":\{"kind":"measured","source":"job","points":2/);
    assert.doesNotMatch(JSON.stringify(fileAsJson(analysis)), /"evidence"/);
  });
});
