import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readManifest } from '../../src/embed/output/manifest';
import { vectorsIn, workFolder, writeTexts } from '../unit/embed/folders';
import { writeTinyModel } from '../unit/embed/tinyModel';
import { writeTinySafetensors } from '../unit/embed/tinySafetensors';
import { signalTo } from '../signals';

const CLI = resolve('dist/cli.js');
const ROWS = 400;

describe('embedding with sentence-transformers in a real Python @ci', function () {
  // Loading torch takes seconds each time, and longer on a busy machine.
  this.timeout(600_000);
  const python = process.env['HEADROOM_TEST_EMBED_PYTHON'];
  let work: ReturnType<typeof workFolder>;
  let texts: string;

  before(function () {
    if (python === undefined) {
      console.log('    skipped: no Python with sentence-transformers can be had');
      this.skip();
    }
  });

  beforeEach(() => {
    work = workFolder();
    texts = writeTexts(work.path, ROWS);
  });
  afterEach(() => work.remove());

  const at = (name: string): string => join(work.path, name);
  const words = (out: string, model: string, ...more: readonly string[]): string[] => [
    ...[CLI, 'embed', texts, '--out', at(out), '--model', model, '--python', python ?? ''],
    ...['--device', 'cpu', '--rows-per-shard', '150', '--quiet', ...more],
  ];
  const headroom = (...args: readonly string[]) => {
    const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { code: run.status, out: run.stdout, err: run.stderr };
  };

  async function leastCosine(one: string, other: string): Promise<number> {
    const [a, b] = [await vectorsIn(at(one)), await vectorsIn(at(other))];
    assert.deepEqual([a.length, b.length], [ROWS, ROWS]);
    return Math.min(...a.map((vector, i) => vector.reduce((sum, x, k) => sum + x * (b[i]?.[k] ?? 0), 0)));
  }

  it('gives the vectors of our engine, in the same files, also for a folder that only it can read', async () => {
    const run = headroom(...words('python', writeTinySafetensors(at('safe'))));
    assert.equal(run.code, 0, run.err);
    headroom(...words('ours', writeTinyModel(at('onnx'))));
    assert.ok((await leastCosine('python', 'ours')) > 0.99999);
    const manifest = await readManifest(at('python'));
    assert.equal(manifest?.model.runtime, 'sentence-transformers');
    assert.match(manifest.versions?.['sentence-transformers'] ?? '', /^\d/);
    const ours = await readManifest(at('ours'));
    const facts = (all: typeof manifest) =>
      all.shards.map(({ file, rows, tokens, cut, textsSha256 }) => ({
        file,
        rows,
        tokens,
        cut,
        textsSha256,
      }));
    assert.deepEqual(facts(manifest), facts(ours ?? manifest));
    const verified = headroom(CLI, 'verify', at('python'), '--shape', `${ROWS},32`);
    assert.equal(verified.code, 0, verified.err);
  });

  it('truncates, adds prompts and keeps lengths as our engine does', async () => {
    const options = ['--dimensions', '16', '--prompt', 'the text ', '--no-normalize'];
    assert.equal(headroom(...words('python', writeTinySafetensors(at('safe')), ...options)).code, 0);
    assert.equal(headroom(...words('ours', writeTinyModel(at('onnx')), ...options)).code, 0);
    const [a, b] = [await vectorsIn(at('python')), await vectorsIn(at('ours'))];
    assert.equal(a[0]?.length, 16);
    const furthest = Math.max(
      ...a.flatMap((vector, i) => [...vector].map((x, k) => Math.abs(x - (b[i]?.[k] ?? 9)))),
    );
    assert.ok(furthest < 1e-5, String(furthest));
  });

  it('resumes after either process was killed, without loss or duplicates', async () => {
    const model = writeTinySafetensors(at('safe'));
    const whole = headroom(...words('whole', model));
    assert.equal(whole.code, 0, whole.err);
    // Only Linux lists a process's children.
    const victims = process.platform === 'linux' ? (['ours', 'python'] as const) : (['ours'] as const);
    for (const victim of victims) {
      await killedInTheMiddle(victim, model);
      const gone = await readManifest(at(victim));
      assert.equal(gone?.state, 'running');
      const resumed = headroom(CLI, 'resume', at(victim), '--python', python ?? '', '--device', 'cpu');
      assert.equal(resumed.code, 0, resumed.err);
      assert.ok((await leastCosine(victim, 'whole')) > 0.99999);
    }
  });

  /** Kills one of the two once the first batch is in the journal. */
  async function killedInTheMiddle(victim: 'ours' | 'python', model: string): Promise<void> {
    const child = spawn(process.execPath, words(victim, model, '--batch-rows', '1'), { stdio: 'ignore' });
    const ended = new Promise(done => child.once('exit', done));
    const journal = join(at(victim), 'shard-00000.journal');
    while (!existsSync(journal) || readFileSync(journal, 'utf8').split('\n').length < 4) {
      assert.equal(child.exitCode, null);
      await new Promise(done => setTimeout(done, 5));
    }
    const started = (own: number): number =>
      Number(readFileSync(`/proc/${own}/task/${own}/children`, 'utf8').trim().split(' ')[0]);
    const own = child.pid ?? 0;
    const pid = victim === 'ours' ? own : started(own);
    signalTo(pid, 'SIGKILL');
    await ended;
  }

  it('is refused for pickled weights, for parts of another engine, and without the package', () => {
    const pickled = writeTinySafetensors(at('pickled'));
    cpSync(join(pickled, 'model.safetensors'), join(pickled, 'pytorch_model.bin'));
    rmSync(join(pickled, 'model.safetensors'));
    const refused = headroom(...words('a', pickled, '--worker', 'python'));
    assert.equal(refused.code, 3);
    assert.match(refused.err, /pytorch_model\.bin is pickled, and not loaded\. Save it again/);
    const safe = writeTinySafetensors(at('safe'));
    assert.equal(headroom(...words('one', safe, '--shard', '1/2')).code, 0);
    assert.equal(headroom(...words('two', writeTinyModel(at('onnx')), '--shard', '2/2')).code, 0);
    const merged = headroom(CLI, 'merge', at('one'), at('two'), '--out', at('merged'));
    assert.equal(merged.code, 3);
    assert.match(merged.err, /another runtime \("sentence-transformers", "onnxruntime"\)/);
    writeFileSync(join(safe, 'config.json'), '{}');
    const strange = headroom(...words('b', safe));
    assert.equal(strange.code, 3);
    assert.match(strange.err, /sentence-transformers cannot load it/);
  });
});
