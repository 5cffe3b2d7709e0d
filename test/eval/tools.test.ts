import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { llmFields } from './reading/llmFields';

const SAMPLE = 'media/sample';
const QLORA = `${SAMPLE}/axolotl/llama-3.1-8b-qlora.yml`;
const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 24.00 GiB of which 512.00 MiB is free.';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface PairsScore {
  readonly files: number;
  readonly read: number;
  readonly answered: number;
  readonly byMetric: Readonly<
    Record<
      string,
      {
        readonly n: number;
        readonly mean: number;
        readonly over2x: number;
        readonly inside: number;
        readonly wrongFits: number;
        readonly rightReasons?: number;
      }
    >
  >;
  readonly missing: Readonly<Record<string, number>>;
}

/** The tools by name, each a separate bundle. */
const bundles = new Map(
  readdirSync('out/test/eval', { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.tool.js'))
    .map(name => [name.replace(/^.*[\\/]|\.tool\.js$/g, ''), join('out/test/eval', name)]),
);

function tool(name: string, ...args: readonly string[]): Promise<Ended> {
  const bundle = bundles.get(name);
  assert.ok(bundle, `${name} is not built`);
  return new Promise(done => {
    execFile(process.execPath, [bundle, ...args], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

/** The JSON output of a tool that succeeded. */
async function answerOf(name: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await tool(name, ...args, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Every tool once, on small data in this repository: it starts, reads its input and prints its figures. */
describe('each measuring tool', function () {
  this.timeout(120_000);
  const work = mkdtempSync(join(tmpdir(), 'headroom-tools-'));
  after(() => rmSync(work, { recursive: true, force: true }));
  const started = new Set<string>();

  function given(name: string, ...records: readonly object[]): string {
    const path = join(work, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, records.map(record => `${JSON.stringify(record)}\n`).join(''));
    return path;
  }

  const starts = (name: string, title: string, run: () => Promise<void>): void => {
    started.add(name);
    it(`${name}: ${title}`, run);
  };

  /** A corpus of one file, in the format of `recognition` and `reading`. */
  function corpus(): string {
    const folder = join(work, 'corpus');
    mkdirSync(join(folder, 'llm'), { recursive: true });
    copyFileSync(QLORA, join(folder, 'llm/qlora.yml'));
    given('corpus/llm/INDEX.jsonl', { file: 'qlora.yml', dialect: 'axolotl' });
    given('corpus/general/INDEX.jsonl');
    return folder;
  }

  starts('accuracy', 'answers a simulated run', async () => {
    const [record] = JSON.parse(readFileSync('test/fixtures/memory/simulated.json', 'utf8')) as object[];
    const found = await answerOf('accuracy', '--records', given('records.jsonl', record ?? {}));
    assert.deepEqual([found['records'], found['answered']], [1, 1]);
  });

  starts('reading', 'counts the fields of a file, those accepted among them', async () => {
    const unknown = Object.fromEntries(llmFields.map(field => [field, null]));
    const record = { ...unknown, id: 'q', file: 'qlora.yml', dialect: 'axolotl', method: 'lora' };
    const expected = given('expected.jsonl', record, { ...record, accept: { method: ['lora', 'qlora'] } });
    const found = await answerOf('reading', '--expected', expected, '--corpus', corpus());
    assert.equal(found['fields'], 2 * (llmFields.length + 1));
    const wrong = found['wrong'] as readonly { readonly field: string }[];
    assert.equal(wrong.filter(({ field }) => field === 'dialect').length, 0);
    assert.equal(wrong.filter(({ field }) => field === 'method').length, 1);
  });

  starts('guard', 'counts what is stopped', async () => {
    const serve = { id: 'a', gpu: '24GB', gpus: 1, command: 'vllm serve meta-llama/Llama-3.3-70B-Instruct' };
    const commands = given(
      'commands.jsonl',
      { ...serve, outcome: 'oom' },
      { ...serve, id: 'b', command: 'ls', outcome: 'ran' },
    );
    const found = await answerOf('guard', '--commands', commands);
    assert.deepEqual(found['oom'], { n: 1, stopped: 1, missed: [] });
    assert.deepEqual(found['ran'], { n: 1, passed: 1, stopped: [] });
  });

  starts('recognition', 'takes a file for what its index says', async () => {
    const found = await answerOf('recognition', '--corpus', corpus());
    assert.deepEqual([found['files'], found['rightOrNone'], found['none']], [1, 1, 0]);
  });

  starts('silence', 'counts what is recognised', async () => {
    writeFileSync(join(work, 'other.yaml'), 'kind: List\nitems: []\n');
    mkdirSync(join(work, 'silent'), { recursive: true });
    copyFileSync(join(work, 'other.yaml'), join(work, 'silent/other.yaml'));
    const found = await answerOf('silence', '--dir', join(work, 'silent'));
    assert.deepEqual([found['files'], found['recognised'], found['findings']], [1, 0, 0]);
  });

  starts('dialects', 'has a row for each', async () => {
    const { code, stdout } = await tool('dialects', '--json');
    assert.equal(code, 0);
    assert.ok((JSON.parse(stdout) as { dialect: string }[]).some(({ dialect }) => dialect === 'axolotl'));
  });

  starts('logs', 'classifies memory that ran out, and reads progress', async () => {
    const oom = given('oom.jsonl', {
      id: 'o',
      text: OOM,
      expected: { kind: 'torch-cuda', triedBytes: 2.5 * 2 ** 30 },
    });
    const progress = given('progress.jsonl', {
      id: 'p',
      framework: 'none',
      text: 'nothing of note\n',
      expected: { steps: [], finished: false, failed: false },
    });
    const { stdout } = await tool('logs', '--oom', oom, '--progress', progress, '--json');
    const found = JSON.parse(stdout) as {
      oom: { texts: number; missed: number };
      progress: { excerpts: number };
    };
    assert.deepEqual([found.oom.texts, found.oom.missed, found.progress.excerpts], [1, 0, 1]);
  });

  starts('telemetry', 'reads the recordings of this repository, all right', async () => {
    const found = await answerOf('telemetry', '--index', 'test/fixtures/telemetry/recordings/INDEX.jsonl');
    assert.ok(Number(found['samples']) > 0);
    assert.equal(found['right'], found['samples']);
  });

  // In quarters, each of which ends in time on a slow machine.
  for (const quarter of [0, 1, 2, 3]) {
    starts(
      'pasted',
      `reads the recordings of this repository in every frame, quarter ${quarter + 1}`,
      async () => {
        const folder = 'test/fixtures/telemetry/recordings';
        const rows = readFileSync(join(folder, 'INDEX.jsonl'), 'utf8').split('\n').filter(Boolean);
        const some = rows
          .filter((_, at) => at % 4 === quarter)
          .map(row => JSON.parse(row) as { readonly file: string })
          .map(row => ({ ...row, file: relative(work, resolve(folder, row.file)) }));
        const found = await answerOf('pasted', '--index', given('pasted.jsonl', ...some));
        assert.ok(Number(found['frames']) > 50);
        assert.deepEqual([found['differ'], Number(found['readings']) > 500], [0, true]);
      },
    );
  }

  starts('damaged', 'reads no number that a whole recording does not have', async () => {
    const index = 'test/fixtures/telemetry/recordings/INDEX.jsonl';
    const found = await answerOf('damaged', '--index', index, '--only', 'within a box');
    const { wrong, same } =
      (found['byDamage'] as Record<string, Record<string, number>>)['within a box'] ?? {};
    assert.deepEqual([wrong, Number(same) > 40], [0, true]);
  });

  starts('plans', 'keeps what it promises for a config of the sample', async () => {
    const found = await answerOf('plans', '--corpus', SAMPLE, '--only', 'qlora');
    assert.equal(found['configs'], 1);
    assert.deepEqual(found['wrong'], []);
  });

  starts('pairs', 'compares a file with what was measured, in the metric and by the verdict', async () => {
    const folder = join(work, 'pairs/set/files');
    mkdirSync(folder, { recursive: true });
    copyFileSync(QLORA, join(folder, 'qlora.yml'));
    writeFileSync(join(folder, 'train.py'), 'print("no config")\n');
    const pair = { file: 'qlora.yml', run: null, gpu: 'RTX 4090', gpus: 1, unit: 'GiB' };
    given(
      'pairs/set/truth.jsonl',
      { ...pair, id: 'a', metric: 'torch allocated', value: 1 },
      { ...pair, id: 'b', metric: 'torch allocated', value: 1, suspect: true },
      { ...pair, id: 'c', metric: 'tokens/s/gpu', value: 1 },
      { ...pair, id: 'd', metric: 'fails', value: 1, gpu: 'H100 SXM' },
      { ...pair, id: 'e', metric: 'fails', value: 1, decidable_from_file: false },
      { ...pair, id: 'f', metric: 'device', value: 1, file: 'train.py' },
    );
    const { set } = (await answerOf('pairs', '--dir', join(work, 'pairs'))) as { set: PairsScore };
    assert.deepEqual([set.files, set.read, set.answered], [2, 1, 1]);
    const { 'torch allocated': allocated, fails } = set.byMetric;
    assert.deepEqual([allocated?.n, allocated?.over2x, allocated?.inside], [1, 1, 0]);
    assert.ok((allocated?.mean ?? 0) > 1);
    assert.deepEqual([fails?.n, fails?.wrongFits, fails?.rightReasons], [1, 1, 0]);
    assert.deepEqual(Object.values(set.missing), [1]);
  });

  starts('speed', 'compares a step with what was measured, and says what is missing', async () => {
    const folder = join(work, 'speeds/set/files');
    mkdirSync(folder, { recursive: true });
    copyFileSync(QLORA, join(folder, 'qlora.yml'));
    writeFileSync(join(folder, 'train.py'), 'print("no config")\n');
    const pair = { file: 'qlora.yml', run: null, gpu: 'RTX 4090', gpus: 1, unit: 'tokens/s' };
    given(
      'speeds/set/truth.jsonl',
      { ...pair, id: 'a', metric: 'tokens/s/gpu', value: 2000 },
      { ...pair, id: 'b', metric: 'tokens/s/gpu', value: 2000, gpu: 'L4', suspect: true },
      { ...pair, id: 'c', metric: 'device', value: 1 },
      { ...pair, id: 'd', metric: 'seconds/step', value: 1, file: 'train.py' },
    );
    const questions = join(work, 'questions.jsonl');
    const peers = given('peers.jsonl', { id: 'set/a', peer: 'half', seconds: 1 });
    const args = ['--dir', join(work, 'speeds'), '--questions', questions, '--peers', peers];
    const { groups, missing, ...others } = (await answerOf('speed', ...args)) as unknown as {
      groups: Readonly<Record<string, { n: number; asked: number; median: number }>>;
      missing: object;
      peers: readonly { peer: string; answered: number; asked: number; median: number }[];
    };
    const asked = JSON.parse(readFileSync(questions, 'utf8')) as { id: string; layers: number };
    assert.deepEqual([asked.id, asked.layers], ['set/a', 32]);
    const [half] = others.peers;
    assert.deepEqual([half?.peer, half?.answered, half?.asked], ['half', 1, 1]);
    assert.ok(half && half.median > 0);
    const one = groups['one GPU'];
    assert.deepEqual([one?.n, one?.asked], [1, 2]);
    assert.ok(one && one.median < 2, `${one?.median}`);
    assert.deepEqual(Object.values(missing), [1]);
  });

  starts('same', 'finds no difference between two answers, and one that was put there', async () => {
    const file = join(work, 'same.json');
    const only = ['--only', 'qlora', '--corpus', join(work, 'no-corpus')];
    assert.equal((await tool('same', '--write', file, ...only)).code, 0);
    assert.match((await tool('same', '--against', file, ...only)).stdout, /^1 files, 0 differences, 0 /);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"dialect":"axolotl"', '"dialect":"other"'));
    assert.equal((await tool('same', '--against', file, ...only)).code, 1);
  });

  const quick = [
    'parse',
    'analyse',
    'edit',
    'activate',
    'check-files',
    'estimate',
    'search',
    'sample',
    'bundle',
  ];
  starts('bench', 'has a figure for each benchmark that is short', async () => {
    const found = await answerOf('bench', '--once', ...quick);
    assert.deepEqual(Object.keys(found).sort(), quick.toSorted());
    // With three configs, the start dominates and the rate is noise: any number is accepted.
    const isFigure = (name: string, value = Number.NaN): boolean =>
      name === 'check-files' ? Number.isFinite(value) : value > 0;
    const bad = Object.entries(found).filter(
      ([name, result]) => !isFigure(name, (result as { value?: number }).value),
    );
    assert.deepEqual(bad, []);
    // What the size below counts is all there is: nothing else of ours is loaded by the end of activate().
    const { detail } = found['activate'] as { detail?: { files?: string } };
    assert.equal(detail?.files, 'extension.js');
    const { value: loaded = NaN } = found['bundle'] as { value?: number };
    assert.ok(loaded <= 150, `VS Code loads ${loaded} kB for a file that is not ours`);
  });

  it('is in this list', () => assert.deepEqual([...bundles.keys()].sort(), [...started].sort()));
});
