import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { CatalogData } from '../../../src/core/data/rows';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { Term } from '../../../src/core/memory/estimate';
import { ModelCatalog } from '../../../src/core/models/catalog';
import { quantityNames } from '../../../src/core/spec/names';
import { configs, readFixture } from '../../golden/configs';
import { fromSimulated } from '../../eval/accuracy/simulated';
import type { SimulatedRecord } from '../../eval/accuracy/simulated';
import { target } from '../core/support';
import { fixture } from './support';

const models = new ModelCatalog(JSON.parse(readFileSync('src/core/data/models.json', 'utf8')) as CatalogData);

/** The rows of a sum, and their total. */
interface Sum {
  readonly name: string;
  readonly terms: readonly Term[];
  readonly deviceBytes: number;
}

function sumOf(name: string, result: ReturnType<typeof estimateRun>): Sum[] {
  const device = result.ok ? result.estimate.devices[0] : undefined;
  return device ? [{ name, terms: device.terms, deviceBytes: device.device.expected }] : [];
}

async function goldenSums(): Promise<readonly Sum[]> {
  const gpu = target('A100 80GB');
  const sums: Sum[] = [];
  for (const config of configs) {
    for (const run of (await readFixture(config)).runs) {
      const model = models.find(run.quantities.model.value ?? '');
      if (run.role === 'run') sums.push(...sumOf(`${config} ${run.name}`, estimateRun(run, model, gpu)));
    }
  }
  return sums;
}

const simulatedSums = (): readonly Sum[] =>
  (fixture('simulated') as SimulatedRecord[]).flatMap(record => {
    const { run, model } = fromSimulated(record);
    return sumOf(record.id, estimateRun(run, model, null));
  });

function checkText(name: string, { term, bytes, formula, from }: Term): void {
  const where = `${name}, ${term}: ${formula}`;
  assert.ok(bytes > 0, where);
  assert.ok(formula.trim() !== '', where);
  assert.doesNotMatch(formula, /\d[eE][-+]?\d|NaN|Infinity|undefined|null/, where);
  assert.doesNotMatch(formula, /(?<![\d.,])0\.0+(?!\d)|× 0 /, where);
  for (const quantity of from) assert.ok((quantityNames as readonly string[]).includes(quantity), where);
}

describe('memory: the sum as people read it', () => {
  const sums: Sum[] = [];
  before(async function sum() {
    this.timeout(120_000);
    sums.push(...(await goldenSums()), ...simulatedSums());
  });

  it('has formulas without exponents and without noughts, for real configs and every kind of run', () => {
    assert.ok(
      sums.length >= 90,
      `${sums.length} runs are answered: 70 simulated, the others of golden configs`,
    );
    for (const { name, terms } of sums) for (const term of terms) checkText(name, term);
  });

  it('says what a fused loss keeps in words: there are no logits to multiply', () => {
    const losses = sums.flatMap(({ terms }) => terms.filter(({ term }) => term === 'logits and loss'));
    assert.ok(losses.some(({ formula }) => formula.includes('a part of the tokens at a time')));
    for (const { formula } of losses) assert.doesNotMatch(formula, /× 0\.0/);
  });

  it('adds up to what the device shows', () => {
    for (const { name, terms, deviceBytes } of sums) {
      const sum = terms.reduce((total, { bytes }) => total + bytes, 0);
      assert.ok(Math.abs(sum - deviceBytes) < 1, `${name}: ${sum} and ${deviceBytes}`);
    }
  });
});
