import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Verdict } from '../../../src/core/memory/estimate';
import { memoryBar } from '../../../src/core/render/bar';
import { escape, hover } from '../../../src/core/render/hover';
import { batchArithmetic } from '../../../src/core/spec/batchArithmetic';
import { analysesAsJson } from '../../../src/core/render/json';
import { sarifLog, sarifResults } from '../../../src/core/render/sarif';
import { checkText, explainText, plainPaint } from '../../../src/core/render/text';
import { onceEach, summaryText } from '../../../src/core/render/summary';
import { answer, whyUnknown } from '../../../src/core/render/verdict';
import { rules } from '../../../src/core/rules/registry';
import { axolotl, judge, judged } from '../core/support';

interface JsonRun {
  spec: Record<string, { value: unknown; origin: string; path?: string; file?: string; line?: number }>;
  estimate: {
    metric: string;
    devices: { verdict: Verdict; bytes: { expected: number }; terms: { bytes: number }[] }[];
  } | null;
  findings: { rule: string; remedies: { edits: { path: string; from: string | null; to: string }[] }[] }[];
}

async function jsonRun(text: string): Promise<JsonRun> {
  const json = analysesAsJson([await judge({ 'a.yaml': text })]);
  return (JSON.parse(JSON.stringify(json)) as { files: { runs: JsonRun[] }[] }).files[0]!.runs[0]!;
}

describe('JSON', () => {
  it('shows each quantity with its origin', async () => {
    const { spec } = await jsonRun(axolotl());
    assert.deepEqual(spec['microBatchSize'], {
      value: 8,
      unit: 'samples',
      origin: 'file',
      path: 'micro_batch_size',
      file: 'a.yaml',
      line: 8,
    });
    assert.equal(spec['gpus']?.value, null);
    assert.equal(spec['zeroStage']?.origin, 'default');
  });

  it('has terms that add up to the device', async () => {
    const { estimate } = await jsonRun(axolotl());
    const device = estimate!.devices[0]!;
    const sum = device.terms.reduce((total, term) => total + term.bytes, 0);
    assert.ok(Math.abs(sum - device.bytes.expected) <= 1, `${sum} ≠ ${device.bytes.expected}`);
  });

  it('shows remedies as keys and values', async () => {
    const { findings } = await jsonRun(axolotl());
    const edits = findings.find(({ rule }) => rule === 'does-not-fit')?.remedies[0]?.edits ?? [];
    assert.ok(edits.some(({ path, from }) => path === 'micro_batch_size' && from === '8'));
  });
});

describe('SARIF', () => {
  it('names rules that it lists', async () => {
    const log = sarifLog(sarifResults(await judge({ 'a.yaml': axolotl() })), rules, '1.0.0');
    const run = log.runs[0]!;
    const known = new Set(run.tool.driver.rules?.map(({ id }) => id));
    assert.ok((run.results ?? []).length > 0);
    assert.ok(run.results?.every(({ ruleId }) => known.has(ruleId ?? '')));
  });
});

describe('texts', () => {
  it('answer in one line', async () => {
    assert.match(answer(await judged(axolotl())), /^≈ [\d.]+ GB of 24 GB · does not fit · RTX 4090$/);
    assert.match(answer(await judged(axolotl(), null)), /^≈ [\d.]+ GB per GPU · no GPU chosen$/);
  });

  it('multiply the batch', async () => {
    const { run } = await judged(axolotl());
    assert.equal(batchArithmetic(run, null), '8 × 4 × 1 GPU = 32');
    assert.equal(batchArithmetic(run, 4), '8 × 4 × 4 GPUs = 128');
  });

  it('list a file with its findings and count the runs', async () => {
    const analysis = await judge({ 'a.yaml': axolotl() });
    const text = checkText(analysis, plainPaint);
    assert.match(text, /^a\.yaml axolotl\n {2}≈/);
    assert.match(text, /8:1 warning .* does-not-fit$/m);
    assert.equal(summaryText([analysis], 1), '1 config in 1 file, 1 run: 1 does not fit');
  });

  it('count a stage with the config that names it, once', async () => {
    const stage = 'conf/text_curriculum/01_stage.yaml';
    const config = readFileSync('media/sample/contrastive/conf/config.yaml', 'utf8');
    const text = readFileSync(`media/sample/contrastive/${stage}`, 'utf8');
    const whole = await judge({ 'conf/config.yaml': config, [stage]: text });
    const alone = await judge({ [stage]: text, 'conf/config.yaml': config });
    assert.equal(summaryText([whole, alone], 2), '1 config in 2 files, 1 run: 1 does not fit');
    assert.deepEqual(onceEach([alone, whole]), [whole]);
    assert.deepEqual(onceEach([alone]), [alone]);
  });

  it('say what helps where a model is not known', async () => {
    const named = (base_model: string) => judged(axolotl({ base_model }));
    const why = whyUnknown(await named('nobody/unheard-of'));
    assert.match(why, /^Model nobody\/unheard-of isn't known/);
    assert.match(
      why,
      /There is none here\. Run `hf download nobody\/unheard-of config\.json`, or put its config\.json/,
    );
    assert.match(
      whyUnknown(await named('./out')),
      /There is none here\. Put its config\.json in a folder of that name/,
    );
  });

  it('name a GPU that is only an amount of memory once', async () => {
    const run = await judged(axolotl(), '24GB');
    assert.match(answer(run), /^≈ [\d.]+ GB of 24 GB · does not fit$/);
    const [finding] = run.findings.filter(({ rule }) => rule === 'does-not-fit');
    assert.match(finding?.message ?? '', /, the GPU has 24 GB\. /);
  });

  it('explain every quantity and term', async () => {
    const run = await judged(axolotl());
    const text = explainText(run, 'config.yaml', plainPaint);
    for (const name of Object.keys(run.run.quantities)) assert.ok(text.includes(`| ${name} `), name);
    for (const { term } of run.estimate!.devices[0]!.terms) assert.ok(text.includes(`| ${term} `), term);
  });
});

describe('the hover', () => {
  it('has the sum, the peak, the origins and what is not counted', async () => {
    const run = await judged(axolotl({ adapter: 'lora', lora_r: 8, lora_target_linear: true }));
    const text = hover(run, { quantity: 'microBatchSize', file: 'config.yaml', bar: null });
    for (const part of ['does not fit', 'weights', 'device memory', 'Peak in the', 'line 8', 'Not counted']) {
      assert.ok(text.includes(part), part);
    }
  });

  it('lets nothing of the config become Markdown', () => {
    assert.equal(
      escape('[x](command:evil) <img> `y`\n# z'),
      '\\[x\\]\\(command:evil\\) \\<img\\> \\`y\\` \\# z',
    );
  });

  it('draws a bar of the right width in each kind of theme', async () => {
    const device = (await judged(axolotl())).estimate!.devices[0]!;
    for (const theme of ['light', 'dark', 'high-contrast', 'high-contrast-light'] as const) {
      const svg = memoryBar(device, theme);
      const widths = [...svg.matchAll(/<rect x="[\d.]+" y="1" width="([\d.]+)"/g)].map(match =>
        Number(match[1]),
      );
      const sum = widths.reduce((total, width) => total + width, 0);
      assert.ok(Math.abs(sum - 318) < 2, `${theme}: ${sum}`);
    }
  });
});
