import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './inputs';

/** The same numbers each time, from 0 to 1 (a linear congruential generator, Numerical Recipes). */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 1) / (2 ** 32 + 1);
  };
}

/** Words from this project's own documentation, prose only. */
function words(): string[] {
  const files = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).sort();
  const prose = files
    .filter(name => name.endsWith('.md'))
    .flatMap(name => readFileSync(join(ROOT, 'docs', name), 'utf8').split(/\n\s*\n/))
    .filter(paragraph => /^[A-Z]/.test(paragraph) && !/[|{}]/.test(paragraph));
  return prose
    .flatMap(paragraph => paragraph.replaceAll(/[`*_]/g, '').split(/\s+/))
    .filter(word => word.length < 41);
}

const MEDIAN_WORDS = 40;
const SPREAD = 0.9;

/** Texts of mixed length: log-normal, median 40 words, 4 to 220, like passages in public corpora. */
export function mixedTexts(count: number): string[] {
  const next = dice(1);
  const normal = (): number => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
  return lengthsOf(
    count,
    () => Math.min(220, Math.max(4, Math.round(MEDIAN_WORDS * Math.exp(SPREAD * normal())))),
    next,
  );
}

/** Texts of almost equal length, for which sorting does not help. */
export const equalTexts = (count: number): string[] => lengthsOf(count, () => 150, dice(2));

/** Texts of six words. */
export const shortTexts = (count: number): string[] => lengthsOf(count, () => 6, dice(3));

function lengthsOf(count: number, length: () => number, next: () => number): string[] {
  const all = words();
  return Array.from({ length: count }, () => {
    const from = Math.floor(next() * all.length);
    return Array.from({ length: length() }, (_, i) => all[(from + i) % all.length]).join(' ');
  });
}
