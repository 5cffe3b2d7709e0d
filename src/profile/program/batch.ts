/** Where a command says its batch size, so that it can be run with another one. */
interface BatchPlace {
  readonly index: number;
  /** What is before the number in its word: `--batch_size=`. */
  readonly head: string;
  readonly value: number | null;
}

/** Flags and overrides whose number is the rows of a step. */
const NAME =
  /^(?:--?|\+{0,2})(?:[\w.-]*[._-])?(?:(?:per_device_)?(?:train_)?(?:micro_|mini_)?batch[_-]?size|bs|batch)(?:_per_(?:gpu|device))?$/i;
const OF_OTHERS = /eval|valid|val_|test|predict|global/i;
const PLACEHOLDER = '{batch}';

/** The place of the batch size: `{batch}`, otherwise the only flag or override that names one; null: none. */
export function batchPlace(command: readonly string[]): BatchPlace | null {
  const marked = command.findIndex(word => word.includes(PLACEHOLDER));
  if (marked >= 0) {
    const head = (command[marked] ?? '').split(PLACEHOLDER)[0] ?? '';
    return { index: marked, head, value: null };
  }
  const found = command.flatMap((word, i): readonly BatchPlace[] => {
    const at = word.indexOf('=');
    if (at > 0 && isName(word.slice(0, at))) return placed(i, word.slice(0, at + 1), word.slice(at + 1));
    if (!word.startsWith('-') || !isName(word)) return [];
    return placed(i + 1, '', command[i + 1] ?? '');
  });
  const [only] = found;
  return found.length === 1 && only ? only : null;
}

const isName = (word: string): boolean => NAME.test(word) && !OF_OTHERS.test(word);

const placed = (index: number, head: string, text: string): readonly BatchPlace[] =>
  /^\d{1,7}$/.test(text) ? [{ index, head, value: Number(text) }] : [];

/** The command with another batch size. */
export const withBatch = (
  command: readonly string[],
  { index, head }: BatchPlace,
  batch: number,
): readonly string[] => command.map((word, i) => (i === index ? `${head}${batch}` : word));

/** A batch size that was run, and the device's bytes that it needs at most. */
interface BatchTry {
  readonly batch: number;
  readonly bytes: number;
}

export interface LargestBatch {
  /** The largest batch that was run and fits; null: none does. */
  readonly batch: number | null;
  readonly tries: readonly BatchTry[];
  /** One more was run and does not fit. */
  readonly isSure: boolean;
}

const MOST_TRIES = 6;
const MOST_BATCH = 1 << 20;

/**
 * The largest batch that fits `room` bytes: a line through two batches, then others where it leads, until one fits
 * and the next does not, or the tries are over.
 */
export async function largestBatch(
  first: number,
  room: number,
  bytesOf: (batch: number) => Promise<number>,
): Promise<LargestBatch> {
  const tries: BatchTry[] = [];
  let next: number | null = Math.max(1, first);
  while (next !== null && tries.length < MOST_TRIES) {
    tries.push({ batch: next, bytes: await bytesOf(next) });
    next = nextBatch(tries, room);
  }
  const fitting = tries.filter(({ bytes }) => bytes <= room).map(({ batch }) => batch);
  const batch = fitting.length > 0 ? Math.max(...fitting) : null;
  const isSure = tries.some(one => one.bytes > room && one.batch === (batch ?? 0) + 1);
  return { batch, tries, isSure };
}

/** The next batch to run; null: the answer is known. */
function nextBatch(tries: readonly BatchTry[], room: number): number | null {
  const sorted = tries.toSorted((a, b) => a.batch - b.batch);
  const fits = sorted.findLast(({ bytes }) => bytes <= room);
  const fails = sorted.find(({ bytes }) => bytes > room);
  const [low, high] = [(fits?.batch ?? 0) + 1, (fails?.batch ?? MOST_BATCH) - 1];
  if (low > high) return null;
  const guess = guessed(sorted, fits, fails, room);
  const isTried = sorted.some(({ batch }) => batch === guess);
  const chosen = Math.min(high, Math.max(low, isTried ? guess + 1 : guess));
  return sorted.some(({ batch }) => batch === chosen) ? null : chosen;
}

function guessed(
  sorted: readonly BatchTry[],
  fits: BatchTry | undefined,
  fails: BatchTry | undefined,
  room: number,
): number {
  const [one] = sorted;
  if (one && sorted.length === 1) return fits ? one.batch * 2 : Math.floor(one.batch / 2);
  return Math.floor(alongLine(sorted, fits, fails, room));
}

/** Where the line through the two nearest batches meets the room. */
function alongLine(
  sorted: readonly BatchTry[],
  fits: BatchTry | undefined,
  fails: BatchTry | undefined,
  room: number,
): number {
  const [a, b] = fits && fails ? [fits, fails] : sorted.slice(-2);
  if (!a || !b) return 1;
  const each = (b.bytes - a.bytes) / (b.batch - a.batch);
  return each <= 0 ? b.batch * 2 : a.batch + (room - a.bytes) / each;
}
