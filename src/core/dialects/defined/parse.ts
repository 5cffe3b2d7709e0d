import { frameworkIdOf } from '../../spec/frameworkId';
import type { Conditions } from '../../spec/conditions';
import type { Severity } from '../../spec/conditions';
import type { Span } from '../../text/span';
import { defaultLimits } from '../../yaml/limits';
import { parseYaml } from '../../yaml/parse';
import { find } from '../../yaml/path';
import type { YamlNode } from '../../yaml/node';
import { bar, line } from '../../data/forms/line';
import type { LogLine } from '../../data/forms/line';
import type { KeyHelp, Launch } from '../dialect';
import { plainOf } from '../../yaml/scalars';
import type { Loader, Plain } from '../../yaml/scalars';
import type { Signature } from '../engine/signature';
import { problemsIn } from './check';
import type { DefinitionProblem } from './check';
import type {
  DefinedDatasets,
  DefinedDetailKey,
  DefinedOwnModel,
  DefinedPack,
  DefinedProgram,
  DefinedRule,
  DialectDefinition,
} from './definition';
import { conditionsOf as rowConditionsOf, rowsOf, specOf, writersIn } from './parseRows';
import {
  isTable,
  listOf,
  mapped,
  numberOf,
  pathsOf,
  scalarOf,
  severalOf,
  stated,
  tableOf,
  textOf,
  textsOf,
  withoutPaths,
} from './plain';
import type { Table } from './plain';
import { callsOf } from './calls';
import { meaningProblems } from './sense';
import { dialectShape } from './shape';
import type { Shape } from './fields';

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
  const definition = definitionOf(file, withoutPaths(plainOf(root, 'json'), unfit));
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
  message: 'A dialect needs an id, how its files are recognised, and quantities.',
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

function definitionOf(file: string, plain: Plain): DialectDefinition {
  const root = tableOf(plain);
  const id = textOf(root['id']) ?? '';
  const rows = { ...tableOf(root['quantities']), ...tableOf(root['details']) };
  const framework = tableOf(root['framework']);
  const stages = tableOf(root['stages']);
  const at = textOf(stages['at']);
  const marked = textOf(stages['marked']);
  return {
    id,
    title: textOf(root['title']) ?? id,
    file,
    loader: (textOf(root['loader']) ?? 'pyyaml') as Loader,
    signature: signatureOf(tableOf(root['recognise'])),
    sections: textsOf(root['sections']),
    rows: mapped(rows, row => rowsOf(row, id)),
    stages:
      at === null || marked === null
        ? null
        : { at, marked, folders: textsOf(stages['folders']), config: textsOf(stages['config']) },
    ownModel: root['ownModel'] === undefined ? null : ownModelOf(tableOf(root['ownModel']), id),
    help: Object.fromEntries(
      Object.entries(tableOf(root['help'])).map(([key, help]) => [key, helpOf(tableOf(help))]),
    ),
    role: textOf(root['role']) === 'part' ? 'part' : 'run',
    framework: textOf(framework['name']) === null ? null : frameworkOf(framework),
    engines: listOf(root['engines']).map(one => engineOf(tableOf(one))),
    releases: listOf(root['releases']).map(one => releaseOf(tableOf(one))),
    unstated: textOf(root['unstated']) === 'unknown' ? 'unknown' : 'none',
    byRole: root['byRole'] === 'unread' ? 'unread' : root['byRole'] === true,
    references: listOf(root['references']).map(one => referenceOf(tableOf(one))),
    program: root['program'] === undefined ? null : programOf(tableOf(root['program'])),
    calls: callsOf(root['calls']),
    logs: listOf(root['logs']).map(logOf),
    detailKeys: Object.fromEntries(
      Object.entries(tableOf(root['detailKeys'])).map(([name, value]) => [name, keysOf(tableOf(value))]),
    ),
    like: textTable(root['like']),
    writers: mapped(root['writers'], one => writersIn(one, id)),
    datasets: severalOf(root['datasets']).map(one => datasetsOf(tableOf(one))),
    compose: composeOf(root['compose']),
    classKeys: textsOf(root['classKeys']),
    keysOf: textsOf(root['keysOf']),
    otherKeys: textsOf(root['otherKeys']).flatMap(keys => keys.split(/\s+/)),
    launch: (isTable(root['launch']) ? [root['launch']] : listOf(root['launch'])).flatMap(one =>
      launchOf(tableOf(one), id),
    ),
    rules: listOf(root['rules']).flatMap(rule => ruleOf(tableOf(rule))),
    pack: root['extends'] === undefined ? null : packOf(root),
  };
}

