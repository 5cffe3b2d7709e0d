import type { DialectCall } from '../engine/calls';
import type { ScannedCalls } from '../engine/scan';
import { listOf, scalarOf, tableOf, textOf, textsOf } from './plain';
import type { Plain } from '../../yaml/scalars';

const ROLES = ['run', 'part', 'beside'] as const;

export const callsOf = (plain: Plain | undefined): readonly DialectCall[] =>
  listOf(plain).map(one => {
    const table = tableOf(one);
    const keys = Object.entries(tableOf(table['keys'])).flatMap(([argument, key]) => {
      const name = textOf(key);
      return name === null ? [] : [[argument, name] as const];
    });
    const sets = Object.entries(tableOf(table['sets'])).map(
      ([key, value]) => [key, scalarOf(value)] as const,
    );
    return {
      of: textsOf(table['of']),
      role: ROLES.find(role => role === textOf(table['role'])) ?? 'part',
      needs: textsOf(table['needs']),
      unless: textsOf(table['unless']),
      prefers: textsOf(table['prefers']),
      module: textOf(table['module']),
      startedBy: textsOf(table['startedBy']),
      alone: table['alone'] === true,
      givenAs: textsOf(table['givenAs']),
      positional: textsOf(table['positional']),
      keys: Object.fromEntries(keys),
      own: table['own'] === true,
      only: textsOf(table['only']).flatMap(words => words.split(/\s+/)),
      joint: textOf(table['joint']) ?? '_',
      sets: Object.fromEntries(sets),
      ifStated: textsOf(table['ifStated']),
      offBy: textOf(table['offBy']),
    };
  });

/** What the scan of a program looks for, as `module:call`: without one of these calls it has no run. */
export function scannedCalls(calls: readonly DialectCall[]): ScannedCalls {
  const names = calls.filter(({ role }) => role === 'run').flatMap(({ of }) => of);
  const words = names.map(
    name => `${name.slice(0, name.indexOf('.'))}:${name.slice(name.lastIndexOf('.') + 1)}`,
  );
  return { calls: [...new Set(words)].sort().join(' ') };
}
