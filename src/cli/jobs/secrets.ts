import { BadInput } from '../output';

/** The values of secrets, from the user's own environment. */
export function secretsFrom(names: readonly string[]): Readonly<Record<string, string>> {
  const found = names.map(name => {
    const value = process.env[name];
    if (value === undefined) {
      throw new BadInput(`--secret ${name}: the environment has no such variable; set it and start again.`);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(found);
}
