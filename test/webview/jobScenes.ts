import type { MetricSeries } from '../../src/core/output/progress/series';
import type { GpuSeries } from '../../src/jobs/gpuSeries';
import type { JobCard, JobCurves, PanelJobs } from '../../src/panel/page/jobs';

const GIB = 2 ** 30;

const card = (more: Partial<JobCard> & Pick<JobCard, 'id' | 'name' | 'state' | 'stateWords'>): JobCard => ({
  place: 'this machine',
  isOver: false,
  share: null,
  words: more.stateWords,
  predictedBytes: null,
  measuredBytes: null,
  measuredBy: null,
  hasConfig: true,
  canFetch: false,
  parts: [],
  ...more,
});

/** One of each: running, waiting, and three kinds of ended jobs. */
const cards: readonly JobCard[] = [
  card({
    id: 'a',
    name: 'train qlora.yml',
    state: 'running',
    stateWords: 'runs',
    share: 0.248,
    words:
      '1,240 of 5,000 · loss 1.234 · learning rate 0.00015 · 3,412 tokens/s · 2 h 12 min left · 2.1 s/step, predicted 1.9 (1.6–2.4)',
    predictedBytes: 21.4 * GIB,
    measuredBytes: 20.9 * GIB,
    measuredBy: 'nvidia-smi by process',
  }),
  card({
    id: 'b',
    name: 'embed products.yaml · all-MiniLM',
    place: 'gpu-box',
    canFetch: true,
    parts: [
      { id: 'b1', name: '1/3', on: 'gpu-a · GPU-4f1c9a02', state: 'succeeded', words: 'succeeded', share: 1 },
      {
        id: 'b2',
        name: '2/3',
        on: 'gpu-a · GPU-77d0e1b3',
        state: 'running',
        words: '812 of 1,000',
        share: 0.812,
      },
      { id: 'b3', name: '3/3', on: 'gpu-b · GPU-0ab5c6d7', state: 'queued', words: 'waits', share: null },
    ],
    state: 'running',
    stateWords: 'runs',
    share: 0.71,
    words: '177,500 of 250,000 · 4 min left',
  }),
  card({
    id: 'c',
    name: 'train dpo.yaml',
    state: 'queued',
    stateWords: 'waits',
    words: 'waits · for 18.2 GB on a GPU, behind train qlora.yml',
    predictedBytes: 18.2 * GIB,
  }),
  card({
    id: 'd',
    name: 'train full.yaml',
    state: 'failed',
    stateWords: 'failed',
    isOver: true,
    words: 'failed · It ran out of GPU memory in the loss.',
    predictedBytes: 22.1 * GIB,
    measuredBytes: 23.6 * GIB,
    measuredBy: 'its own lines',
  }),
  card({
    id: 'e',
    name: 'train lora.yml',
    state: 'succeeded',
    stateWords: 'succeeded',
    isOver: true,
    share: 1,
  }),
];

const steps = Array.from({ length: 250 }, (_, i) => (i + 1) * 5);

const series: MetricSeries = {
  steps,
  columns: {
    loss: steps.map(step => 0.9 + 1.6 * Math.exp(-step / 300) + 0.04 * Math.sin(step)),
    learningRate: steps.map(step => 2e-4 * (1 - step / 5000)),
    tokensPerSecond: steps.map(step => 3400 + 120 * Math.cos(step / 7)),
  },
};

/** An allocator that fills in its first steps, on a GPU that waits for a checkpoint now and then. */
const times = Array.from({ length: 200 }, (_, i) => 1_763_800_000_000 + i * 2000);
const gpus: GpuSeries = {
  timesMs: times,
  memoryBytes: times.map((_, i) => (i < 5 ? i * 3.1e9 : 20.4e9 + 3e8 * (i % 3))),
  memoryOf: 'job',
  utilPct: times.map((_, i) => (i < 5 || i % 50 < 3 ? 4 : 91 + 4 * Math.sin(i))),
};

const NO_CURVES: JobCurves = { output: null, gpus: null, predictedBytes: null };

/** The second runs in a container, where the owner of memory is unknown. */
const CURVES: Readonly<Record<string, JobCurves>> = {
  a: { output: series, gpus, predictedBytes: 21.4 * GIB },
  b: { output: null, gpus: { ...gpus, memoryOf: 'all' }, predictedBytes: null },
};

/** Static jobs; requests to them are recorded. */
export function jobsOf(scene: 'some' | 'none', asked: unknown[]): PanelJobs {
  return {
    cards: () => (scene === 'some' ? cards : []),
    onChange: () => () => undefined,
    curves: id => Promise.resolve(CURVES[id] ?? NO_CURVES),
    act: (action, job) => void asked.push({ [action]: job }),
  };
}
