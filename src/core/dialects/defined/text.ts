import { stringify } from 'yaml';
import type { DefinedRow, DialectDefinition, SourcedValue } from './definition';
import { detailRows } from './rows';

/** Keys that every file of a generated dialect must have. */
const REQUIRED_ROWS = ['microBatchSize', 'globalBatchSize', 'model'] as const;

/**
 * A `.headroom/dialects` file that reproduces a reading by vocabulary, for the user to correct. Assumptions become
 * defaults.
 */
export function definitionText({ rows }: DialectDefinition, id: string, config: string): string {
  const requiredKeys = REQUIRED_ROWS.flatMap(name => rows[name]?.keys ?? []).slice(0, 2);
  const others = Object.values(rows).flatMap(({ keys }) => keys);
  const medium = [...new Set(others)].filter(key => !requiredKeys.includes(key)).slice(0, 6);
  const named = Object.entries(rows).map(([name, row]) => [name, rowAsPlain(row)] as const);
  const details = named.filter(([name]) => name in detailRows);
  const plain = {
    id,
    title: titleOf(id),
    recognise: { strong: requiredKeys, ...(medium.length > 0 && { medium }), least: 4 * requiredKeys.length },
    quantities: Object.fromEntries(named.filter(([name]) => !(name in detailRows))),
    ...(details.length > 0 && { details: Object.fromEntries(details) }),
  };
  return `${header(config)}\n${stringify(plain, { lineWidth: 0 })}`;
}

const header = (config: string): string =>
  `# How Headroom read ${config} by the names of its keys. From now on files with these keys are read as this one says:\n` +
  '# correct what is wrong, and add what only your program knows (`default`, `always`, with its `source`).';

const titleOf = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1).replaceAll('-', ' ');

function rowAsPlain(row: DefinedRow): Readonly<Record<string, unknown>> {
  const { keys, of, map, formula, scope, unit, default: last, always, assumed, doubt } = row;
  return {
    ...(keys.length > 0 && { keys: keys.length === 1 ? keys[0] : keys }),
    ...(of !== null && { of }),
    ...(map.length > 0 && { map: Object.fromEntries(map) }),
    ...(formula !== null && { formula }),
    // Whose samples the number counts is the first thing to correct.
    ...((scope ?? doubt) && { scope: scope ?? 'device' }),
    ...(unit !== null && { unit }),
    ...sourcedField('default', last ?? assumed),
    ...sourcedField('always', always),
  };
}

function sourcedField(name: string, sourced: SourcedValue | null): Readonly<Record<string, unknown>> {
  return sourced ? { [name]: sourced.value, source: sourced.source } : {};
}

/** A dialect name from a folder's or a project's name. */
export function dialectName(name: string): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '');
  return `${words === '' ? 'own' : words}-training`;
}
