import { BadInput } from '../output';

/** The values of secrets, from the user's own environment. */
export function secretsFrom(names: readonly string[]): Readonly<Record<string, string>> {
  const found = names.map(name => {
    const value = process.env[name];
    if (value === undefined) {
      throw new BadInput(`--secret ${name}: this environment variable is not set; set it and try again.`);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(found);
}
