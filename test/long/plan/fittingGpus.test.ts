import assert from 'node:assert/strict';
import { changed } from '../../../src/core/dialects/change';
import { effectOn } from '../../../src/core/plan/effect';
import type { PlanOptions, PlanSearch } from '../../../src/core/plan/plan';
import { searchPlans } from '../../../src/core/plan/search';
import { withFittingGpus } from '../../../src/core/plan/fittingGpus';
import { noneText } from '../../../src/core/render/text';
import { axolotl, contextOf, judged, target } from '../../unit/core/support';

const pause = (): Promise<void> => Promise.resolve();
const running = { aborted: false };
const OPTIONS: PlanOptions = { goal: 'fit', margin: 0.85, mayTrade: true, keep: ['adapter'] };
const world = { gpuNamed: (name: string) => Promise.resolve(target(name)) };

async function searched(changes: Parameters<typeof axolotl>[0], options = OPTIONS) {
  const context = contextOf(await judged(axolotl(changes)));
  const search = await searchPlans(context, options, pause, running);
  return { context, search: await withFittingGpus(search, context, options, world, pause, running) };
}

const labels = ({ fittingGpus = [] }: PlanSearch): string[] =>
  fittingGpus.map(({ gpu, gpus }) => `${gpus} × ${gpu}`);

describe('a run that no plan makes fit', () => {
  const FULL = { adapter: '', micro_batch_size: 1, sequence_len: 2048 };

  it('lists other GPUs that fit it, correctly', async () => {
    const { context, search } = await searched(FULL);
    assert.equal(search.plans.length, 0);
    const [first] = search.fittingGpus ?? [];
    assert.ok(first?.asItIs, labels(search).join());
    const on = { ...target(first.gpu), count: first.gpus };
    const device = effectOn({ ...context, target: on }, changed(context.run, [])).estimate?.devices[0];
    assert.equal(device?.verdict, 'fits');
    assert.equal(device.device.expected, first.needBytes);
    assert.ok(device.device.expected <= 0.85 * (device.usableBytes ?? 0));
  });

  it('lists them with the price and their memory', async () => {
    const { search } = await searched(FULL);
    const [first] = search.fittingGpus ?? [];
    const text = noneText(search, 'fit');
    assert.ok(first && text.includes(`Unchanged, it fits one ${first.gpu}: `), text);
    assert.match(text, /, about \$\d+\.\d\d an hour\./);
  });

  it('does not call almost fitting GPUs out of reach', async () => {
    const { search } = await searched(FULL);
    const { least } = search;
    assert.ok(least);
    assert.match(noneText(search, 'fit'), /^No plan makes it fit: .* still needs /);
    const tight = { ...search, least: { ...least, verdict: 'tight' as const } };
    assert.match(noneText(tight, 'fit'), /^No plan makes it fit with memory to spare: .* it needs /);
    const placed = [{ device: 0, modules: ['model'], bytes: 1 }];
    const deviceMap = { placed } as unknown as NonNullable<typeof search.deviceMap>;
    assert.match(
      noneText({ ...search, deviceMap }, 'fit'),
      /^No setting makes it fit, but a device map does/,
    );
  });

  it('is spread over more equal GPUs only if its files shard anything', async () => {
    const alone = (await searched(FULL)).search;
    const isOne = (alone.fittingGpus ?? []).every(({ gpus }) => gpus === 1);
    assert.ok(isOne, labels(alone).join());
    const options = { ...OPTIONS, keep: ['adapter', 'optimizer', 'sequence_len'] };
    const config = { ...FULL, base_model: 'Qwen/Qwen2.5-3B', fsdp: '[full_shard, auto_wrap]' };
    const { search } = await searched(config, options);
    const more = (search.fittingGpus ?? []).find(({ gpus }) => gpus > 1);
    assert.equal(more?.gpu, 'RTX 4090', labels(search).join());
  });

  it('lists none if there are plans, or if the search was canceled', async () => {
    assert.equal((await searched({ sequence_len: 8192 })).search.fittingGpus, undefined);
    const context = contextOf(await judged(axolotl(FULL)));
    const search = await searchPlans(context, OPTIONS, pause, running);
    const aborted = await withFittingGpus(search, context, OPTIONS, world, pause, { aborted: true });
    assert.equal(aborted.fittingGpus, undefined);
  });
});
