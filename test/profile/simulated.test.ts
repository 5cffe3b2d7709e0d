import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { follow } from '../../src/profile/follow';
import { fromSimulated } from '../eval/accuracy/simulated';
import type { SimulatedRecord } from '../eval/accuracy/simulated';
import { cacheFolder, runDry } from './python';

const SHARED = process.env['HEADROOM_SHARED'] ?? resolve('../shared');
const FILE = join(SHARED, 'memory/simulated.jsonl');

/** One of each family, and more than one of each kind of run. */
const FEATURES = ['full', 'lora-gc', 'infer', 'qlora', 'full-gc', 'lora'];
const FAMILIES = [
  ...['llama', 'qwen2', 'gpt2', 'mistral', 'bert', 'gpt_neox', 'mixtral', 'gemma2'],
  ...['phi3', 'opt', 't5', 'qwen3', 'vit', 'roberta'],
];

function chosen(): readonly SimulatedRecord[] {
  if (!existsSync(FILE)) return [];
  const all = readFileSync(FILE, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as SimulatedRecord & { feature: string; family: string });
  const fits = (record: SimulatedRecord): boolean => record.loss === undefined;
  return FAMILIES.flatMap((family, i) => {
    const own = all.filter(record => record.family === family && fits(record));
    const wanted = FEATURES.map((_, j) => FEATURES[(i + j) % FEATURES.length]);
    const feature = wanted.find(name => own.some(record => record.feature === name));
    return own.filter(record => record.feature === feature).slice(-1);
  });
}

const PHASES: Readonly<Record<string, string>> = {
  load: 'load',
  fwd_first: 'forward first',
  bwd_first: 'backward first',
  opt_first: 'optimizer first',
  fwd_steady: 'forward steady',
  bwd_steady: 'backward steady',
  opt_steady: 'optimizer steady',
  infer: 'forward steady',
};

describe('dry runs of simulated records', function () {
  before(function () {
    if (!existsSync(FILE)) this.skip();
  });

  for (const record of chosen()) {
    const { id, model_type: type, head, precision, optimizer } = record;
    it(`${id}: ${type ?? ''} ${head} ${precision} ${optimizer ?? 'inference'}, each phase within 0.5 %`, async () => {
      const { run, model } = fromSimulated(record);
      assert.ok(model);
      const config = { ...record.config, model_type: type };
      const followed = follow(run, model, { kind: 'transformers', config }, { cacheFolder, layers: 'all' });
      assert.ok(followed.ok, followed.ok ? '' : followed.why.join());
      const { phases } = await runDry(followed.request);
      const off = Object.entries(record.bytes).flatMap(([phase, bytes]) => {
        const found = phases[PHASES[phase] ?? ''] ?? 0;
        return Math.abs(found - bytes) <= 0.005 * bytes ? [] : [`${phase}: ${found} instead of ${bytes}`];
      });
      assert.deepEqual(off, []);
    });
  }
});
