// npm run --silent reading -- --expected FILE… --corpus DIR --json Compares the dialects' readings with a person's
// of the same configs, field by field, whatever the dialect is called: its name is a field of its own. An unread
// file counts as all unknown.
import { join, resolve } from 'node:path';
import { dialects } from '../../../src/core/dialects/registry';
import { readConfig } from '../../../src/core/reading/read';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import type { Files } from '../../../src/core/text/files';
import type { World } from '../../../src/core/analyse/world';
import { NodeFiles } from '../../../src/world/nodeFiles';
import { UsageError, jsonLines, runTool, textOf } from '../toolArguments';
import type { Given } from '../toolArguments';
import { compare, unknownIn } from './fields';
import type { Expected, Got, Wrong } from './fields';
import { generalAnswers, generalFields } from './generalFields';
import { llmAnswers, llmFields } from './llmFields';

type Answers = Readonly<Record<string, Got>>;

interface Tally {
  files: number;
  fields: number;
  right: number;
}

/** One set of records: its folder in the corpus, its fields and how a run answers them. */
interface Kind {
  readonly folder: string;
  readonly fields: readonly string[];
  readonly answers: (run: RunSpec, usualKey: string | null) => Answers;
}

const kinds: readonly Kind[] = [
  { folder: 'llm', fields: llmFields, answers: llmAnswers },
  { folder: 'general', fields: generalFields, answers: generalAnswers },
];

function kindOf(record: Expected): Kind {
  const kind = kinds.find(({ fields }) => fields.every(field => field in record));
  if (!kind) throw new UsageError(`${record.id} has the fields of no known expected file.`);
  return kind;
}

/** A fragment is read only with the files it is composed of, because that is how a person read it. */
function filesFor(record: Expected, files: Files, path: string): Files {
  const named = record['compose'];
  if (record['kind'] !== 'fragment' || !Array.isArray(named)) return files;
  const endings = named.map(name => `/${String(name)}`);
  const isThere = (asked: string): boolean =>
    asked === path || endings.some(ending => asked.endsWith(ending));
  return {
    read: asked => (isThere(asked) ? files.read(asked) : Promise.resolve({ absence: 'missing' })),
    list: async folder =>
      (await files.list(folder)).filter(name => isThere(`${folder === '/' ? '' : folder}/${name}`)),
  };
}

/** The answers of the file's run; null if the file was correctly refused. */
async function answersFor(record: Expected, corpus: string): Promise<Answers | null> {
  const kind = kindOf(record);
  // Absolute: what a config lies on is looked up from there.
  const path = resolve(join(corpus, kind.folder, record.file));
  const world: World = {
    files: filesFor(record, new NodeFiles('/'), path),
    models: { find: () => Promise.resolve({ model: null, why: null, dependencies: [] }) },
  };
  const reading = await readConfig(path, textOf(path), world, { aborted: false });
  const { runs, notes, yaml } = reading;
  const isRefused = runs.length === 0 && notes.length + yaml.problems.length > 0;
  if (isRefused && record.accept?.['*'] === 'template_error') return null;
  const dialect: Got = { value: reading.dialect, origin: null };
  if (runs.length === 0) return { ...unknownIn(kind.fields), dialect };
  return {
    ...asAWhole(
      record,
      runs.map(run => kind.answers(run, usualKey(run))),
    ),
    dialect,
  };
}

/**
 * An infrastructure file as a whole: the GPUs of all its services together, and the other values that they share.
 * Any other file is its first run.
 */
function asAWhole(record: Expected, runs: readonly Answers[]): Answers {
  const [first = {}, ...others] = runs;
  if (record['kind'] !== 'infra' || others.length === 0) return first;
  return Object.fromEntries(
    Object.entries(first).map(([field, got]) => {
      const values = runs.map(run => run[field]?.value ?? null);
      const areNumbers = values.every(value => typeof value === 'number');
      if (field === 'devices' && areNumbers) {
        return [field, { ...got, value: values.reduce((a, b) => a + b, 0) }];
      }
      return [field, values.every(value => value === got.value) ? got : { value: null, origin: null }];
    }),
  );
}

/** The key that would state the batch, used when the framework's default applies. */
function usualKey(run: RunSpec): string | null {
  const batch = run.quantities.microBatchSize;
  const row = dialects.find(({ id }) => id === run.dialect)?.quantities.microBatchSize;
  const isUsual = batch.origin.kind === 'default' && typeof row === 'object';
  return isUsual ? (row.keys[0] ?? null) : null;
}

async function main(given: Given): Promise<number> {
  const records = given.paths('expected', 'file').flatMap(jsonLines) as readonly Expected[];
  const [corpus = ''] = given.paths('corpus', 'folder');
  const wrong: Wrong[] = [];
  const byDialect: Record<string, Tally> = {};
  for (const record of records) {
    const fields = ['dialect', ...kindOf(record).fields];
    const answers = await answersFor(record, corpus);
    const mistakes = answers === null ? [] : compare(record, fields, answers);
    wrong.push(...mistakes);
    const tally = (byDialect[record.dialect] ??= { files: 0, fields: 0, right: 0 });
    tally.files += 1;
    tally.fields += fields.length;
    tally.right += fields.length - mistakes.length;
  }
  const total = (key: 'fields' | 'right'): number =>
    Object.values(byDialect).reduce((sum, tally) => sum + tally[key], 0);
  const result = { files: records.length, fields: total('fields'), right: total('right'), wrong, byDialect };
  console.log(given.has('json') ? JSON.stringify(result) : JSON.stringify(result, null, 2));
  return 0;
}

void runTool({ many: ['expected'], one: ['corpus'], none: ['json'] }, main);
