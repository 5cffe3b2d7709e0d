import { join } from 'node:path';
import { findPython } from '../../profile/findPython';
import type { FoundPython } from '../../profile/findPython';
import type { Interpreter } from '../../profile/script';
import { cacheFolder } from '../../files/cacheFolder';
import { BadInput } from '../output';

export type Found = FoundPython & { readonly interpreter: Interpreter };

/** The Python from `--python`, or from the config's environment. */
export async function interpreterFor(folder: string, named: string | undefined): Promise<Found> {
  const found = await findPython({
    named: named ?? null,
    folder,
    top: null,
    variables: process.env,
    platform: process.platform,
  });
  if (!found) throw new BadInput('No Python found. Choose one with --python PATH.');
  const script = join(__dirname, 'python', 'start.py');
  return { ...found, interpreter: { executable: found.executable, script } };
}

/** The folder for helpers compiled for a Python. */
export const helpersFolder = (): string => join(cacheFolder(), 'python');
