import { fileURLToPath } from 'node:url';

/** The repository's root, wherever a script was called from. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');
