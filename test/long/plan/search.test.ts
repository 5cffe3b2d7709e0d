import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Plan, PlanOptions, PlanSearch } from '../../../src/core/plan/plan';
import { samplesPerGpu } from '../../../src/core/plan/batch';
import { quickRemedies } from '../../../src/core/plan/quick';
import { searchPlans } from '../../../src/core/plan/search';
import { axolotl, contextOf, judge, judged, target } from '../../unit/core/support';

const FIT: PlanOptions = { goal: 'fit', margin: 0.85, mayTrade: true };
const pause = (): Promise<void> => Promise.resolve();

async function plansOf(
  text: string,
  options: Partial<PlanOptions> = {},
  samples: number | null = null,
): Promise<PlanSearch> {
  const samplesPerGpu = samples === null ? null : { least: samples, most: samples };
  const context = { ...contextOf(await judged(text)), samplesPerGpu };
  return searchPlans(context, { ...FIT, ...options }, pause, { aborted: false });
}

const batchOf = (plan: Plan): string =>
  plan.edits
    .filter(({ path }) => /batch|accumulation/.test(path))
    .map(({ path, to }) => `${path}=${to}`)
    .join(' ');

describe('the search for plans', () => {
  it('finds plans that fit, each within the margin', async () => {
    const { plans } = await plansOf(axolotl());
    assert.ok(plans.length > 0);
    for (const { after } of plans) {
      assert.ok(after.usableBytes !== null && after.device.expected <= after.usableBytes * 0.85);
    }
  });

  it('keeps the effective batch and proves it', async () => {
    const { plans } = await plansOf(axolotl());
    const plan = plans.find(one => batchOf(one) !== '');
    assert.ok(plan);
    const [micro, steps] = plan.edits.map(({ to }) => Number(to)).filter(Number.isInteger);
    assert.equal(micro! * steps!, 32);
    assert.match(plan.effect, /unchanged/);
    assert.match(plan.arithmetic[0]?.text ?? '', /^batch: 8 × 4 × 1 GPU = 32 → .* = 32$/);
  });

  it('reaches another effective batch on request', async () => {
    const { plans } = await plansOf(axolotl(), {}, 64);
    assert.ok(plans.length > 0);
    for (const plan of plans) {
      const values = Object.fromEntries(plan.edits.map(({ path, to }) => [path, Number(to)]));
      assert.equal((values['micro_batch_size'] ?? 8) * (values['gradient_accumulation_steps'] ?? 4), 64);
    }
  });

  it('keeps the training unchanged on request, and says what it left out', async () => {
    const { plans, rejected } = await plansOf(axolotl(), { mayTrade: false });
    assert.ok(plans.every(plan => plan.price.quality === null));
    assert.ok(rejected.some(({ why }) => why.startsWith('it changes the result')));
  });

  it('offers no plan that another one covers', async () => {
    const { plans } = await plansOf(axolotl());
    const keys = plans.map(({ price, edits }) => `${price.time} ${price.quality ?? ''} ${edits.length}`);
    assert.equal(new Set(keys).size, keys.length);
  });

  it('fills memory only with what saves time at no cost', async () => {
    const small = axolotl({
      base_model: 'TinyLlama/TinyLlama-1.1B-Chat-v1.0',
      micro_batch_size: 1,
      sequence_len: 1024,
    });
    const { plans } = await plansOf(small, { goal: 'fill' });
    assert.ok(plans.length > 0);
    assert.ok(plans.every(({ price }) => price.time < 1 && price.quality === null));
  });

  it('stops when it is canceled', async () => {
    const context = contextOf(await judged(axolotl()));
    const { plans } = await searchPlans(context, FIT, pause, { aborted: true });
    assert.deepEqual(plans, []);
  });
});

describe('quick remedies', () => {
  it('put those that fit first, and free ones before trade-offs', async () => {
    const context = contextOf(
      await judged(axolotl({ base_model: 'meta-llama/Llama-3.2-3B', micro_batch_size: 16 })),
    );
    const remedies = quickRemedies(context, 'fit');
    assert.ok(remedies.length > 1);
    assert.equal(remedies[0]?.price.quality, null);
    const needs = remedies.map(
      ({ savedBytes }) => context.estimate!.devices[0]!.device.expected - savedBytes!,
    );
    assert.ok(needs[0]! < 24 * 2 ** 30);
    assert.ok(remedies.every(({ savedBytes }) => savedBytes !== null && savedBytes > 0));
  });

  it("save device memory, not only torch's allocations", async () => {
    const file = 'test/fixtures/configs/hiyouga__LLaMA-Factory/examples/train_lora/qwen3_lora_sft.yaml';
    const { runs } = await judge({ [file]: readFileSync(file, 'utf8') }, 'RTX 3060');
    const remedies = quickRemedies(contextOf(runs[0]!, 'RTX 3060'), 'fit');
    assert.ok(remedies.length > 0);
    for (const { title, effect, savedBytes } of remedies) {
      assert.ok((savedBytes ?? 0) >= 16 * 2 ** 20, `${title}: ${effect}`);
    }
  });

  it('change the stage file that owns the negatives', async () => {
    const files = {
      'conf/config.yaml':
        'data_loader:\n  batch_size: 32\n  tokenization: {max_length: 512}\nmodel:\n  base_model_name: sentence-transformers/all-MiniLM-L6-v2\n  lora: {r: 8}\ntraining:\n  trainer:\n    precision: 16-mixed\n    accumulate_grad_batches: 8\n',
      'conf/curriculum/01_stage.yaml': 'n_positives: 32\nn_negatives: 24\n',
    };
    const { runs } = await judge(files);
    const remedies = quickRemedies(contextOf(runs[0]!), 'fit');
    const fewer = remedies.find(({ id }) => id === 'negatives');
    assert.deepEqual(
      fewer?.edits.map(({ file, path, from }) => [file, path, from]),
      [['conf/curriculum/01_stage.yaml', 'n_negatives', '24']],
    );
  });
});

describe('an effective batch over several GPUs', () => {
  it('is divided evenly, or refused with valid values', async () => {
    const { run } = await judged(axolotl());
    const exactly = (n: number) => samplesPerGpu({ least: n, most: n }, run, target('RTX 4090', 4));
    assert.deepEqual(exactly(256), { least: 64, most: 64 });
    const refused = exactly(250);
    assert.ok(typeof refused === 'string' && refused.includes('248 or 252'));
  });
});
