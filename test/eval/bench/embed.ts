import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as ort from 'onnxruntime-node';
import { encodeModel } from '../../../src/embed/graph/encode';
import { Graph } from '../../../src/embed/graph/graph';
import { median, rounded } from './bench';
import type { Bench, BenchResult } from './bench';
import { Contest, inTurn, installedPeer, middle, PEER, pythonPeer, sharedModel } from './embedContest';
import type { Measured } from './embedContest';
import { equalTexts, mixedTexts, shortTexts } from './embedTexts';

const TEXTS = 400;
const RUNS = 3;
/** Texts of a few words, for memory: it must not depend on their number. */
const FEW = 5_000;
const MANY = 50_000;

const [ROWS, HIDDEN, INNER] = [512, 384, 1536];
const LAYERS = 12;

/** What the same library reaches in the model's own products in one thread: the upper bound. */
async function productGFlops(): Promise<number> {
  const graph = new Graph();
  const matrix = (name: string, from: number, to: number): string => {
    const data = Float32Array.from({ length: from * to }, (_, i) => ((i % 17) - 8) / 1e3);
    return graph.tensor(name, 'float32', [from, to], data);
  };
  let x = 'x';
  for (let layer = 0; layer < LAYERS; layer++) {
    const inner = graph.add('MatMul', [x, matrix(`in_${layer}`, HIDDEN, INNER)]);
    x = graph.add('MatMul', [inner, matrix(`out_${layer}`, INNER, HIDDEN)]);
  }
  graph.add('ReduceMax', [x], { keepdims: 0 }, 'y');
  const port = (name: string, shape: readonly number[]) => ({ name, element: 'float32' as const, shape });
  const model = encodeModel(graph, [port('x', [ROWS, HIDDEN])], [port('y', [])]);
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1 });
  const feed = { x: new ort.Tensor('float32', new Float32Array(ROWS * HIDDEN).fill(0.5), [ROWS, HIDDEN]) };
  const rates: number[] = [];
  for (let run = 0; run < 20; run++) {
    const cpu = process.cpuUsage();
    (await session.run(feed))['y']?.dispose();
    const { user, system } = process.cpuUsage(cpu);
    rates.push((LAYERS * 4 * ROWS * HIDDEN * INNER) / ((user + system) * 1e3));
  }
  await session.release();
  return median(rates);
}

/** Floating-point operations per token: 6 layers of 4 × 384² + 2 × 384 × 1536 weights. */
const FLOP_A_TOKEN = 2 * 6 * (4 * 384 ** 2 + 2 * 384 * 1536);
/** Per score and its sum, for each token of its text. */
const FLOP_A_PAIR = 2 * 6 * 2 * 384;

type Figures = Readonly<Record<string, number | string>>;
type Results = Readonly<Record<string, readonly Measured[]>>;

/** A separate benchmark, and a part of `embed`: its contestants and its result. */
interface Part {
  readonly name: string;
  /** The value of the part alone. */
  readonly figure: string;
  readonly unit: string;
  readonly contestants: (contest: Contest) => Readonly<Record<string, () => Measured | null>>;
  /** Runs after each contestant: measures the machine's own speed at that time. */
  readonly between?: (kept: number[]) => Promise<void>;
  readonly figures: (all: Results, kept: readonly number[]) => Figures;
}

const over = (one: number, other: number): number => rounded(one / other, 2);
const one = (contest: Contest, ...more: readonly string[]): Measured =>
  contest.ours(contest.texts('one.jsonl', ['a first text']), ...more);
const cpu = (all: Results, name: string): number => middle(all[name], 'cpuS');
const wall = (all: Results, name: string): number => middle(all[name], 'wallS');
/** The peer's own figure; for ours the time beyond that of a single text. */
const textsCpu = (all: Results, name: string, start: string): number =>
  start === '' ? middle(all[name], 'textsCpuS') : cpu(all, name) - cpu(all, start);
const textsWall = (all: Results, name: string, start: string): number =>
  start === '' ? middle(all[name], 'textsWallS') : wall(all, name) - wall(all, start);
const skipped = (what: string): Figures => ({ peer: `skipped: ${what}` });

const ONE = ['--workers', '1'] as const;

