import { fileURLToPath } from 'node:url';

/** The repository's root, independent of the working folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');
