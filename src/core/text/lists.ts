import { told } from './say';
import type { Say } from './say';

/** Items of a list: `a, b, c`. */
export const commas = (say: Say, items: readonly string[]): string =>
  items.length === 0 ? '' : items.reduce((all, one) => say('{0}, {1}', all, one));

/** What stands between items of a list. */
export const comma = (say: Say): string => say('{0}, {1}', '', '');

/** Texts that were composed before their reader was known: `a; b`. */
export const toldList = (say: Say, texts: readonly string[]): string =>
  texts.map(text => told(say, text)).join(say('{0}; {1}', '', ''));