/** Only the texts, and from start to exit, on both sides. */
const mixed: Part = {
  name: 'embed-mixed',
  figure: 'overPeerBatch32Cpu',
  unit: '×',
  contestants: contest => {
    const texts = contest.texts('mixed.jsonl', mixedTexts(TEXTS));
    return {
      ours: () => contest.ours(texts, ...ONE),
      batch32: () => contest.theirs(texts, 32, 1),
      batch1: () => contest.theirs(texts, 1, 1),
      start: () => one(contest, ...ONE),
      oursAll: () => contest.ours(texts),
      batch1All: () => contest.theirs(texts, 1, 'all'),
      startAll: () => one(contest),
    };
  },
  figures: all => ({
    texts: TEXTS,
    tokens: middle(all['ours'], 'tokens'),
    cpuS: rounded(textsCpu(all, 'ours', 'start'), 2),
    wallAllCoresS: rounded(textsWall(all, 'oursAll', 'startAll'), 2),
    startCpuS: rounded(cpu(all, 'start'), 2),
    cores: availableParallelism(),
    peakMBMixed: rounded(middle(all['ours'], 'peakMB'), 0),
    peakMBAllCores: rounded(middle(all['oursAll'], 'peakMB'), 0),
    ...(all['batch32'] === undefined ? skipped(`${PEER} could not be installed`) : mixedPeers(all)),
  }),
};

const mixedPeers = (all: Results): Figures => ({
  peerBatch32CpuS: rounded(textsCpu(all, 'batch32', ''), 2),
  peerBatch1CpuS: rounded(textsCpu(all, 'batch1', ''), 2),
  peerBatch1WallAllCoresS: rounded(textsWall(all, 'batch1All', ''), 2),
  overPeerBatch32Cpu: over(textsCpu(all, 'batch32', ''), textsCpu(all, 'ours', 'start')),
  overPeerBatch32StartToExitCpu: over(cpu(all, 'batch32'), cpu(all, 'ours')),
  overPeerBatch1Cpu: over(textsCpu(all, 'batch1', ''), textsCpu(all, 'ours', 'start')),
  overPeerBatch1StartToExitCpu: over(cpu(all, 'batch1'), cpu(all, 'ours')),
  overPeerBatch1WallAllCores: over(textsWall(all, 'batch1All', ''), textsWall(all, 'oursAll', 'startAll')),
  overPeerBatch1StartToExitWallAllCores: over(wall(all, 'batch1All'), wall(all, 'oursAll')),
  peerPeakMB: rounded(middle(all['batch32'], 'peakMB'), 0),
});

const equal: Part = {
  name: 'embed-equal',
  figure: 'overPeerBatch32EqualLengthsCpu',
  unit: '×',
  contestants: contest => {
    const texts = contest.texts('equal.jsonl', equalTexts(TEXTS / 2));
    return {
      oursEqual: () => contest.ours(texts, ...ONE),
      fromFile: () => contest.oursFromFile(texts, ...ONE),
      batch32Equal: () => contest.theirs(texts, 32, 1),
      start: () => one(contest, ...ONE),
    };
  },
  figures: all => {
    const peer = textsCpu(all, 'batch32Equal', '');
    return all['batch32Equal'] === undefined
      ? skipped(`${PEER} could not be installed`)
      : {
          overPeerBatch32EqualLengthsCpu: over(peer, textsCpu(all, 'oursEqual', 'start')),
          overPeerBatch32EqualLengthsStartToExitCpu: over(cpu(all, 'batch32Equal'), cpu(all, 'oursEqual')),
          overPeerBatch32EqualLengthsFromItsFileCpu: over(peer, textsCpu(all, 'fromFile', 'start')),
        };
  },
};

const INT8 = ['--precision', 'int8'] as const;

const int8: Part = {
  name: 'embed-int8',
  figure: 'int8OverPeerBatch1WallAllCores',
  unit: '×',
  contestants: contest => {
    const texts = contest.texts('mixed.jsonl', mixedTexts(TEXTS));
    return {
      fp32: () => contest.ours(texts, ...ONE),
      start: () => one(contest, ...ONE),
      int8: () => contest.ours(texts, ...ONE, ...INT8),
      startInt8: () => one(contest, ...ONE, ...INT8),
      int8All: () => contest.ours(texts, ...INT8),
      startInt8All: () => one(contest, ...INT8),
      batch1All: () => contest.theirs(texts, 1, 'all'),
    };
  },
  figures: all => ({
    int8OverFp32Cpu: over(textsCpu(all, 'fp32', 'start'), textsCpu(all, 'int8', 'startInt8')),
    peakMBInt8: rounded(middle(all['int8'], 'peakMB'), 0),
    ...(all['batch1All'] && {
      int8OverPeerBatch1WallAllCores: over(
        textsWall(all, 'batch1All', ''),
        textsWall(all, 'int8All', 'startInt8All'),
      ),
      int8OverPeerBatch1StartToExitWallAllCores: over(wall(all, 'batch1All'), wall(all, 'int8All')),
    }),
  }),
};

