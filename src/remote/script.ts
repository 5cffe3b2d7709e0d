/**
 * One of Headroom's scripts (`*.sh`) as it is sent: without comment lines, with a value for each placeholder
 * `@NAME@`. Values are shell text: quote user input first, or pass it as an argument of the script instead.
 */
export function scriptOf(text: string, values: Readonly<Record<string, string>> = {}): string {
  return text.replace(/^ *#.*\n/gm, '').replace(/@([A-Z_]+)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new RangeError(`The script has no value for @${name}@.`);
    return value;
  });
}

/** Where sites install Slurm if it is not on the PATH of a session without a login shell. */
export const SLURM_FOLDERS = [
  '/opt/slurm/bin',
  '/opt/slurm/current/bin',
  '/usr/local/slurm/bin',
  '/cm/shared/apps/slurm/current/bin',
].join(':');
