import { analyze } from '../../../src/core/analyse/analyse';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { DEFAULT_MARGIN } from '../../../src/core/plan/plan';
import { searchPlans } from '../../../src/core/plan/search';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { speedOf } from '../../../src/core/speed/speed';
import { median, quantile, repeated, rounded, timed } from './bench';
import type { Bench } from './bench';
import { NEVER, longConfig, shortConfig, surroundings, withValues } from './inputs';
import { english } from '../../../src/core/text/say';

const RUNS = repeated(500, 2);

async function oneRun() {
  const { world, options } = await surroundings();
  const text = longConfig().replace(/^micro_batch_size: \d+/m, 'micro_batch_size: 16');
  const { runs } = await analyze('bench.yaml', text, world, options, NEVER);
  const [first] = runs;
  if (!first?.model || !first.estimate) throw new Error('the config of the benchmark has no estimate');
  return { run: first.run, model: first.model, estimate: first.estimate, target: options.target };
}

/** The same run with another sequence length, which has not been estimated yet. */
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

/** The time with a second part over that of the first part alone, for each run. */
async function timedPairs(first: (i: number) => () => void): Promise<readonly number[]> {
  const ratios: number[] = [];
  await timed(RUNS, i => {
    const start = performance.now();
    const second = first(i);
    const between = performance.now();
    second();
    ratios.push((performance.now() - start) / (between - start));
  });
  return ratios;
}

/** One estimate of a 32-layer LoRA run, starting at the RunSpec. */
export const estimate: Bench = {
  name: 'estimate',
  async run() {
    const { run, model, target } = await oneRun();
    const times = await timed(RUNS, i => estimateRun(ofLength(run, 1024 + 8 * i), model, target));
    const value = rounded(median(times));
    // In turn with the same runs without it, so that both have the machine's same moments.
    const pairs = await timedPairs(i => {
      const of = ofLength(run, 1028 + 8 * i);
      const found = estimateRun(of, model, target);
      return () => {
        if (!found.ok) throw new Error('the run of the benchmark has no estimate');
        speedOf(found.estimate, target, { lengthsAreKnown: true });
      };
    });
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
        withTime: rounded(value * median(pairs)),
        timeRatio: rounded(median(pairs)),
        p95: rounded(quantile(times, 0.95)),
        perSecond: Math.round(1000 / value),
        input: 'Llama 3 8B, LoRA on 32 layers',
      },
    };
  },
};

/** A run that fits only with several remedies at once: no two are equal, so that no result is cached. */
async function farFromFitting(i: number) {
  const { world, options } = await surroundings();
  const text = withValues(shortConfig(), {
    sequence_len: 4096 + 64 * i,
    micro_batch_size: 16,
    gradient_accumulation_steps: 16,
    gradient_checkpointing: false,
    attn_implementation: 'sdpa',
    optimizer: 'adamw_torch_fused',
  });
  const { runs } = await analyze('bench.yaml', text, world, options, NEVER);
  const [first] = runs;
  if (!first?.estimate) throw new Error('the config of the benchmark has no estimate');
  return { ...first, target: options.target, samplesPerGpu: null, say: english };
}

/** The search for plans of a run that does not fit, without results cached from an earlier one. */
export const search: Bench = {
  name: 'search',
  async run() {
    const options = { goal: 'fit', margin: DEFAULT_MARGIN, mayTrade: true } as const;
    const contexts = await Promise.all(Array.from({ length: repeated(11, 2) }, (_, i) => farFromFitting(i)));
    const per1000: number[] = [];
    const cpu: number[] = [];
    const tried: number[] = [];
    const times = await timed(contexts.length - 1, async i => {
      // The first run's share is everything before the runs.
      const context = contexts[i + 1] ?? contexts[0];
      if (!context) throw new Error('there is nothing to search for');
      const [begun, before] = [performance.now(), process.cpuUsage()];
      const found = await searchPlans(context, options, () => Promise.resolve(), NEVER);
      const took = performance.now() - begun;
      if (i >= contexts.length - 1) return;
      cpu.push(process.cpuUsage(before).user / 1000);
      tried.push(found.tried);
      per1000.push((took / Math.max(1, found.tried)) * 1000);
    });
    const detail = {
      candidates: median(tried),
      per1000: rounded(median(per1000)),
      userCpuMs: rounded(median(cpu)),
      input: 'Llama 3 8B, LoRA, batch 16 × 16, another length each time',
    };
    return { value: rounded(median(times)), unit: 'ms', runs: times.length, detail };
  },
};
