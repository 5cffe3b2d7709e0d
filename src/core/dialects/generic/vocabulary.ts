import file from './vocabulary.json';

interface Entry {
  /** Alternatives, each a whole name. */
  readonly names?: readonly string[];
  readonly pattern?: string;
  readonly flags?: string;
}

const patternOf = ({ names = [], pattern = `^(?:${names.join('|')})$`, flags }: Entry): RegExp =>
  new RegExp(pattern, flags);

/** Words that custom configs use for quantities: names of keys and sections, and values that tell something. */
export const words = Object.fromEntries(
  Object.entries<Entry>(file.words).map(([name, entry]) => [name, patternOf(entry)]),
) as Readonly<Record<keyof typeof file.words, RegExp>>;
