/** How many near names a message offers. */
const OFFERED = 3;

/** Names that look like what was written, the likest first: by the pairs of letters they share (Dice's coefficient). */
export function nearest(written: string, names: readonly string[]): readonly string[] {
  const asked = pairs(written);
  return names
    .map(name => ({ name, likeness: likeness(asked, pairs(name)) }))
    .filter(({ likeness: like }) => like >= 0.3)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, OFFERED)
    .map(({ name }) => name);
}

function pairs(text: string): ReadonlySet<string> {
  const letters = text.toLowerCase().replace(/[^a-z0-9]/g, '');
  return new Set(
    Array.from({ length: Math.max(letters.length - 1, 0) }, (_, at) => letters.slice(at, at + 2)),
  );
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter(pair => b.has(pair)).length;
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
}
