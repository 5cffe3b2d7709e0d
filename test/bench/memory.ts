import { analyse } from '../../src/core/analyse';
import { estimateRun } from '../../src/core/memory/estimateRun';
import { DEFAULT_MARGIN } from '../../src/core/plan/plan';
import { searchPlans } from '../../src/core/plan/search';
import type { RunSpec } from '../../src/core/spec/runSpec';
import { median, quantile, rounded, timed } from './bench';
import type { Bench } from './bench';
import { NEVER, longConfig, surroundings } from './inputs';

const RUNS = 500;

async function oneRun() {
  const { world, options } = await surroundings();
  const text = longConfig().replace(/^micro_batch_size: \d+/m, 'micro_batch_size: 16');
  const { runs } = await analyse('bench.yaml', text, world, options, NEVER);
  const [first] = runs;
  if (!first?.model || !first.estimate) throw new Error('the config of the benchmark has no estimate');
  return { run: first.run, model: first.model, estimate: first.estimate, target: options.target };
}

/** The same run with sequences of another length, which nobody has estimated yet. */
function ofLength(run: RunSpec, tokens: number): RunSpec {
  const { seqLen } = run.quantities;
  return { ...run, quantities: { ...run.quantities, seqLen: { ...seqLen, value: tokens } } };
}

/** The same run as full fine-tuning. */
function withoutAdapters(run: RunSpec): RunSpec {
  const { lora, method } = run.quantities;
  return {
    ...run,
    quantities: { ...run.quantities, lora: { ...lora, value: null }, method: { ...method, value: 'full' } },
  };
}

/** One estimate of a 32-layer LoRA run, from the RunSpec on. */
export const estimate: Bench = {
  name: 'estimate',
  async run() {
    const { run, model, target } = await oneRun();
    const times = await timed(RUNS, i => estimateRun(ofLength(run, 1024 + 8 * i), model, target));
    const value = rounded(median(times));
    const deep = { ...model, layers: 80 };
    const dense = await timed(RUNS, i =>
      estimateRun(withoutAdapters(ofLength(run, 1024 + 8 * i)), deep, target),
    );
    const heaviest = await timed(RUNS, i => estimateRun(ofLength(run, 1024 + 8 * i), deep, target));
    return {
      value,
      unit: 'ms',
      runs: times.length,
      detail: {
        dense80: rounded(median(dense)),
        lora80: rounded(median(heaviest)),
        p95: rounded(quantile(times, 0.95)),
        perSecond: Math.round(1000 / value),
        input: 'Llama 3 8B, LoRA on 32 layers',
      },
    };
  },
};

/** The search for plans of a run that does not fit. */
export const search: Bench = {
  name: 'search',
  async run() {
    const { run, model, target, estimate: now } = await oneRun();
    const options = { goal: 'fit', margin: DEFAULT_MARGIN, mayTrade: true } as const;
    let tried = 0;
    const times = await timed(10, async i => {
      const longer = ofLength(run, 4096 + 64 * i);
      const context = { run: longer, model, target, estimate: now, samplesPerGpu: null };
      tried = (await searchPlans(context, options, () => Promise.resolve(), NEVER)).tried;
    });
    const value = rounded(median(times));
    const per1000 = rounded((value / Math.max(1, tried)) * 1000);
    return { value, unit: 'ms', runs: times.length, detail: { candidates: tried, per1000 } };
  },
};
