import type { LogLine } from './dialect';
import { dialects } from './registry';

/** Lines that the program of a dialect prints; none for one that does not come with Headroom. */
export const dialectLogs = (id: string | null): readonly LogLine[] =>
  dialects.find(dialect => dialect.id === id)?.logs ?? [];
