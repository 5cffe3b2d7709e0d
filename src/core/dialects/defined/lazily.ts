/** Creates the value on first use. */
export function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | null = null;
  return () => (made ??= { it: make() }).it;
}

/**
 * An object whose other fields are all created when one of them is first read. A config belongs to one of a hundred
 * dialects, and only the head of the others is ever read.
 */
export function lazily<Whole extends object, Head extends Partial<Whole>>(
  head: Head,
  names: readonly Exclude<keyof Whole, keyof Head>[],
  make: () => Omit<Whole, keyof Head>,
): Whole {
  const rest = once<Partial<Whole>>(make as () => Partial<Whole>);
  const fields = names.map(name => [name, { enumerable: true, get: () => rest()[name] }] as const);
  return Object.defineProperties({ ...head }, Object.fromEntries(fields)) as unknown as Whole;
}
