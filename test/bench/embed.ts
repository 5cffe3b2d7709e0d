import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as ort from 'onnxruntime-node';
import { defaultModelFolder } from '../../src/embed/defaultModel/ensure';
import { derivedModelFolder } from '../../src/embed/defaultModel/derived';
import { encodeModel } from '../../src/embed/graph/encode';
import { Graph } from '../../src/embed/graph/graph';
import { median, rounded } from './bench';
import type { Bench } from './bench';
import { equalTexts, mixedTexts, shortTexts } from './embedTexts';
import { ROOT } from './inputs';

const PEER = '@huggingface/transformers@4.3.1';
const TEXTS = 400;
const RUNS = 3;
const MAX_TOKENS = 256;
const INT8 = 'onnx/model_quantized.onnx';
/** Texts of a few words, for memory: how many there are, and not how long, is what shall not matter. */
const FEW = 5_000;
const MANY = 50_000;
const CLI = join(ROOT, 'dist/cli.js');

interface Measured {
  readonly cpuS: number;
  readonly wallS: number;
  readonly peakMB: number;
  /** Of the texts alone, without the start. */
  readonly tokens: number;
}

/** What a process took, all threads together; written as it ends. */
const HOOK = `process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
require('node:fs').writeFileSync(process.env.USAGE, JSON.stringify({ cpuS: (userCPUTime + systemCPUTime) / 1e6, peakMB: maxRSS / 1024 })); });`;

class Contest {
  readonly folder = mkdtempSync(join(tmpdir(), 'headroom-bench-'));
  private readonly hook = join(this.folder, 'hook.cjs');
  private readonly usage = join(this.folder, 'usage.json');

  constructor(
    private readonly model: string,
    private readonly peer: string | null,
  ) {
    writeFileSync(this.hook, HOOK);
    if (peer !== null) cpSync(join(ROOT, 'test/bench/embedPeer.mjs'), join(peer, 'embedPeer.mjs'));
  }

  texts(name: string, texts: readonly string[]): string {
    const path = join(this.folder, name);
    writeFileSync(path, texts.map((text, i) => `${JSON.stringify({ id: `t${i}`, text })}\n`).join(''));
    return path;
  }

  /** From start to exit: loading the model and writing the files are part of it. */
  ours(input: string, ...more: readonly string[]): Measured {
    const out = join(this.folder, 'out');
    rmSync(out, { recursive: true, force: true });
    const args = ['embed', input, '--model', this.model, '--out', out, '--json', '--quiet', ...more];
    const run = this.process([CLI, ...args]);
    const { shards } = JSON.parse(run.out) as { readonly shards: readonly { readonly tokens: number }[] };
    return { ...run, tokens: shards.reduce((sum, { tokens }) => sum + tokens, 0) };
  }

  /** The texts alone: a start more than ours is left out of the peer's. */
  theirs(input: string, batch: number, threads: number | 'all'): Measured | null {
    if (this.peer === null) return null;
    const run = this.process([
      join(this.peer, 'embedPeer.mjs'),
      this.model,
      input,
      String(batch),
      String(threads),
    ]);
    const { wallS, cpuS } = JSON.parse(run.out) as { wallS: number; cpuS: number };
    return { wallS, cpuS, peakMB: run.peakMB, tokens: 0 };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private process(args: readonly string[]) {
    const begin = performance.now();
    const env = { ...process.env, USAGE: this.usage, NODE_DISABLE_COMPILE_CACHE: '1' };
    const run = spawnSync(process.execPath, ['--require', this.hook, ...args], { encoding: 'utf8', env });
    if (run.status !== 0) throw new Error(run.stderr);
    const usage = JSON.parse(readFileSync(this.usage, 'utf8')) as { cpuS: number; peakMB: number };
    return { out: run.stdout, wallS: (performance.now() - begin) / 1000, ...usage };
  }
}

/** The peer in a folder of its own, once; null where it cannot be had. */
function installedPeer(): string | null {
  const folder = join(ROOT, 'out/bench-peer');
  if (existsSync(join(folder, 'node_modules/@huggingface/transformers'))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  try {
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', PEER], {
      cwd: folder,
      stdio: 'ignore',
    });
    return folder;
  } catch {
    return null;
  }
}

