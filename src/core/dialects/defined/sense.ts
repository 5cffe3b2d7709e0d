import { arithmetic } from '../engine/arithmetic';
import type { DefinedRow, DialectDefinition, Told } from './definition';
import { detailRows, rowNamed } from './rows';
import type { RowKind } from './rows';
import { namesIn } from './names';
import { settings } from './settings';
import { meanings } from './words';

/** Something in a definition that fits its shape and makes no sense. */
interface SenseProblem {
  readonly path: readonly string[];
  readonly message: string;
}

const NAME = /^[a-z][a-z\d-]*$/;
const WEIGHTS = { strong: 4, medium: 2, weak: 1 } as const;

/** Names, scores and meanings that cannot be what was meant. */
export function meaningProblems(definition: DialectDefinition): SenseProblem[] {
  const { id, signature, rows, rules } = definition;
  const problems: SenseProblem[] = [];
  if (id !== '' && (!NAME.test(id) || id === 'generic')) {
    problems.push({
      path: ['id'],
      message: `${id} is no name for a dialect: small letters, digits and dashes.`,
    });
  }
  // A part is read because another file names it, whatever its keys are.
  if (definition.role === 'run') problems.push(...signatureProblems(signature));
  for (const [name, row] of Object.entries(rows)) {
    const found = rowProblems(row, rowNamed(name)?.kind ?? null, rows);
    problems.push(...found.map(one => ({ ...one, path: [...sectionOf(name), ...one.path] })));
  }
  for (const [i, rule] of rules.entries()) {
    if (NAME.test(rule.id)) continue;
    problems.push({
      path: ['rules', String(i), 'id'],
      message: `${rule.id} is no name for a rule: small letters, digits and dashes.`,
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
    const message = `No file can be recognised: all its keys together score ${most}, and ${signature.least} is the least.`;
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

function isPattern(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}

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
  if (row.of !== null && !(row.of in rows)) add(['of'], `${row.of} is no row of this dialect.`);
  if (row.formula !== null && arithmetic(numbered(row.formula)) === null) {
    add(['formula'], `${row.formula} is no arithmetic on x.`);
  }
  return [...problems, ...valueProblems(row, kind)];
}

const answersWithoutKeys = (row: DefinedRow): boolean =>
  row.defaults.length > 0 ||
  [row.of, row.default, row.always, row.unknown, row.derived, row.rule, row.part, row.formula].some(
    said => said !== null,
  );

/** A formula with a number for each of its names. */
const numbered = (formula: string): string =>
  namesIn(formula).reduce((text, name) => text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), '4'), formula);

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

/** Why a value is none of its kind: a sentence. */
function misfit(value: Told['value'], kind: RowKind): string | null {
  if (value === null) return null;
  if (typeof value === 'object') return fieldMisfit(value, kind);
  // Names are filled in.
  if (typeof value === 'string' && value.includes('{')) return null;
  if (kind === 'none') return 'Only null can be said here: there is none.';
  const few = meanings[kind];
  if (few && !few.includes(String(value))) return `${String(value)} is none of ${few.join(', ')}.`;
  const counts = kind === 'count' || kind === 'countOrNone' || kind === 'number';
  return counts && typeof value !== 'number' ? `${String(value)} is no number.` : null;
}

/** Settings have fields of their own; a row of its own answers for itself. */
function fieldMisfit(value: object, kind: RowKind): string | null {
  const known = settings[kind]?.kinds;
  if (!known || !('fields' in value)) return null;
  const names = Object.keys(value.fields as object);
  const strange = names.find(name => !(name in known));
  return strange === undefined
    ? null
    : `${strange} is no field here; there are ${Object.keys(known).join(', ')}.`;
}
