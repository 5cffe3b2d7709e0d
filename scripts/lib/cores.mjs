import { availableParallelism } from 'node:os';

const MOST_JOBS = 4;

/** So many files of a suite run at once where none minds the others. */
export const sideBySide = () => Math.min(availableParallelism(), MOST_JOBS);
