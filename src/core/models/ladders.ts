import table from './ladders.json';

/** A model's place in a series that its publisher makes in several sizes. */
export interface SeriesPlace {
  /** The same name for each size, smallest first. */
  readonly names: readonly string[];
  /** Which of them it is. */
  readonly place: number;
}

/** What ends a name in addition to its size: what it was tuned for, the file of a network. */
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

/** Where a model stands in its series; null for a name that is in none, or in a series of one. */
export function seriesPlaceOf(name: string): SeriesPlace | null {
  for (const { pattern, sizes } of LADDERS) {
    const [, before, size, behind] = pattern.exec(name.trim()) ?? [];
    if (before === undefined || size === undefined || behind === undefined) continue;
    const place = sizes.findIndex(one => one.toLowerCase() === size.toLowerCase());
    return { names: sizes.map(one => before + one + behind), place };
  }
  return null;
}

/** Every name of every series, as its publisher writes it. */
export const seriesNames = (): readonly (readonly string[])[] =>
  table.ladders.map(([template = '', words = '']) =>
    words.split(' ').map(word => template.replace('{}', word === '/' ? '' : word)),
  );
