import type { LogLine } from '../data/forms/line';
import { findDialect } from './find';

/** Lines that the program of a dialect prints; none for one that does not come with Headroom. */
export const dialectLogs = (id: string | null): readonly LogLine[] =>
  (id === null ? undefined : findDialect(id))?.logs ?? [];
