import { countLengths } from './count';
import { openRenderer } from './templates';
import { openCounter } from './tokens';

/** The exports that the CLI uses, in one file that is loaded when lengths are counted. */
export const lengths = { countLengths, openCounter, openRenderer };

export type Lengths = typeof lengths;
