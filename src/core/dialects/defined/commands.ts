import type { Launch } from '../dialect';

/** Programs that start others: the words after them, or a script, tell what runs. */
const STARTERS = new Set([
  ...['python', 'python3', 'torchrun', 'deepspeed', 'accelerate', 'mpirun', 'uv', 'srun'],
]);

/** A word that is the same in every command: no flag, no placeholder, no setting, no file. */
const isFixed = (word: string): boolean => /^[a-z][\w-]*$/.test(word);

/**
 * The commands that start a dialect's own program, by its launch lines: `axolotl train`. None for a line that starts
 * a script, and for a program that hands the work to others.
 */
export function commandsOf(launch: readonly Launch[]): readonly string[] {
  const lines = launch
    .filter(({ handsTo }) => handsTo === undefined)
    .flatMap(({ argv, also = [] }) => [fixedWords(argv), ...also]);
  return [...new Set(lines)].filter(words => words !== '' && !STARTERS.has(words.split(' ')[0] ?? ''));
}

/** The words up to the first that depends on the run, without `env` and the variables behind it. */
function fixedWords(argv: readonly string[]): string {
  const start = argv[0] === 'env' ? argv.findIndex((word, i) => i > 0 && !word.includes('=')) : 0;
  const words = argv.slice(start);
  const end = words.findIndex(word => !isFixed(word));
  return words.slice(0, end < 0 ? undefined : end).join(' ');
}
