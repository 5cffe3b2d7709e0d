import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setUp } from '../../src/core/memory/setup/setUp';
import type { Plan } from '../../src/core/memory/setup/setUp';
import { modelFromConfigJson } from '../../src/core/models/fromConfig';
import { difference, withAdded } from '../../src/profile/added';
import { peakOf } from '../../src/profile/dryRun';
import { entryRequest } from '../../src/profile/entry';
import { follow } from '../../src/profile/follow';
import { fromSimulated } from '../eval/accuracy/simulated';
import type { SimulatedRecord } from '../eval/accuracy/simulated';
import { statedRun } from '../eval/accuracy/stated';
import type { StatedQuantities } from '../eval/accuracy/stated';
import { cacheFolder, runDry } from './python';

const options = { cacheFolder, layers: 'all' } as const;
const folder = resolve('test/fixtures/profile');

/** Few layers and a large vocabulary: the loss dominates. */
const CONFIG = {
  model_type: 'llama',
  hidden_size: 512,
  intermediate_size: 1024,
  num_hidden_layers: 4,
  num_attention_heads: 8,
  num_key_value_heads: 8,
  vocab_size: 32_000,
  tie_word_embeddings: false,
};
const TOKENS = 1024;
const FRAMEWORK = { id: 'trl' as const, name: 'trl', version: '1.13.0' };

const quantities: StatedQuantities = {
  model: 'small',
  task: 'sft',
  method: 'full',
  microBatchSize: 2,
  gradAccum: 1,
  seqLen: TOKENS,
  loadDtype: 'fp32',
  precision: 'fp32',
  optimizer: 'adamw_torch',
  gradientCheckpointing: false,
};

describe('what a dry run leaves out', () => {
  it('is added as computed: a chunked loss matches its own code', async () => {
    const reading = modelFromConfigJson('small', JSON.stringify(CONFIG), 'config.json');
    assert.ok(reading.ok);
    const run = statedRun('small', FRAMEWORK, { ...quantities, loss: 'chunked_nll' }, { paddedRows: false });
    const followed = follow(run, reading.model, { kind: 'transformers', config: CONFIG }, options);
    assert.ok(followed.ok, followed.ok ? '' : followed.why.join());
    assert.deepEqual(followed.added?.what, ['a loss in chunks of 256 tokens']);
    const { phases } = await runDry(followed.request);
    const entry = {
      entry: 'chunked_loss:run',
      folder,
      settings: { config: CONFIG, tokens: TOKENS },
      rows: 2,
    };
    const own = entryRequest(run, entry, options);
    assert.ok(own.ok);
    const really = await runDry(own.request, folder);
    const said = withAdded(phases, followed.added);
    assert.ok((phases['backward steady'] ?? 0) > 1.2 * (really.phases['backward steady'] ?? 0), 'it decides');
    for (const [phase, bytes] of Object.entries(really.phases)) {
      assert.ok(Math.abs((said[phase] ?? 0) / bytes - 1) < 0.01, `${phase}: ${said[phase]} and not ${bytes}`);
    }
    const peak = peakOf({ phases, alive: {} }, followed.added);
    assert.ok(Math.abs(peak.bytes / peakOf(really).bytes - 1) < 0.01);
  });
});

const FILE = join(process.env['HEADROOM_SHARED'] ?? resolve('../shared'), 'memory/simulated.jsonl');

/** Runs with another release's loss, whose code this release does not have. */
function ofAnotherLoss(): readonly SimulatedRecord[] {
  const lines = existsSync(FILE) ? readFileSync(FILE, 'utf8').trim().split('\n') : [];
  const all = lines.map(line => JSON.parse(line) as SimulatedRecord & { readonly feature: string });
  return ['full', 'full-gc', 'lora-gc', 'qlora'].flatMap(feature =>
    all.filter(record => record.loss !== undefined && record.feature === feature).slice(-1),
  );
}

function planOf(record: SimulatedRecord): Plan {
  const { run, model, behavior } = fromSimulated(record);
  const found = setUp(run, model, null, behavior ? { behavior } : {});
  assert.ok(found.ok);
  return found.plan;
}

describe('the difference between two losses', () => {
  before(function () {
    if (!existsSync(FILE)) this.skip();
  });

  for (const record of ofAnotherLoss()) {
    it(`${record.id}: added to the model's real code, it is within 0.5 % of the simulation`, async () => {
      const { loss, ...plain } = record;
      assert.ok(loss);
      const { run, model } = fromSimulated(plain);
      assert.ok(model);
      const config = { ...record.config, model_type: record.model_type };
      const followed = follow(run, model, { kind: 'transformers', config }, options);
      assert.ok(followed.ok, followed.ok ? '' : followed.why.join());
      const added = difference(planOf(record), planOf(plain).memoryRun, [loss]);
      const phases = withAdded((await runDry(followed.request)).phases, added);
      const steady = Math.max(...Object.values(phases));
      assert.ok(Math.abs(steady / Math.max(...Object.values(record.bytes)) - 1) < 0.005, `${steady}`);
    });
  }
});
