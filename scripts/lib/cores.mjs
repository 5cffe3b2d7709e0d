import { availableParallelism } from 'node:os';

const MOST_JOBS = 4;

/** The number of a suite's files to run at once, if they are independent. */
export const sideBySide = () => Math.min(availableParallelism(), MOST_JOBS);
