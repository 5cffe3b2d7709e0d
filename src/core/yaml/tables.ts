/** Looks up names from files in a table: ignores inherited properties such as `constructor` and `__proto__`. */
export const ownOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
