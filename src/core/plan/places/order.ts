import { PLACE_KINDS } from '../../compare/place';
import type { PlaceKind } from '../../compare/place';
import { isCommon } from '../../hardware/choices';
import { byAnswer, sortedPlaces } from './compare';
import type { ComparedPlace } from './fit';

/** Sort order of places: the most commonly owned or rented first, else by one column. */
export type PlaceOrder = 'common' | 'fit' | 'price' | 'cost' | 'time' | 'memory';

/** Places under one heading; catalog types come in two groups if the common ones are first. */
export interface PlaceGroup {
  readonly kind: PlaceKind | 'others';
  readonly rows: readonly ComparedPlace[];
}

/** Places by heading, present ones before the catalog; `onlyFitting` omits places that do not take the run. */
export function placeGroups(
  rows: readonly ComparedPlace[],
  order: PlaceOrder,
  onlyFitting: boolean,
): readonly PlaceGroup[] {
  const kept = sortedPlaces(onlyFitting ? rows.filter(({ answer }) => answer === 'fits') : rows);
  const sorted = order === 'common' || order === 'fit' ? kept : kept.toSorted(BY[order]);
  const groupOf = (row: ComparedPlace): PlaceGroup['kind'] =>
    order === 'common' && row.place.kind === 'catalog' && !isUsual(row) ? 'others' : row.place.kind;
  return [...PLACE_KINDS, 'others' as const]
    .map(kind => ({ kind, rows: sorted.filter(row => groupOf(row) === kind) }))
    .filter(group => group.rows.length > 0);
}

/** What takes the run first, then by a column; `belowUsd`: only places where the whole run costs less, in USD. */
export function rankedPlaces(
  rows: readonly ComparedPlace[],
  order: PlaceOrder,
  belowUsd = Infinity,
): readonly ComparedPlace[] {
  const kept = sortedPlaces(belowUsd === Infinity ? rows : rows.filter(row => costOf(row) < belowUsd));
  if (order === 'common' || order === 'fit') return kept;
  return kept.toSorted((a, b) => byAnswer(a, b) || BY[order](a, b));
}

/** Commonly owned, or rentable at a known price. */
const isUsual = ({ place, price }: ComparedPlace): boolean => price !== null || isCommon(place.target.name);

/** The price of all GPUs that the run uses; unknown prices come last. */
const priceOf = ({ price, takesGpus }: ComparedPlace): number =>
  price === null ? Number.MAX_VALUE : price.usdPerHour * takesGpus;

/** Dollars and hours of the run; unknown ones come last. */
const costOf = ({ speed }: ComparedPlace): number => speed?.dollars?.expected ?? Number.MAX_VALUE;
const timeOf = ({ speed }: ComparedPlace): number => speed?.hours.expected ?? Number.MAX_VALUE;

const BY: Readonly<
  Record<Exclude<PlaceOrder, 'common' | 'fit'>, (a: ComparedPlace, b: ComparedPlace) => number>
> = {
  cost: (a, b) => costOf(a) - costOf(b),
  time: (a, b) => timeOf(a) - timeOf(b),
  price: (a, b) => priceOf(a) - priceOf(b),
  memory: (a, b) => a.place.target.totalMiB - b.place.target.totalMiB,
};
