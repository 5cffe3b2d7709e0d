import type { RunSpec } from '../spec/runSpec';
import { dialectFrom } from './defined/compile';
import { definitionOf } from './defined/definition';
import type { Dialect, DialectLookup } from './dialect';
import type { DialectProgram } from './engine/compose';
import { dialects } from './registry';
import { shippedConfig } from './shipped/configs';

/** A built-in dialect by id. */
export const findDialect: DialectLookup = id => dialects.find(dialect => dialect.id === id);

/** Programs that take several configs, or arguments that replace one. */
export const programs: readonly DialectProgram[] = dialects.flatMap(
  ({ id, program, framework, signature: { family } }) => {
    if (!program) return [];
    const { shipped } = program;
    const one: DialectProgram = {
      dialect: id,
      program,
      framework: { framework: framework.name, version: framework.version },
      ...(family !== undefined && { family }),
      ...(shipped !== undefined && { shipped: name => shippedConfig(shipped, name) }),
    };
    return [one];
  },
);

/** The dialect of an id; throws if there is none. */
export function dialectOf(id: string): Dialect {
  const found = findDialect(id);
  if (!found) throw new TypeError(`there is no dialect ${id}`);
  return found;
}

/** The dialect of a run. */
export function dialectOfRun(run: Pick<RunSpec, 'dialect' | 'definition'>): Dialect {
  const definition = definitionOf(run);
  return definition ? dialectFrom(definition) : dialectOf(run.dialect);
}

/** The dialect of the project that has an example script of this name. */
export const dialectOfScript = (script: string): string | null =>
  programs.find(({ program }) => program.scripts?.test(script) === true)?.dialect ?? null;
