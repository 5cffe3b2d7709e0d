import { pricedGpus, priceOf } from '../hardware/price';
import type { Target } from '../hardware/gpu';
import { changed } from '../dialects/change';
import { effectOn } from './effect';
import { gpuCountChanges } from './gpuCounts';
import type { PlanOptions, PlanSearch, FittingGpu } from './plan';
import type { Change } from '../spec/change';
import type { RemedyContext } from './remedy';
import { isRoomy } from './serving';
import { slotsOf } from './slots';
import type { Pause } from './walk';
import type { Signal } from '../signal';

/** Looks up GPUs by the names that files use. */
interface NamedGpus {
  /** One GPU of a type by name; null for unknown and ambiguous names. */
  readonly gpuNamed?: (name: string) => Promise<Target | null>;
}

/** Machines have up to eight GPUs, and private clusters seldom more than eight machines. */
const COUNTS = [2, 4, 8, 16, 32, 64];

/** The search for GPUs that fit a run. */
interface Question {
  readonly context: RemedyContext;
  readonly options: PlanOptions;
  /** All available changes together. */
  readonly all: readonly Change[];
  readonly pause: Pause;
  readonly signal: Signal;
}

/**
 * For runs that no plan makes fit: the cheapest GPU that takes the run unchanged, the cheapest that takes it with
 * all changes, and the smallest number of the same GPUs, or of the cheapest larger ones, that can share it.
 */
export async function withFittingGpus(
  search: PlanSearch,
  context: RemedyContext,
  options: PlanOptions,
  world: NamedGpus,
  pause: Pause,
  signal: Signal,
): Promise<PlanSearch> {
  const { target } = context;
  if (!search.least || options.goal !== 'fit' || target === null) return search;
  const { slots } = slotsOf(context, options);
  const all = slots.flatMap(({ leanest }) => leanest?.option.changes ?? []);
  const question: Question = { context, options, all, pause, signal };
  const gpus = await largerGpus(target, world);
  const asItIs = await cheapest(question, gpus, []);
  const changedToo = asItIs && all.length === 0 ? null : await cheapest(question, gpus, all);
  const isCheaper = changedToo !== null && changedToo.gpu !== asItIs?.gpu;
  const more = await fewestMore(question, [target, ...(asItIs || changedToo ? [] : gpus)]);
  const fittingGpus = [asItIs, isCheaper ? changedToo : null, more].filter(one => one !== null);
  return signal.aborted ? search : { ...search, fittingGpus };
}

/** Types of the same vendor with a known price and more memory, cheapest first. */
async function largerGpus(target: Target, { gpuNamed }: NamedGpus): Promise<readonly Target[]> {
  const found = gpuNamed ? await Promise.all(pricedGpus().map(gpuNamed)) : [];
  const vendor = target.gpu?.vendor ?? 'NVIDIA';
  return found
    .filter(one => one !== null)
    .filter(one => one.gpu?.vendor === vendor && one.totalMiB > target.totalMiB)
    .map(one => ({ ...one, count: target.count, nodes: target.nodes }))
    .toSorted((a, b) => dollars(a) - dollars(b));
}

const dollars = ({ name }: Target): number => priceOf(name)?.usdPerHour ?? Infinity;

async function cheapest(question: Question, gpus: readonly Target[], changes: readonly Change[]) {
  for (const target of gpus) {
    await question.pause();
    if (question.signal.aborted) return null;
    const found = fittingGpuOn(question, target, changes);
    if (found) return found;
  }
  return null;
}

/** The smallest number of one type, then of the next. */
async function fewestMore(question: Question, targets: readonly Target[]): Promise<FittingGpu | null> {
  const { run, target } = question.context;
  const now = run.quantities.gpus.value ?? target?.count ?? 1;
  for (const type of targets) {
    for (const gpus of COUNTS.filter(count => count > now && count % now === 0)) {
      await question.pause();
      const gpuChanges = question.signal.aborted ? null : gpuCountChanges(run, gpus);
      if (gpuChanges === null) return null;
      const found = fittingGpuOn(question, { ...type, count: gpus }, [...gpuChanges, ...question.all]);
      if (found) return found;
    }
  }
  return null;
}

/** A GPU that takes the run with some changes; null if the run needs more. */
function fittingGpuOn({ context, options, all }: Question, target: Target, changes: readonly Change[]) {
  const run = changed(context.run, changes);
  const device = effectOn({ ...context, target, estimate: null }, run).estimate?.devices[0];
  if (device?.verdict !== 'fits' || !isRoomy(context, device, options)) return null;
  const gpus = run.quantities.gpus.value ?? target.count ?? 1;
  const price = priceOf(target.name)?.usdPerHour ?? null;
  const found: FittingGpu = {
    gpu: target.name,
    gpus,
    needBytes: device.device.expected,
    capacityBytes: device.capacityBytes,
    asItIs: changes.length === 0 || !changes.some(change => all.includes(change)),
    usdPerHour: price === null ? null : price * gpus,
  };
  return found;
}
