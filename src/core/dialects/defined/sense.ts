import { filePattern } from '../../spec/filePattern';
import type { DefinedRow, DialectDefinition, RowConditions, SourcedValue } from './definition';
import { detailRows, rowNamed } from './rows';
import type { RowKind } from './words';
import { reckoned } from './names';
import { patternOf } from './plain';
import { sharedLogs } from './sharedLogs';
import { settingsOf } from './settings';
import { meanings } from './words';
import { ownOf } from '../../yaml/tables';

/** A semantic problem in a definition that fits its shape. */
interface SenseProblem {
  readonly path: readonly string[];
  readonly message: string;
}

const NAME = /^[a-z\d][a-z\d-]*$/;
const WEIGHTS = { strong: 4, medium: 2, weak: 1 } as const;

/** Names, scores and meanings that cannot be intended. */
export function meaningProblems(definition: DialectDefinition): SenseProblem[] {
  const { id, signature, rows, rules } = definition;
  const problems: SenseProblem[] = [];
  if (id !== '' && (!NAME.test(id) || id === 'generic')) {
    problems.push({
      path: ['id'],
      message: `${id} is not a dialect id. Use lowercase letters, digits and dashes.`,
    });
  }
  // A part is read because another file names it, whatever its keys are; a pack extends another dialect.
  if (definition.role === 'run' && definition.pack === null) problems.push(...signatureProblems(signature));
  problems.push(...patternProblems(definition));
  for (const [name, row] of Object.entries(rows)) {
    const found = rowProblems(row, rowNamed(name)?.kind ?? null, rows);
    problems.push(...found.map(one => ({ ...one, path: [...sectionOf(name), ...one.path] })));
  }
  for (const [i, rule] of rules.entries()) {
    if (NAME.test(rule.id)) continue;
    problems.push({
      path: ['rules', String(i), 'id'],
      message: `${rule.id} is not a rule id. Use lowercase letters, digits and dashes.`,
    });
  }
  return problems;
}

const sectionOf = (name: string): readonly string[] => [isDetail(name) ? 'details' : 'quantities', name];

const isDetail = (name: string): boolean => Object.hasOwn(detailRows, name);

function signatureProblems(signature: DialectDefinition['signature']): SenseProblem[] {
  const problems: SenseProblem[] = [];
  const most = (['strong', 'medium', 'weak'] as const).reduce(
    (sum, kind) => sum + WEIGHTS[kind] * signature[kind].length,
    0,
  );
  if (most < signature.least) {
    const message = `This recognizes no file: all keys together score ${most} of ${signature.least} points.`;
    problems.push({ path: ['recognise'], message });
  }
  for (const kind of ['strong', 'medium', 'weak', 'against', 'never', 'needs'] as const) {
    const bad = (signature[kind] ?? []).find(path => !isPattern(path.split('~').slice(1).join('~')));
    if (bad !== undefined) {
      problems.push({ path: ['recognise', kind], message: `${bad} ends in no regular expression.` });
    }
  }
  return problems;
}

const isPattern = (source: string): boolean => filePattern(source) !== null;

const NO_PATTERN = 'is not a regular expression, or could take too long.';

