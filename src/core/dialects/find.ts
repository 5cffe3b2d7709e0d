import type { RunSpec } from '../spec/runSpec';
import { dialectFrom } from './defined/compile';
import type { Dialect } from './dialect';
import { dialects } from './registry';

/** The dialect of an id; a run's own dialect is always there. */
export function dialectOf(id: string): Dialect {
  const found = dialects.find(dialect => dialect.id === id);
  if (!found) throw new TypeError(`there is no dialect ${id}`);
  return found;
}

/** The dialect that a run was read in. */
export const dialectOfRun = ({ dialect, definition }: Pick<RunSpec, 'dialect' | 'definition'>): Dialect =>
  definition ? dialectFrom(definition) : dialectOf(dialect);
