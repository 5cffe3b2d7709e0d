import type { Span } from '../../text/span';
import { defaultLimits } from '../../yaml/limits';
import { parseYaml } from '../../yaml/parse';
import { find } from '../../yaml/path';
import type { YamlNode } from '../../yaml/node';
import { plainOf } from '../../yaml/scalars';
import type { Plain } from '../../yaml/scalars';
import { problemsIn } from './check';
import type { DefinitionProblem } from './check';
import { emptyDefinition, emptyRow } from './definition';
import type { DefinedPack, DefinedRow, DialectDefinition } from './definition';
import { dialectShape } from './format';
import type { Shape } from './format';
import { tableOf, textOf, textsOf, withoutPaths } from './plain';
import { logOf, readAs, rowOf } from './readAs';
import { meaningProblems } from './sense';

/** The result of parsing a dialect file. */
interface ParsedDefinition {
  /** Null if the file has no id, or no keys that identify its configs. */
  readonly definition: DialectDefinition | null;
  readonly problems: readonly DefinitionProblem[];
}

/** Ten times the longest of the dialects here, which has 27 kB. */
const LIMITS = { ...defaultLimits, characters: 256 * 1024 };

/**
 * Parses a file of `.headroom/dialects`. Reports problems at their places and keeps the rest, so that a dialect
 * works while it is being written. Packs have a different shape (`packShape`).
 */
export function parseDefinition(file: string, text: string, shape: Shape = dialectShape): ParsedDefinition {
  const { documents, problems: syntax } = parseYaml(text, LIMITS);
  const broken = syntax.map(({ span, message }) => ({ span, path: [], message }));
  const root = documents[0]?.root ?? null;
  if (root === null) {
    const isRefused = syntax.some(({ code }) => code === 'too-large');
    return { definition: null, problems: isRefused ? broken : [...broken, missing()] };
  }
  const problems = problemsIn(root, shape);
  const unfit = problems.filter(({ isUnfit }) => isUnfit).map(({ path }) => path);
  const definition = definitionOf(file, withoutPaths(plainOf(root, 'json'), unfit), shape);
  const sense = meaningProblems(definition).map(({ path, message }) => ({
    span: spanOf(root, path),
    path,
    message,
  }));
  // A part that does not fit its shape is reported only once.
  const reported = problems.map(({ path }) => path);
  const fresh = sense.filter(
    ({ path }) => !reported.some(other => path.every((step, i) => other[i] === step)),
  );
  return {
    definition: definition.id === '' || isNameless(definition) ? null : definition,
    problems: [...broken, ...problems, ...fresh].toSorted((a, b) => a.span.start - b.span.start),
  };
}

const missing = (): DefinitionProblem => ({
  span: { start: 0, end: 0 },
  path: [],
  message: 'A dialect needs `id`, `recognise` and `quantities`.',
});

const isNameless = ({ pack, signature: { strong, medium, weak } }: DialectDefinition): boolean =>
  pack === null && strong.length + medium.length + weak.length === 0;

/** The place of the key at a path, or of the part of it that exists. */
function spanOf(root: YamlNode, path: readonly string[]): Span {
  for (let length = path.length; length > 0; length--) {
    const found = find(root, path.slice(0, length).map(numeric));
    if (found) return found.entry?.keySpan ?? found.node.span;
  }
  return { start: root.span.start, end: root.span.start };
}

const numeric = (step: string): string | number => (/^\d+$/.test(step) ? Number(step) : step);

type Rows = Readonly<Record<string, readonly Partial<DefinedRow>[]>>;

/** A dialect file as its shape reads it; only packs have the last four. */
interface FileFields extends Partial<Omit<DialectDefinition, 'byRole' | 'compose' | 'logs'>> {
  readonly recognise?: DialectDefinition['signature'];
  readonly quantities?: Rows;
  readonly details?: Rows;
  readonly byRole?: string;
  readonly compose?: Plain;
  readonly logs?: readonly Plain[];
  readonly project?: string;
  readonly extends?: readonly string[];
  readonly evidence?: DefinedPack['evidence'];
  readonly task?: string;
}

function definitionOf(file: string, plain: Plain, shape: Shape): DialectDefinition {
  const id = textOf(tableOf(plain)['id']) ?? '';
  const read = readAs(shape, plain, `${id}’s dialect file`) as FileFields;
  const { recognise, quantities, details, byRole, compose, logs = [], ...rest } = read;
  const { project, extends: general, evidence, task, ...others } = rest;
  const rows = Object.entries({ ...quantities, ...details });
  return {
    ...emptyDefinition,
    title: id,
    ...others,
    id,
    file,
    signature: recognise ?? emptyDefinition.signature,
    rows: Object.fromEntries(rows.map(([name, all]) => [name, { ...emptyRow, ...rowOf(all) }])),
    byRole: byRole === 'unread' ? byRole : byRole === 'true',
    compose: compose === undefined ? null : composeOf(compose),
    logs: logs.map(logOf),
    pack: general
      ? {
          project: project ?? '',
          extends: general,
          evidence: evidence ?? {},
          ...(task !== undefined && { task }),
        }
      : null,
  };
}

function composeOf(plain: Plain): DialectDefinition['compose'] {
  const { keys, ignores } = tableOf(plain);
  const pattern = textOf(ignores);
  if (keys === undefined) return 'hydra';
  return { keys: textsOf(keys), ...(pattern !== null && { ignores: pattern }) };
}
