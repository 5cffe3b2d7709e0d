import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CatalogData } from '../../src/core/data/rows';
import { ModelCatalog } from '../../src/core/models/catalog';
import { modelTable } from '../../src/profile/program/models';
import { toldGpu } from '../../src/profile/program/request';
import { runProgram } from '../../src/profile/program/runProgram';
import { ProfileError } from '../../src/profile/answers';
import { skipFor } from '../skipFor';

const NEVER = { aborted: false };
const GIB = 2 ** 30;
const MOST_SECONDS = 180;
const CLONE_MS = 120_000;
const ANSWER = 'an answer';

interface Row {
  readonly repository: string;
  readonly commit: string;
  readonly folder: string;
  readonly environment: string;
  readonly command: readonly string[];
  /** `an answer`, or a pattern of the reason why there is none. */
  readonly expected: string;
}

/** HEADROOM_TEST_PROGRAMS names another index of the same columns. */
const INDEX = process.env['HEADROOM_TEST_PROGRAMS'] ?? 'test/programs/index.tsv';

const rows: readonly Row[] = readFileSync(INDEX, 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map(line => {
    const [repository = '', commit = '', folder = '', environment = '', command = '', expected = ''] =
      line.split('\t');
    return { repository, commit, folder, environment, command: command.split(' '), expected };
  });

/** As the command line hands them over. */
const models = modelTable(
  new ModelCatalog(JSON.parse(readFileSync('src/core/data/models.json', 'utf8')) as CatalogData),
);

const here = mkdtempSync(join(tmpdir(), 'headroom-repositories-'));

const git = (...words: readonly string[]): { readonly status: number | null; readonly stdout: Buffer } =>
  spawnSync('git', words, { timeout: CLONE_MS, maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] });

/** A folder of HEADROOM_TEST_REPOSITORIES, or a clone; null: neither is to be had. */
function repositoryOf(name: string): string | null {
  const folder = process.env['HEADROOM_TEST_REPOSITORIES'];
  if (folder !== undefined) {
    const place = [name, name.replace('/', '+')].map(one => join(folder, one)).find(one => existsSync(one));
    if (place === undefined) return null;
    return existsSync(join(place, 'repo')) ? join(place, 'repo') : place;
  }
  const clone = join(here, `${name.replace('/', '+')}.git`);
  const made = git('clone', '--quiet', '--bare', `https://github.com/${name}.git`, clone);
  return made.status === 0 ? clone : null;
}

/** Paths of a commit whose contents a partial copy of a repository lacks. */
function lackedBy(place: string, commit: string): readonly string[] {
  const lines = (...words: readonly string[]): readonly string[] =>
    git('-C', place, ...words)
      .stdout.toString()
      .split('\n');
  const objects = lines('rev-list', '--objects', '--missing=print', `${commit}^{tree}`);
  const absent = new Set(objects.filter(one => one.startsWith('?')).map(one => one.slice(1)));
  if (absent.size === 0) return [];
  return lines('ls-tree', '-r', commit)
    .map(line => line.split('\t'))
    .filter(([about = '']) => absent.has(about.split(' ')[2] ?? ''))
    .map(([, path = '']) => path);
}

/** The files of a commit, in a folder of their own; null: they are not to be had. */
function checkout({ repository, commit }: Row): string | null {
  const place = repositoryOf(repository);
  if (place === null) return null;
  const without = lackedBy(place, commit).map(path => `:(exclude,literal)${path}`);
  const packed = git('-C', place, 'archive', '--format=tar', commit, '--', '.', ...without);
  const folder = join(here, repository.replace('/', '+'));
  mkdirSync(folder);
  const unpacked = spawnSync('tar', ['-xf', '-', '-C', folder], { input: packed.stdout });
  return packed.status === 0 && unpacked.status === 0 ? folder : null;
}

interface End {
  /** What a user is told: an answer, or why there is none. */
  readonly told: string;
  readonly seconds: number;
}

async function dry({ command, folder }: Row, executable: string, files: string): Promise<End> {
  const began = Date.now();
  const since = (): number => Math.round((Date.now() - began) / 1000);
  const about = { gpus: null, gpu: toldGpu(null), steps: 2, seconds: MOST_SECONDS, models };
  const program = { command, folder: join(files, folder), ...about };
  const options = { cacheFolder: join(here, 'cache'), progress: () => undefined };
  try {
    const python = { executable, script: resolve('src/python/start.py') };
    const { phases, seconds } = await runProgram(python, program, options, NEVER);
    const peak = Math.max(...Object.values(phases)) / GIB;
    return { told: `${ANSWER}: ${peak.toFixed(2)} GiB`, seconds };
  } catch (error) {
    assert.ok(error instanceof ProfileError);
    return { told: error.message, seconds: since() };
  }
}

describe('dry runs of programs of public repositories', () => {
  after(() => rmSync(here, { recursive: true, force: true }));

  for (const row of rows) {
    it(`${row.repository}: ${row.expected}`, async function () {
      const executable = process.env[`HEADROOM_TEST_PROGRAMS_${row.environment}`];
      const files = executable ? checkout(row) : null;
      if (!executable || files === null) {
        const lacked = executable ? `commit ${row.commit}` : `environment ${row.environment}`;
        skipFor(`${row.repository}: no ${lacked}`, this);
        return;
      }
      const { told, seconds } = await dry(row, executable, files);
      console.log(`    ${row.repository}\t${told.replaceAll('\n', ' ')}\t${seconds} s`);
      if (row.expected === ANSWER) assert.ok(told.startsWith(ANSWER), told);
      else assert.match(told, new RegExp(row.expected));
    });
  }
});