/** Both cut at the model's own length: the peer reads it from here. */
async function sharedModel(folder: string): Promise<string> {
  const small = await defaultModelFolder({
    shipped: join(ROOT, 'dist/models/all-MiniLM-L6-v2'),
    said: sentence => process.stderr.write(`${sentence}\n`),
  });
  const from = await derivedModelFolder(small, 'mapped');
  const to = join(folder, 'model');
  cpSync(from, to, { recursive: true });
  const int8 = join(await derivedModelFolder(small, 'int8'), INT8);
  cpSync(int8, join(to, INT8));
  const path = join(to, 'tokenizer_config.json');
  const config = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...config, model_max_length: MAX_TOKENS }));
  return to;
}

/** What the same library reaches in the model's own products, in one thread: the most that anybody can. */
async function productGFlops(): Promise<number> {
  const [rows, inputs, outputs] = [512, 384, 1536];
  const graph = new Graph();
  const matrix = Float32Array.from({ length: inputs * outputs }, (_, i) => (i % 17) / 17);
  graph.add('MatMul', ['x', graph.tensor('m', 'float32', [inputs, outputs], matrix)], {}, 'y');
  const port = (name: string, width: number) => ({ name, element: 'float32' as const, shape: [rows, width] });
  const session = await ort.InferenceSession.create(
    encodeModel(graph, [port('x', inputs)], [port('y', outputs)]),
    { intraOpNumThreads: 1 },
  );
  const x = new ort.Tensor('float32', new Float32Array(rows * inputs).fill(0.5), [rows, inputs]);
  const rates: number[] = [];
  for (let run = 0; run < 20; run++) {
    const cpu = process.cpuUsage();
    for (let i = 0; i < 10; i++) (await session.run({ x }))['y']?.dispose();
    const { user, system } = process.cpuUsage(cpu);
    rates.push((10 * 2 * rows * inputs * outputs) / ((user + system) * 1e3));
  }
  return median(rates);
}

/** Floating-point operations of a token: 6 layers of 4 × 384² + 2 × 384 × 1536 weights. */
const FLOP_A_TOKEN = 2 * 6 * (4 * 384 ** 2 + 2 * 384 * 1536);

/** Runs contestants in turn, several times, so that what else the machine does meets all of them; `between` after each. */
async function inTurn(
  contestants: Readonly<Record<string, () => Measured | null>>,
  between: () => Promise<void>,
): Promise<Record<string, Measured[]>> {
  const results: Record<string, Measured[]> = {};
  for (let run = 0; run < RUNS; run++) {
    for (const [name, contestant] of Object.entries(contestants)) {
      const measured = contestant();
      if (measured) (results[name] ??= []).push(measured);
      await between();
    }
  }
  return results;
}

const middle = (all: readonly Measured[] | undefined, name: keyof Measured): number =>
  median((all ?? []).map(each => each[name]));

/**
 * The embedding engine against the pipeline of transformers.js: same model, texts and machine, interleaved. `value`, `peer` and
 * `ratio` are processor seconds of one thread on mixed lengths, the peer at 32 texts a call; ours includes its start.
 */