/** Regular expressions outside rows and signature keys, and names of log lines. */
function patternProblems({ signature, program, compose, logs }: DialectDefinition): SenseProblem[] {
  const { ignores } = typeof compose === 'object' && compose !== null ? compose : {};
  const patterns: readonly (readonly [path: readonly string[], source: string | undefined])[] = [
    [['recognise', 'mentions'], /^\/(.*)\//s.exec(signature.mentions ?? '')?.[1]],
    [['program', 'words'], program?.words],
    [['program', 'pairs'], program?.pairs],
    ...(program?.commands ?? []).map(
      ({ words }, i) => [['program', 'commands', String(i), 'words'], words] as const,
    ),
    [['compose', 'ignores'], ignores],
    ...logs.map((line, i) => {
      const pattern = typeof line === 'string' ? undefined : line.pattern;
      return [['logs', String(i), 'pattern'], pattern] as const;
    }),
  ];
  const unknown = logs.flatMap((line, i) =>
    typeof line !== 'string' || Object.hasOwn(sharedLogs, line)
      ? []
      : [{ path: ['logs', String(i)], message: `${line} is not a set of lines.` }],
  );
  const broken = patterns.flatMap(([path, source]) =>
    source === undefined || isPattern(source) ? [] : [{ path, message: `${source} ${NO_PATTERN}` }],
  );
  return [...broken, ...unknown];
}

/** Regular expressions in the conditions of a row. */
function conditionProblems(when: RowConditions): SenseProblem[] {
  const tables = (['matches', 'lists', 'like'] as const).flatMap(name =>
    Object.entries(when[name] ?? {}).map(([key, source]) => [[name, key], source] as const),
  );
  const conditions = [...tables, ...(when.path === undefined ? [] : [[['path'], when.path] as const])];
  const own = conditions.flatMap(([path, source]) =>
    patternOf(source) !== null || isPattern(source) ? [] : [{ path, message: `${source} ${NO_PATTERN}` }],
  );
  const inner = [...(when.any ?? []), ...(when.not ? [when.not] : [])].flatMap(conditionProblems);
  return [...own, ...inner].map(one => ({ ...one, path: ['when', ...one.path] }));
}

/** A number for each name in a formula. */
const FOUR = { value: () => 4 };

function rowProblems(row: DefinedRow, kind: RowKind | null, rows: DialectDefinition['rows']): SenseProblem[] {
  if (kind === null) return [];
  const problems: SenseProblem[] = [];
  const add = (path: readonly string[], message: string): void => void problems.push({ path, message });
  if (row.orElse.length > 0) return [];
  if (row.keys.length === 0 && !answersWithoutKeys(row)) {
    add([], 'A row needs keys, or of, default, always, derived, rule or unknown.');
  }
  if (row.keys.length > 0 && row.always) {
    add(['always'], 'With always no key is asked: leave one of the two out.');
  }
  if (row.of !== null && !Object.hasOwn(rows, row.of)) add(['of'], `${row.of} is not a row of this dialect.`);
  if (row.formula !== null && reckoned(row.formula, FOUR) === null) {
    add(['formula'], `${row.formula} is not a formula of x.`);
  }
  return [...problems, ...(row.when ? conditionProblems(row.when) : []), ...valueProblems(row, kind)];
}

const answersWithoutKeys = (row: DefinedRow): boolean =>
  row.defaults.length > 0 ||
  [row.of, row.default, row.always, row.unknown, row.derived, row.rule, row.part, row.formula].some(
    answer => answer !== null,
  );

function valueProblems(row: DefinedRow, kind: RowKind): SenseProblem[] {
  const values = [
    ...row.map.map(([words, meaning]) => [['map', words], meaning] as const),
    ...(['default', 'always'] as const).flatMap(name =>
      row[name] ? [[[name], row[name].value] as const] : [],
    ),
  ];
  return values.flatMap(([path, value]) => {
    const message = misfit(value, kind);
    return message === null ? [] : [{ path, message }];
  });
}

/** Why a value is not of its kind: a sentence. */
function misfit(value: SourcedValue['value'], kind: RowKind): string | null {
  if (value === null) return null;
  if (typeof value === 'object') return fieldMisfit(value, kind);
  // Names are substituted.
  if (typeof value === 'string' && value.includes('{')) return null;
  if (kind === 'none') return 'Only null is allowed here.';
  const few = ownOf(meanings, kind);
  if (few && !few.includes(String(value))) {
    return `${String(value)} is not allowed. Use one of ${few.join(', ')}.`;
  }
  if (settingsOf(kind) && typeof value !== 'string') {
    return `${String(value)} is not allowed. Use a mapping with ${fieldsOf(kind)}.`;
  }
  const counts = kind === 'count' || kind === 'countOrNone' || kind === 'number' || kind === 'size';
  return counts && typeof value !== 'number' ? `${String(value)} is not a number.` : null;
}

const fieldsOf = (kind: RowKind): string => Object.keys(settingsOf(kind) ?? {}).join(', ');

/** Settings have their own fields; a nested row is checked separately. */
function fieldMisfit(value: object, kind: RowKind): string | null {
  const known = settingsOf(kind);
  if (!known || !('fields' in value)) return null;
  const names = Object.keys(value.fields as object);
  const unrecognized = names.find(name => !Object.hasOwn(known, name));
  return unrecognized === undefined
    ? null
    : `Unknown field ${unrecognized}. Use one of ${Object.keys(known).join(', ')}.`;
}
