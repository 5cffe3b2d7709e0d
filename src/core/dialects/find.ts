import type { RunSpec } from '../spec/runSpec';
import { dialectFrom } from './defined/compile';
import { definitionOf } from './defined/definition';
import type { Dialect } from './dialect';
import type { DialectProgram } from './engine/compose';
import type { DialectLookup } from './engine/layeredRun';
import { dialects } from './registry';

/** The dialect of an id, of those that come with Headroom. */
export const findDialect: DialectLookup = id => dialects.find(dialect => dialect.id === id);

/** Programs that take several configs, or arguments that are one. */
export const programs: readonly DialectProgram[] = dialects.flatMap(({ id, program }) =>
  program ? [{ dialect: id, program }] : [],
);

/** The dialect of an id; a run's own dialect is always there. */
export function dialectOf(id: string): Dialect {
  const found = findDialect(id);
  if (!found) throw new TypeError(`there is no dialect ${id}`);
  return found;
}

/** The dialect that a run was read in. */
export function dialectOfRun(run: Pick<RunSpec, 'dialect' | 'definition'>): Dialect {
  const definition = definitionOf(run);
  return definition ? dialectFrom(definition) : dialectOf(run.dialect);
}
