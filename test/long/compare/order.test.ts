import assert from 'node:assert/strict';
import { catalogPlaces, machinePlaces } from '../../../src/core/compare/place';
import { comparePlaces } from '../../../src/core/plan/places/compare';
import type { ComparedPlace } from '../../../src/core/plan/places/fit';
import { placeGroups } from '../../../src/core/plan/places/order';
import type { PlaceGroup } from '../../../src/core/plan/places/order';
import { axolotl, judged, target, theGpus } from '../../unit/core/support';

const OPTIONS = { margin: 1, mayTrade: false, details: false };
const pause = (): Promise<void> => Promise.resolve();

describe('the order of compared places', () => {
  let rows: readonly ComparedPlace[];

  before(async () => {
    const here = machinePlaces('local', { id: 'local', name: '' }, [target('RTX 4090')], null);
    const places = [...here, ...catalogPlaces(theGpus, null)];
    rows = (await comparePlaces(await judged(axolotl()), places, OPTIONS, pause, { aborted: false })) ?? [];
  });

  const kinds = (groups: readonly PlaceGroup[]) => groups.map(({ kind }) => kind);
  const catalogOf = (groups: readonly PlaceGroup[]) =>
    groups.find(({ kind }) => kind === 'catalog')?.rows ?? [];
  const count = (groups: readonly PlaceGroup[]) => groups.reduce((sum, group) => sum + group.rows.length, 0);

  it('has what is here first, then common and priced types, then all others', () => {
    const groups = placeGroups(rows, 'common', false);
    assert.deepEqual(kinds(groups), ['local', 'catalog', 'others']);
    assert.equal(count(groups), rows.length);
    const names = catalogOf(groups).map(({ place }) => place.target.name);
    assert.ok(names.includes('RTX 3090') && names.includes('A40') && !names.includes('Tesla M40'));
    assert.ok(names.length < 50);
  });

  it('goes by price, with the unpriced last, and by memory', () => {
    const priced = catalogOf(placeGroups(rows, 'price', false)).map(row => row.price?.usdPerHour ?? Infinity);
    assert.deepEqual(
      priced,
      priced.toSorted((a, b) => a - b),
    );
    const sizes = catalogOf(placeGroups(rows, 'memory', false)).map(({ place }) => place.target.totalMiB);
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => a - b),
    );
  });

  it('leaves out what does not take the run', () => {
    const fitting = placeGroups(rows, 'fit', true);
    assert.ok(count(fitting) > 0 && count(fitting) < rows.length);
    assert.ok(fitting.every(group => group.rows.every(({ answer }) => answer === 'fits')));
  });
});
