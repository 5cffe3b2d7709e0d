import type { Dialect } from './dialect';
import { dialects } from './registry';

/** The dialect of an id; a run's own dialect is always there. */
export function dialectOf(id: string): Dialect {
  const found = dialects.find(dialect => dialect.id === id);
  if (!found) throw new TypeError(`there is no dialect ${id}`);
  return found;
}
