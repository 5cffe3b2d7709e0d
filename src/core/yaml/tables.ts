/**
 * The value of a name in a table, for names that come from files: `constructor` and `__proto__` are in no table that does not
 * state them, whatever JavaScript's objects inherit.
 */
export const ownOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