function packOf(root: Table): DefinedPack {
  const evidence = Object.entries(tableOf(root['evidence']));
  return {
    project: textOf(root['project']) ?? '',
    extends: textsOf(root['extends']),
    evidence: Object.fromEntries(evidence.map(([name, value]) => [name, textsOf(value)])),
    ...stated('task', textOf(root['task'])),
  };
}

function signatureOf(table: Table): Signature {
  const needs = pathsOf(table['needs']);
  const never = pathsOf(table['never']);
  return {
    strong: pathsOf(table['strong']),
    medium: pathsOf(table['medium']),
    weak: pathsOf(table['weak']),
    against: pathsOf(table['against']),
    ...(needs.length > 0 && { needs }),
    ...(never.length > 0 && { never }),
    ...stated('family', textOf(table['family'])),
    ...stated('mentions', textOf(table['mentions'])),
    least: numberOf(table['least']) ?? 4,
  };
}

const textTable = (plain: Plain | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(tableOf(plain)).map(([name, value]) => [name, textOf(value) ?? '']));

const datasetsOf = (table: Table): DefinedDatasets => ({
  path: textOf(table['path']) ?? '',
  template: (textOf(table['template']) ?? 'none') as DefinedDatasets['template'],
  ...stated('in', textOf(table['in'])),
  ...stated('files', textOf(table['files'])),
  ...stated('templates', table['templates'] === undefined ? null : textsOf(table['templates'])),
  ...stated('ownTemplate', textOf(table['ownTemplate'])),
  ...stated('columns', table['columns'] === undefined ? null : textTable(table['columns'])),
});

function composeOf(plain: Plain | undefined): DialectDefinition['compose'] {
  if (plain === undefined) return null;
  if (!isTable(plain)) return 'hydra';
  return { keys: textsOf(plain['keys']), ...stated('ignores', textOf(plain['ignores'])) };
}

const frameworkOf = (table: Table): NonNullable<DialectDefinition['framework']> => ({
  id: frameworkIdOf(textOf(table['name']) ?? ''),
  name: textOf(table['name']) ?? '',
  version: textOf(table['version']) ?? '',
  ...(table['libraries'] !== undefined && { libraries: textTable(table['libraries']) }),
});

const engineOf = (table: Table): DialectDefinition['engines'][number] => ({
  id: frameworkIdOf(textOf(table['name']) ?? ''),
  when: rowConditionsOf(table['when'] ?? {}),
});

const releaseOf = (table: Table): DialectDefinition['releases'][number] => ({
  keys: pathsOf(table['keys']),
  ...stated('values', textOf(table['values'])),
  upTo: textTable(table['upTo']),
  source: textOf(table['source']) ?? '',
});

const referenceOf = (table: Table): DialectDefinition['references'][number] => ({
  key: textOf(table['key']) ?? '',
  dialect: textOf(table['dialect']) ?? '',
  ...(table['presets'] !== undefined && { presets: tableOf(table['presets']) }),
});

function programOf(table: Table): DefinedProgram {
  const lists = (['configs', 'folder', 'sections', 'classes', 'flags'] as const).flatMap(name => {
    const words = textsOf(table[name]);
    return words.length > 0 ? [[name, words] as const] : [];
  });
  return {
    ...stated('words', textOf(table['words'])),
    ...stated('ending', textOf(table['ending'])),
    ...stated('hints', textOf(table['hints'])),
    ...stated('module', textOf(table['module'])),
    ...(table['refusesTwice'] === true && { refusesTwice: true }),
    ...(table['argv'] === true && { argv: true }),
    ...Object.fromEntries(lists),
    source: textOf(table['source']) ?? '',
  };
}

const ownModelOf = (table: Table, id: string): DefinedOwnModel => ({
  config: mapped(table['config'], one => specOf(one, id)),
  fromScratch: table['fromScratch'] === true,
});

