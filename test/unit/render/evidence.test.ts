import assert from 'node:assert/strict';
import { featuresOf, rowsOf } from '../../../src/core/learn/features';
import type { Measurement } from '../../../src/core/learn/measurement';
import type { Evidence } from '../../../src/core/learn/evidence';
import { explanation } from '../../../src/core/render/explanation';
import { fileAsJson } from '../../../src/core/render/json';
import { checkText, plainPaint } from '../../../src/core/render/text';
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

  it('names a release that costs memory in the line that check prints', async () => {
    const analysis = await judge({ 'a.yaml': axolotl() });
    const plain = checkText(analysis, plainPaint);
    assert.doesNotMatch(plain, /after transformers/);
    const runs = analysis.runs.map(run => ({ ...run, evidence: measured }));
    assert.match(
      checkText({ ...analysis, runs }, plainPaint),
      /; after transformers 4\.50 \(from 4\.49\) this config needs 2\.1 GB more/,
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

  it('stands beside what was predicted on the page, newest last, with each GPU and what a release changed', async () => {
    const analysis = await judge({ 'a.yaml': axolotl() });
    const [run] = analysis.runs;
    assert.ok(run);
    const taken = (at: string, gb: number, version: string): Measurement => ({
      schema: 'headroom-measurement/1',
      at,
      source: 'job',
      config: 'a.yaml',
      framework: run.run.framework.name,
      frameworkVersion: null,
      versions: { transformers: version },
      family: 'llama',
      gpu: 'RTX 4090',
      features: featuresOf(run.run),
      rows: rowsOf(run.run),
      metric: 'device',
      bytes: gb * GB,
      devices: [gb * GB, 18 * GB],
      terms: null,
      predicted: { metric: 'device', bytes: 20 * GB, terms: {}, by: '1' },
    });
    const stranger = { ...taken('2026-01-05', 9, '4.49'), features: { model: 'another' } };
    const measurements = [taken('2026-02-01', 22, '4.50'), stranger, taken('2026-01-01', 19, '4.49')];
    const page = explanation({ ...analysis, runs: [{ ...run, lessons: { measurements, by: '1' } }] });
    const [, section = ''] = page.split('### Predicted and measured');
    assert.match(section, /2026-01-01, device\npredicted .*20\.0 GB\nmeasured .*19\.0 GB\n2026-02-01/);
    assert.match(section, /\| 2026-02-01 +\| job +\| 2 × RTX 4090 .*22\.0 GB, 18\.0 GB \| +\+10\.0 % \|/);
    assert.match(section, /\*\*After transformers 4\.50 \(from 4\.49\) this config needs 3\.0 GB more\.\*\*/);
    assert.doesNotMatch(section, /2026-01-05/);
    assert.doesNotMatch(explanation(analysis), /Predicted and measured/);
  });
});
