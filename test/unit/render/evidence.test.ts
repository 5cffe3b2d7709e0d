import assert from 'node:assert/strict';
import { featuresOf, rowsOf } from '../../../src/core/learn/features';
import type { Evidence, Measurement } from '../../../src/core/learn/measurement';
import { explanation } from '../../../src/core/render/explanation';
import { fileAsJson } from '../../../src/core/render/json';
import { csvOf } from '../../../src/core/learn/csv';
import { measurementChart } from '../../../src/core/render/measurementChart';
import type { DrawMeasurements } from '../../../src/core/render/measurements';
import { measuredPhaseText } from '../../../src/core/memory/words';
import { checkText } from '../../../src/core/render/text';
import { plainPaint } from '../../../src/core/text/terminal';
import { answer } from '../../../src/core/render/verdict';
import { axolotl, judge } from '../core/support';
import { english } from '../../../src/core/text/say';

const GB = 2 ** 30;

/** The data to draw, as an address. */
const draw: DrawMeasurements = pairs =>
  `data:image/svg+xml;utf8,${pairs.map(({ bytes }) => bytes / GB).join('-')}`;

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
    const page = explanation({ ...analysis, runs: [{ ...run, evidence: measured }] }, draw).source.replaceAll(
      '\\',
      '',
    );
    assert.match(
      page,
      /Measured, 2 times .* Computed: 21\.0 GB \(20\.0–23\.0 GB\)\. After transformers 4\.50/,
    );
  });

  it('names a release that costs memory in the line that check prints', async () => {
    const analysis = await judge({ 'a.yaml': axolotl() });
    const plain = checkText(analysis, plainPaint).raw;
    assert.doesNotMatch(plain, /after transformers/);
    const runs = analysis.runs.map(run => ({ ...run, evidence: measured }));
    assert.match(
      checkText({ ...analysis, runs }, plainPaint).raw,
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
    const page = explanation(
      { ...analysis, runs: [{ ...run, lessons: { measurements, by: '1' } }] },
      draw,
    ).source;
    const [, section = ''] = page.split('### Predicted and measured');
    assert.match(section, /!\[Predicted[^\]]*\]\(data:image\/svg\+xml;utf8,19-22\)/);
    assert.match(section, /\| 2026-02-01 +\| job +\| 2 × RTX 4090 .*22\.0 GB, 18\.0 GB \| +\\\+10\.0 % \|/);
    assert.match(
      section,
      /\*\*After transformers 4\.50 \\\(from 4\.49\\\) this config needs 3\.0 GB more\.\*\*/,
    );
    assert.doesNotMatch(section, /2026-01-05/);
    assert.doesNotMatch(explanation(analysis, draw).source, /Predicted and measured/);
  });
});

const pair = (at: string, predicted: number, bytes: number) =>
  ({
    at,
    metric: 'device',
    source: 'job',
    bytes: bytes * GB,
    predicted: predicted * GB,
    rows: { batch: 2, sequence: 2048, sequences: null },
  }) as const;

describe('the chart of predicted and measured', () => {
  it('has both to one scale, and another colour for what took more than predicted', () => {
    const svg = measurementChart([pair('2026-01-01', 20, 10), pair('2026-02-01', 10, 20)], 'dark');
    const bars = [...svg.matchAll(/<rect x="150"[^>]*width="([\d.]+)"[^>]*fill="([^"]+)"/g)];
    const [first, second, third, fourth] = bars.map(([, width, fill]) => [Number(width), fill]);
    assert.deepEqual(first, [212, 'none']);
    assert.deepEqual(second, [106, '#3794ff']);
    assert.deepEqual(third, [106, 'none']);
    assert.deepEqual(fourth, [212, '#f14c4c']);
    assert.match(svg, /20\.0 GB, \+100\.0 %/);
  });

  it('draws the newest where there are many', () => {
    const many = Array.from({ length: 30 }, (_, i) =>
      pair(`2026-01-${String(i + 1).padStart(2, '0')}`, 10, 9),
    );
    const svg = measurementChart(many, 'light');
    assert.match(svg, /2026-01-30/);
    assert.doesNotMatch(svg, /2026-01-05/);
  });
});

describe('phases of a dry run', () => {
  it('are told in words', () => {
    const words = ['load', 'forward first', 'backward steady', 'optimizer first'].map(phase =>
      measuredPhaseText(english, phase),
    );
    const of = ' of the first step';
    assert.deepEqual(words, [
      'loading the model',
      `forward pass${of}`,
      'backward pass',
      `optimizer step${of}`,
    ]);
  });
});

describe('measurements as a table', () => {
  it('quote what has commas, and nothing of a name becomes a formula', () => {
    const one: Measurement = {
      schema: 'headroom-measurement/1',
      at: '2026-01-01T00:00:00Z',
      source: 'job',
      place: 'big-box',
      config: '=a,"b".yaml',
      framework: 'trl',
      frameworkVersion: null,
      versions: { torch: '2.6', peft: '0.1' },
      family: null,
      gpu: null,
      features: {},
      rows: { batch: 2, sequence: null, sequences: null },
      metric: 'device',
      bytes: 7,
      terms: null,
      predicted: null,
    };
    const [head = '', row = '', rest] = csvOf([one]).split('\r\n');
    assert.equal(rest, '');
    assert.equal(
      row,
      `2026-01-01T00:00:00Z,"'=a,""b"".yaml",job,trl,,,,,2,,device,7,,,,torch 2.6 peft 0.1,big-box`,
    );
    assert.equal(head.split(',').length, 17);
  });
});