export const embed: Bench = {
  name: 'embed',
  async run() {
    const peer = installedPeer();
    const base = mkdtempSync(join(tmpdir(), 'headroom-bench-model-'));
    const contest = new Contest(await sharedModel(base), peer);
    try {
      const mixed = contest.texts('mixed.jsonl', mixedTexts(TEXTS));
      const equal = contest.texts('equal.jsonl', equalTexts(TEXTS / 2));
      const one = contest.texts('one.jsonl', ['a first text']);
      const long = contest.texts('long.jsonl', mixedTexts(TEXTS * 10));
      const rates: number[] = [];
      const rate = async (): Promise<void> => void rates.push(await productGFlops());
      const contestants = {
        ours: () => contest.ours(mixed, '--workers', '1'),
        batch32: () => contest.theirs(mixed, 32, 1),
        batch1: () => contest.theirs(mixed, 1, 1),
        oursAll: () => contest.ours(mixed),
        batch1All: () => contest.theirs(mixed, 1, 'all'),
        oursEqual: () => contest.ours(equal, '--workers', '1'),
        batch32Equal: () => contest.theirs(equal, 32, 1),
        oursInt8: () => contest.ours(mixed, '--workers', '1', '--precision', 'int8'),
        oursInt8All: () => contest.ours(mixed, '--precision', 'int8'),
        start: () => contest.ours(one, '--workers', '1'),
      };
      const all = await inTurn(contestants, rate);
      const larger = contest.ours(long, '--workers', '1');
      await rate();
      const peaks = [FEW, MANY].map(
        count => contest.ours(contest.texts('few.jsonl', shortTexts(count)), '--workers', '1').peakMB,
      );
      return result(all, { larger, peaks }, median(rates), peer);
    } finally {
      contest.remove();
      rmSync(base, { recursive: true, force: true });
    }
  },
};

interface Large {
  readonly larger: Measured;
  /** Of few and many short texts, in MB. */
  readonly peaks: readonly number[];
}

function result(
  all: Record<string, Measured[]>,
  { larger, peaks }: Large,
  gflops: number,
  peer: string | null,
) {
  const cpu = (name: string): number => middle(all[name], 'cpuS');
  const wall = (name: string): number => middle(all[name], 'wallS');
  const over = (one: number, other: number): number => rounded(one / other, 2);
  const reached = (larger.tokens * FLOP_A_TOKEN) / (larger.cpuS - cpu('start')) / 1e9;
  const own = {
    texts: TEXTS,
    tokens: middle(all['ours'], 'tokens'),
    startToFirstVectorsS: rounded(wall('start'), 2),
    startCpuS: rounded(cpu('start'), 2),
    wallAllCoresS: rounded(wall('oursAll'), 2),
    cores: availableParallelism(),
    peakMB: rounded(middle(all['ours'], 'peakMB'), 0),
    peakMBAllCores: rounded(middle(all['oursAll'], 'peakMB'), 0),
    peakMBTenTimesTheTexts: rounded(larger.peakMB, 0),
    [`peakMBOf${FEW}ShortTexts`]: rounded(peaks[0] ?? NaN, 0),
    [`peakMBOf${MANY}ShortTexts`]: rounded(peaks[1] ?? NaN, 0),
    int8OverFp32Cpu: over(cpu('ours'), cpu('oursInt8')),
    productGFlops: rounded(gflops, 0),
    shareOfProductRate: over(reached, gflops),
  };
  if (peer === null) {
    const detail = { ...own, peer: `skipped: ${PEER} could not be installed` };
    return { value: rounded(cpu('ours'), 2), unit: 'processor s', runs: RUNS, detail };
  }
  return {
    value: rounded(cpu('ours'), 2),
    unit: 'processor s',
    runs: RUNS,
    peer: { name: `${PEER}, 32 texts a call, one thread`, value: rounded(cpu('batch32'), 2) },
    ratio: over(cpu('batch32'), cpu('ours')),
    detail: {
      ...own,
      peerBatch1CpuS: rounded(cpu('batch1'), 2),
      overPeerBatch1Cpu: over(cpu('batch1'), cpu('ours') - cpu('start')),
      overPeerBatch1WallAllCores: over(wall('batch1All'), wall('oursAll')),
      int8OverPeerBatch1WallAllCores: over(wall('batch1All'), wall('oursInt8All')),
      overPeerBatch32EqualLengths: over(cpu('batch32Equal'), cpu('oursEqual') - cpu('start')),
      overPeerBatch32TextsAlone: over(cpu('batch32'), cpu('ours') - cpu('start')),
      peerPeakMB: rounded(middle(all['batch32'], 'peakMB'), 0),
    },
  };
}
