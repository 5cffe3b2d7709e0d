/** Makes it when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | null = null;
  return () => (made ??= { it: make() }).it;
}

/**
 * An object whose other fields are made, all at once, when one of them is first asked for. Of a hundred dialects a config is
 * in one, and of the others nothing but the head is ever read.
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
