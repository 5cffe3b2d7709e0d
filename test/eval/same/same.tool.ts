// npm run --silent same -- --write FILE | --against FILE [--corpus DIR] [--only TEXT] [--words] [--json] Headroom's
// current answers for every file of the corpus and of the sample, for two GPUs: readings, estimates, findings and
// plans, as stable JSON. `--against` prints what differs from an earlier `--write`, by file and quantity, and exits
// with 1. Differing sentences are counted separately and listed with `--words`.
import { fork } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { UsageError, runTool } from '../toolArguments';
import type { Given } from '../toolArguments';
import type { Answers } from './answers';
import { answersFor } from './answers';
import { differences } from './differences';
import type { Difference } from './differences';

const ROOT = resolve(__dirname, '../../../..');
const READ = /\.(ya?ml|json|jsonc|sh|sbatch|slurm|toml|py|ipynb)$/i;
const SHOWN = 200;

/** The request to a child process: every `of`-th file, starting at the `part`-th. */
interface Share {
  readonly files: readonly string[];
  readonly part: number;
  readonly of: number;
}

async function main(given: Given): Promise<number> {
  const write = given.one('write');
  const against = given.one('against');
  if ((write === null) === (against === null)) throw new UsageError('Give --write FILE or --against FILE.');
  const before = against === null ? null : (JSON.parse(readFileSync(against, 'utf8')) as Answers);
  const only = given.one('only') ?? '';
  const answers = await answersOf(filesOf(given).filter(file => file.includes(only)));
  if (write !== null) writeFileSync(write, linesOf(answers));
  return before === null ? 0 : report(chosen(before, only), answers, given);
}

const chosen = (answers: Answers, only: string): Answers =>
  Object.fromEntries(Object.entries(answers).filter(([file]) => file.includes(only)));

function filesOf(given: Given): string[] {
  const corpus = given.one('corpus') ?? join(ROOT, '../shared/corpus');
  if (!existsSync(corpus)) process.stderr.write(`${corpus} is not there: only the sample is compared.\n`);
  const folders = [join(ROOT, 'media/sample'), ...(existsSync(corpus) ? [corpus] : [])];
  return folders.flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map(name => join(folder, name))
      .filter(file => READ.test(file) && statSync(file).isFile())
      .sort(),
  );
}

async function answersOf(files: readonly string[]): Promise<Answers> {
  const of = Math.max(1, availableParallelism());
  const parts = await Promise.all(
    Array.from({ length: of }, (_, part) => answersOfShare({ files, part, of })),
  );
  const all = Object.assign({}, ...parts) as Answers;
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function answersOfShare(share: Share): Promise<Answers> {
  return new Promise((done, fail) => {
    const child = fork(__filename, ['--child'], { serialization: 'advanced' });
    child.once('message', answers => done(answers as Answers));
    child.once('error', fail);
    child.once('exit', code => {
      if (code !== 0) fail(new Error(`A process that reads the corpus ended with ${code ?? 'a signal'}.`));
    });
    child.send(share);
  });
}

/** One line per file, so that any tool can compare two outputs. */
function linesOf(answers: Answers): string {
  const lines = Object.entries(answers).map(
    ([file, answer]) => `${JSON.stringify(file)}: ${JSON.stringify(answer)}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

function report(before: Answers, after: Answers, given: Given): number {
  const found = [...differences(before, after)];
  const facts = found.filter(({ words }) => !words);
  const words = found.filter(one => one.words);
  const shown = given.has('words') ? found : facts;
  if (given.has('json')) {
    process.stdout.write(`${JSON.stringify({ files: Object.keys(after).length, differences: shown })}\n`);
  } else print(shown, Object.keys(after).length, facts.length, words.length);
  return facts.length > 0 ? 1 : 0;
}

function print(shown: readonly Difference[], files: number, facts: number, words: number): void {
  for (const { file, place, before, after } of shown.slice(0, SHOWN)) {
    process.stdout.write(`${file}\n  ${place}: ${before} → ${after}\n`);
  }
  if (shown.length > SHOWN) process.stdout.write(`… and ${shown.length - SHOWN} more\n`);
  process.stdout.write(`${files} files, ${facts} differences, ${words} sentences worded otherwise\n`);
}

if (process.argv.includes('--child')) {
  process.once('message', (message: unknown) => {
    const { files, part, of } = message as Share;
    void answersFor(
      files.filter((_, at) => at % of === part),
      ROOT,
    ).then(answers => {
      process.send?.(answers, () => process.exit(0));
    });
  });
} else {
  void runTool({ one: ['write', 'against', 'corpus', 'only'], none: ['words', 'json'] }, main);
}
