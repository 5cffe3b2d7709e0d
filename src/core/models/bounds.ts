/** Sizes that loops and counts depend on, with a limit above any real model. */
const BOUNDS: readonly (readonly [name: RegExp, most: number])[] = [
  [/(?:layers?|depths?|blocks?)$/, 2000],
  [/(?:heads?|experts?)(?:_kv)?$/, 65_536],
  [/vocab/, 10_000_000],
  [/position|seq_len|context_length/, 1_000_000_000],
];

/** Lists have an entry per layer; longer ones are vocabulary tables that nothing iterates. */
const MOST_ENTRIES = 10_000;
const NOT_WALKED = /^(?:id2label|label2id|architectures|vocab|merges)$/;
/** Limit for nested sections. */
const DEEPEST = 6;

/**
 * Why a config's sizes cannot be real, as a phrase about the first one: `num_hidden_layers is 10000000; no model
 * has more than 2000`. Null if they can.
 */
export function impossibleSize(config: object, depth = 0): string | null {
  for (const [name, value] of Object.entries(config)) {
    if (NOT_WALKED.test(name)) continue;
    const why = sizeProblem(name, value) ?? problemInside(value, depth);
    if (why !== null) return why;
  }
  return null;
}

function sizeProblem(name: string, value: unknown): string | null {
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

function problemInside(value: unknown, depth: number): string | null {
  const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isSection && depth < DEEPEST ? impossibleSize(value, depth + 1) : null;
}
