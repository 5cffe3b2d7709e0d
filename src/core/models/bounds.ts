/** Names of sizes that a model is walked or counted by, and more than any model has of them. */
const BOUNDS: readonly (readonly [name: RegExp, most: number])[] = [
  [/(?:layers?|depths?|blocks?)$/, 2000],
  [/(?:heads?|experts?)(?:_kv)?$/, 65_536],
  [/vocab/, 10_000_000],
  [/position|seq_len|context_length/, 1_000_000_000],
];

/** Lists name something for each layer, or are tables of words that nobody walks. */
const MOST_ENTRIES = 10_000;
const NOT_WALKED = /^(?:id2label|label2id|architectures|vocab|merges)$/;
/** Configs have sections of sections. */
const DEEPEST = 6;

/**
 * Why the sizes of a config can be no model's, as a phrase that names the first: `num_hidden_layers is 10000000; no model has more
 * than 2000`. Null where they can.
 */
export function beyondAnyModel(config: object, depth = 0): string | null {
  for (const [name, value] of Object.entries(config)) {
    if (NOT_WALKED.test(name)) continue;
    const why = beyond(name, value) ?? inside(value, depth);
    if (why !== null) return why;
  }
  return null;
}

function beyond(name: string, value: unknown): string | null {
  if (Array.isArray(value) && value.length > MOST_ENTRIES) {
    return `${name} has ${value.length} entries; no model has more than ${MOST_ENTRIES}`;
  }
  const numbers = (Array.isArray(value) ? value : [value]).map(numberOf).filter(Number.isFinite);
  const largest = Math.max(...numbers);
  const most = BOUNDS.find(([pattern]) => pattern.test(name))?.[1] ?? Infinity;
  return largest > most ? `${name} is ${largest}; no model has more than ${most}` : null;
}

/** An object of a config may have names that JavaScript asks for when it makes a number of one. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;

function inside(value: unknown, depth: number): string | null {
  const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isSection && depth < DEEPEST ? beyondAnyModel(value, depth + 1) : null;
}
