import assert from 'node:assert/strict';
import { catalogPlaces, machinePlaces, typePlace } from '../../../src/core/compare/place';
import type { Place } from '../../../src/core/compare/place';
import { comparePlaces } from '../../../src/core/plan/places/compare';
import type { ComparedPlace } from '../../../src/core/plan/places/fit';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { deviceTraits } from '../../../src/core/plan/places/compare';
import { searchPlans } from '../../../src/core/plan/search';
import { changed } from '../../../src/core/dialects/change';
import { axolotl, judged, target, theGpus } from '../../unit/core/support';
import { someOf } from '../../tries';
import { english } from '../../../src/core/text/say';

const OPTIONS = { margin: 0.85, mayTrade: true, details: true };
const pause = (): Promise<void> => Promise.resolve();
const running = { aborted: false };

async function compared(
  text: string,
  places: readonly Place[],
  details = true,
): Promise<readonly ComparedPlace[]> {
  const rows = await comparePlaces(await judged(text), places, { ...OPTIONS, details }, pause, running);
  assert.ok(rows);
  return rows;
}

const everyType = catalogPlaces(theGpus, null);

describe('comparing places', () => {
  it('gives every catalog type the answer of judging it alone', async () => {
    const { run, model } = await judged(axolotl());
    assert.ok(everyType.length > 250);
    const types = someOf(everyType, 10);
    const rows = await compared(axolotl(), types, false);
    assert.equal(rows.length, types.length);
    for (const { place, fit } of rows) {
      const alone = estimateRun(run, model, place.target);
      assert.ok(alone.ok);
      assert.equal(fit.verdict, alone.estimate.devices[0]?.verdict, place.target.name);
      assert.deepEqual(fit.need, alone.estimate.devices[0]?.device, place.target.name);
    }
    assert.deepEqual([...new Set(rows.map(row => row.answer))].sort(), ['exceeds', 'fits', 'tight']);
  });

  it('finds the fix that a search on that GPU puts first', async () => {
    const names = ['RTX 3060', 'T4', 'RTX 3090', 'RTX 4090', 'RTX 5090', 'A100 40GB', 'V100 SXM2 16GB'];
    const places = someOf(names, 4).map(name => typePlace(target(name)));
    const rows = await compared(axolotl(), places);
    for (const { place, fit, answer } of rows) {
      const { run, model } = await judged(axolotl());
      const result = estimateRun(run, model, place.target);
      const estimate = result.ok ? result.estimate : null;
      const context = { run, model, target: place.target, estimate, samplesPerGpu: null, say: english };
      const { plans } = await searchPlans(context, { ...OPTIONS, goal: 'fit' }, pause, running);
      const wanted = fit.verdict === 'fits' ? undefined : plans[0]?.title;
      assert.equal(fit.fix?.title, wanted, place.target.name);
      if (fit.verdict === 'exceeds') assert.equal(answer, wanted === undefined ? 'exceeds' : 'with-fix');
    }
    assert.ok(rows.some(({ answer }) => answer === 'with-fix'));
  });

  it('names the largest batch that fits, and keeps the effective one', async () => {
    const places = ['A100 40GB', 'A100 80GB', 'H200'].map(name => typePlace(target(name)));
    const rows = await compared(axolotl(), places);
    const { run, model } = await judged(axolotl());
    const verdictOf = (micro: number, accum: number, row: ComparedPlace): string | undefined => {
      const other = changed(run, [
        { quantity: 'microBatchSize', to: micro },
        { quantity: 'gradAccum', to: accum },
      ]);
      const result = estimateRun(other, model, row.place.target);
      return result.ok ? result.estimate.devices[0]?.verdict : undefined;
    };
    for (const row of rows) {
      const { largestBatch } = row.fit;
      assert.ok(largestBatch);
      const { microBatchSize, gradAccum } = largestBatch;
      assert.equal(microBatchSize * gradAccum, 32);
      assert.equal(verdictOf(microBatchSize, gradAccum, row), 'fits');
      if (gradAccum > 1) assert.notEqual(verdictOf(microBatchSize * 2, gradAccum / 2, row), 'fits');
    }
    const sizes = rows.map(row => row.fit.largestBatch?.microBatchSize ?? 0);
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => a - b),
    );
    assert.ok((sizes.at(-1) ?? 0) > (sizes[0] ?? 0));
  });

  it('answers for types all over the catalog, fixes and batches included', async () => {
    const rows = await compared(axolotl(), someOf(everyType, 10));
    const answers = new Set(rows.map(row => row.answer));
    assert.deepEqual([...answers].sort(), ['exceeds', 'fits', 'tight', 'with-fix']);
    for (const { fit, answer } of rows) {
      if (answer === 'fits') assert.ok((fit.largestBatch?.microBatchSize ?? 0) >= 8);
    }
  });

  it('counts what others hold, and how many GPUs there are', async () => {
    const small = axolotl({ base_model: 'TinyLlama/TinyLlama-1.1B-Chat-v1.0', micro_batch_size: 1 });
    const free = { ...target('RTX 4090', 2), kind: 'present' as const };
    const full = { ...free, busyMiB: 23_000 };
    const here = machinePlaces('local', { id: 'local', name: 'here' }, [free, full], null);
    const [onFree, onFull] = await compared(small, here);
    assert.equal(onFree?.answer, 'fits');
    assert.notEqual(onFull?.answer, 'fits');
    assert.ok(onFull?.fit.headroomBytes !== null && onFull!.fit.headroomBytes < 0);
    const more = machinePlaces('local', { id: 'local', name: 'here' }, [free], 4);
    const [onMore] = await compared(small, more);
    assert.equal(onMore?.answer, 'too-few');
    assert.equal(onMore.takesGpus, 4);
  });

  it('says what is missing where there is no estimate', async () => {
    const [row] = await compared(axolotl({ base_model: 'nobody/knows-it' }), everyType.slice(0, 1));
    assert.equal(row?.answer, 'unknown');
    assert.ok(row.fit.missing.length > 0);
  });

  it('ends when it is given up', async () => {
    const signal = { aborted: false };
    const stop = (): Promise<void> => {
      signal.aborted = true;
      return Promise.resolve();
    };
    const rows = await comparePlaces(await judged(axolotl()), everyType, OPTIONS, stop, signal);
    assert.equal(rows, null);
  });
});

describe('traits of a device', () => {
  it('are all that tells devices of the same memory apart', async () => {
    const { run, model } = await judged(axolotl());
    const seen = new Map<string, string>();
    for (const { target: planned } of someOf(everyType, 6)) {
      const traits = deviceTraits(planned);
      // Everything about it except its traits is as on another card.
      const sized = { ...planned, name: 'any', totalMiB: 80_000, usableMiB: 79_000 };
      const result = estimateRun(run, model, sized);
      const said = JSON.stringify(result.ok ? result.estimate : result.missing);
      assert.equal(seen.get(traits) ?? said, said, planned.name);
      seen.set(traits, said);
    }
    assert.ok(seen.size > 1);
  });
});