/** A line by its parts or as one pattern, or the name of a set of lines. */
function logOf(plain: Plain): LogLine | string {
  if (!isTable(plain)) return textOf(plain) ?? '';
  const source = textOf(plain['source']) ?? '';
  const example = textOf(plain['example']) ?? '';
  const memory =
    plain['memory'] === undefined ? null : (tableOf(plain['memory']) as LogLine['memory'] & object);
  const rest = { example, source, ...stated('memory', memory) };
  const parts = { ...rest, parts: textTable(plain['parts']) };
  const start = textOf(plain['start']);
  if (start !== null) return line({ ...parts, start, ...(plain['bar'] === true && { bar: true }) });
  if (plain['bar'] === true && plain['pattern'] === undefined) return bar(parts);
  return {
    pattern: textOf(plain['pattern']) ?? '',
    fields: textsOf(plain['fields']) as LogLine['fields'],
    ...rest,
    ...(plain['bar'] === true && { bar: true }),
  };
}

const keysOf = (table: Table): DefinedDetailKey => {
  const near = textsOf(table['near']);
  const write = table['write'] === undefined ? null : mapped(table['write'], scalarOf);
  return { keys: textsOf(table['keys']), ...(near.length > 0 && { near }), ...stated('write', write) };
};

/** Command words are a list; a single text would need shell parsing. */
function launchOf(table: Table, id: string): readonly Launch[] {
  const argv = textsOf(table['argv']);
  if (argv.length === 0) return [];
  const lists = (['tasks', 'keys', 'resume', 'writes', 'also'] as const).flatMap(name => {
    const words = textsOf(table[name]);
    return words.length > 0 ? [[name, words] as const] : [];
  });
  return [
    {
      argv,
      ...Object.fromEntries(lists),
      ...stated('verb', textOf(table['verb'])),
      ...stated('handsTo', textOf(table['handsTo'])),
      source: textOf(table['source']) ?? `${id}’s dialect file`,
    },
  ];
}

function helpOf(table: Table): KeyHelp {
  const values = textsOf(table['values']);
  const byDefault = scalarOf(table['default']);
  return {
    text: textOf(table['text']) ?? '',
    ...(values.length > 0 && { values }),
    ...(byDefault !== null && { byDefault: String(byDefault) }),
  };
}

/** Ignores an incomplete rule without a name, condition or sentence. */
function ruleOf(table: Table): readonly DefinedRule[] {
  const id = textOf(table['id']);
  const message = textOf(table['message']);
  const when = tableOf(table['when']);
  if (id === null || message === null || Object.keys(when).length === 0) return [];
  const key = textOf(tableOf(table['set'])['key']);
  const to = scalarOf(tableOf(table['set'])['to']);
  return [
    {
      id,
      severity: (textOf(table['severity']) ?? 'warning') as Severity,
      when: conditionsOf(when),
      at: textsOf(table['at']),
      message,
      set: key === null || to === null ? null : { key, to },
    },
  ];
}

function conditionsOf(when: Table): Conditions {
  const words = (name: string): Record<string, readonly string[]> =>
    Object.fromEntries(Object.entries(tableOf(when[name])).map(([key, value]) => [key, textsOf(value)]));
  const numbers = (name: string): Record<string, number> =>
    Object.fromEntries(
      Object.entries(tableOf(when[name])).flatMap(([key, value]) => {
        const number = numberOf(value);
        return number === null ? [] : [[key, number] as const];
      }),
    );
  const pairs = (name: string): (readonly [string, string])[] =>
    listOf(when[name]).flatMap(pair => {
      const [one, other] = textsOf(pair);
      return one === undefined || other === undefined ? [] : [[one, other] as const];
    });
  return {
    on: textsOf(when['on']),
    ...(when['anyOn'] !== undefined && { anyOn: textsOf(when['anyOn']) }),
    off: textsOf(when['off']),
    stated: textsOf(when['stated']),
    absent: textsOf(when['absent']),
    is: words('is'),
    isNot: words('isNot'),
    above: numbers('above'),
    below: numbers('below'),
    differ: pairs('differ'),
    notMultiple: pairs('notMultiple'),
    equals: tableOf(when['equals']),
  };
}