const rateOfProducts: Part = {
  name: 'embed-rate',
  figure: 'shareOfProductRate',
  unit: '×',
  contestants: contest => {
    const texts = contest.texts('mixed.jsonl', mixedTexts(TEXTS));
    return { ours: () => contest.ours(texts, ...ONE), start: () => one(contest, ...ONE) };
  },
  between: async kept => void kept.push(await productGFlops()),
  figures: (all, kept) => {
    const tokens = middle(all['ours'], 'tokens');
    // As if all texts were equally long: fewer pairs than in reality.
    const flop = tokens * (FLOP_A_TOKEN + FLOP_A_PAIR * (tokens / TEXTS));
    const reached = flop / textsCpu(all, 'ours', 'start') / 1e9;
    const gflops = median(kept);
    return { productGFlops: rounded(gflops, 0), shareOfProductRate: over(reached, gflops) };
  },
};

const start: Part = {
  name: 'embed-start',
  figure: 'startToFirstVectorsS',
  unit: 's',
  contestants: contest => ({ start: () => one(contest, ...ONE) }),
  figures: all => ({
    startToFirstVectorsS: rounded(wall(all, 'start'), 2),
    startCpuS: rounded(cpu(all, 'start'), 2),
  }),
};

const memory: Part = {
  name: 'embed-memory',
  figure: `peakMBOf${MANY}ShortTexts`,
  unit: 'MB',
  contestants: contest => {
    // Once each: a peak needs no repetition.
    const of = (count: number) => {
      let known: Measured | null = null;
      const texts = contest.texts(`short-${count}.jsonl`, shortTexts(count));
      return () => (known ??= contest.ours(texts, ...ONE));
    };
    const long = contest.texts('long.jsonl', mixedTexts(TEXTS * 3));
    let longer: Measured | null = null;
    return { few: of(FEW), many: of(MANY), long: () => (longer ??= contest.ours(long, ...ONE)) };
  },
  figures: all => ({
    [`peakMBOf${FEW}ShortTexts`]: rounded(middle(all['few'], 'peakMB'), 0),
    [`peakMBOf${MANY}ShortTexts`]: rounded(middle(all['many'], 'peakMB'), 0),
    peakMBThreeTimesTheTexts: rounded(middle(all['long'], 'peakMB'), 0),
  }),
};

const python: Part = {
  name: 'embed-python',
  figure: 'overSentenceTransformersBatch32Cpu',
  unit: '×',
  contestants: contest => {
    const texts = contest.texts('mixed.jsonl', mixedTexts(TEXTS));
    return {
      ours: () => contest.ours(texts, ...ONE),
      python: () => contest.pythons(texts),
      start: () => one(contest, ...ONE),
    };
  },
  figures: all =>
    all['python'] === undefined
      ? { sentenceTransformers: 'skipped: there is no Python with it (HEADROOM_TEST_EMBED_PYTHON)' }
      : {
          overSentenceTransformersBatch32Cpu: over(
            textsCpu(all, 'python', ''),
            textsCpu(all, 'ours', 'start'),
          ),
          sentenceTransformersPeakMB: rounded(middle(all['python'], 'peakMB'), 0),
        },
};

const PARTS = [mixed, equal, int8, rateOfProducts, start, memory, python];

async function inContest<T>(work: (contest: Contest) => Promise<T>): Promise<T> {
  const base = mkdtempSync(join(tmpdir(), 'headroom-bench-model-'));
  const contest = new Contest(await sharedModel(base), installedPeer(), pythonPeer());
  try {
    return await work(contest);
  } finally {
    contest.remove();
    rmSync(base, { recursive: true, force: true });
  }
}

async function figuresOf(part: Part, contest: Contest): Promise<Figures> {
  const kept: number[] = [];
  const all = await inTurn(part.contestants(contest), () => part.between?.(kept) ?? Promise.resolve());
  return part.figures(all, kept);
}

/** Each part by its own name: a minute or less on an idle machine. */
export const embedBenches: readonly Bench[] = PARTS.map(part => ({
  name: part.name,
  isLong: true,
  async run(): Promise<BenchResult> {
    const detail = await inContest(contest => figuresOf(part, contest));
    const value = detail[part.figure];
    return { value: typeof value === 'number' ? value : NaN, unit: part.unit, runs: RUNS, detail };
  },
}));

/**
 * The embedding engine compared with transformers.js and sentence-transformers: same model, texts and machine,
 * interleaved. `value`, `peer` and `ratio` are CPU seconds of one thread on mixed lengths, the peer with 32 texts
 * per call, texts only.
 */
export const embed: Bench = {
  name: 'embed',
  async run() {
    const found: Figures[] = [];
    await inContest(async contest => {
      for (const part of PARTS) found.push(await figuresOf(part, contest));
    });
    const detail: Figures = Object.assign({}, ...found) as Figures;
    const own = { value: Number(detail['cpuS']), unit: 'processor s', runs: RUNS, detail };
    const theirs = detail['peerBatch32CpuS'];
    if (typeof theirs !== 'number') return own;
    const peer = { name: `${PEER}, 32 texts a call, one thread`, value: theirs };
    return { ...own, peer, ratio: Number(detail['overPeerBatch32Cpu']) };
  },
};
