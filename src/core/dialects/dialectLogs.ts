import type { LogLine } from '../data/forms/line';
import { findDialect } from './find';

/** Lines that a built-in dialect's program prints; empty for other dialects. */
export const dialectLogs = (id: string | null): readonly LogLine[] =>
  (id === null ? undefined : findDialect(id))?.logs ?? [];
