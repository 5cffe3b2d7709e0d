import table from './ladders.json';

/** A model's place in a series of sizes by one publisher. */
interface SeriesPlace {
  /** The names of all sizes, smallest first. */
  readonly names: readonly string[];
  /** The model's index in `names`. */
  readonly place: number;
}

/** Suffixes after the size: the tuning, the network's file. */
const ENDS = String.raw`(?:[-_](?:it|pt|base|instruct|chat|seg|pose|cls|obb))?(?:\.pt|\.ya?ml)?`;

interface Ladder {
  readonly pattern: RegExp;
  readonly sizes: readonly string[];
}

const escaped = (text: string): string => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');

const LADDERS: readonly Ladder[] = table.ladders.map(([template = '', words = '']) => {
  const sizes = words.split(' ').map(word => (word === '/' ? '' : word));
  const [before = '', behind = ''] = template.split('{}').map(escaped);
  const size = sizes.map(escaped).join('|');
  return { pattern: new RegExp(`^(${before})(${size})(${behind}${ENDS})$`, 'i'), sizes };
});

/** A model's place in its series; null if there is none, or if the series has one size only. */
export function seriesPlaceOf(name: string): SeriesPlace | null {
  for (const { pattern, sizes } of LADDERS) {
    const [, before, size, behind] = pattern.exec(name.trim()) ?? [];
    if (before === undefined || size === undefined || behind === undefined) continue;
    const place = sizes.findIndex(one => one.toLowerCase() === size.toLowerCase());
    return { names: sizes.map(one => before + one + behind), place };
  }
  return null;
}

/** All names of every series, as the publisher writes them. */
export const seriesNames = (): readonly (readonly string[])[] =>
  table.ladders.map(([template = '', words = '']) =>
    words.split(' ').map(word => template.replace('{}', word === '/' ? '' : word)),
  );
