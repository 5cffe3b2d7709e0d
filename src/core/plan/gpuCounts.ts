import { editsFor, keyEditsOn } from '../dialects/write';
import { changed, stepsOf } from '../dialects/change';
import type { RunSpec } from '../spec/runSpec';
import { perDevice, replicas, samplesPerGpu } from './batch';
import type { Plan } from './plan';
import { timeRatio, timesSince } from './planTime';
import { editsTitle } from './price';
import type { Change } from '../spec/change';
import type { RemedyContext } from './remedy';
import { gpusText } from '../hardware/describe';
import { commas } from '../text/lists';

/** A number of GPUs, and the changes that set it in the files. */
interface Fewer {
  readonly gpus: number;
  readonly context: RemedyContext;
  readonly gpuChanges: readonly Change[];
}

export const gpusNow = ({ run, target }: RemedyContext): number =>
  run.quantities.gpus.value ?? target?.count ?? 1;

/** The context for this number of GPUs, or why there is none. */
export function contextOnFewerGpus(context: RemedyContext, gpus: number): Fewer | string {
  const { run, target, say } = context;
  if (target === null) return say('no GPU is chosen');
  const gpuChanges = gpuCountChanges(run, gpus);
  if (gpuChanges === null) return say('no key sets the number of GPUs');
  const fewer = { run: changed(run, gpuChanges), target: { ...target, count: gpus } };
  const copies = replicas(fewer.run, fewer.target);
  if (!Number.isInteger(copies) || copies < 1) return say('one copy of the model needs more');
  const samples = samplesOn(context, fewer);
  if (typeof samples === 'string') return samples;
  const written = editsFor(run, gpuChanges);
  if (!written.ok) return written.why;
  return {
    gpus,
    context: { ...context, ...fewer, since: { run, target }, samplesPerGpu: samples },
    gpuChanges,
  };
}

/** Changes that set the number of GPUs. Empty if the launcher decides; null if the files decide, but not with one key. */
export function gpuCountChanges(run: RunSpec, gpus: number): readonly Change[] | null {
  if (run.quantities.gpus.value === null) return [];
  const ways: readonly Change[] = [
    { quantity: 'devices', to: gpus },
    { quantity: 'gpus', to: gpus },
  ];
  const one = ways.find(
    change => editsFor(run, [change]).ok && changed(run, [change]).quantities.gpus.value === gpus,
  );
  return one ? [one] : null;
}

/** The samples per GPU that keep the effective batch size on fewer GPUs. */
function samplesOn({ run, target }: RemedyContext, fewer: Pick<RemedyContext, 'run' | 'target'>) {
  const samples = perDevice(run);
  const whole = run.quantities.effectiveBatch.value ?? (samples ?? 0) * replicas(run, target);
  if (samples === null) return null;
  return samplesPerGpu({ least: whole, most: whole }, fewer.run, fewer.target);
}

/** A plan for that number of GPUs as a plan for all of them; null: its edits do not stand together. */
export function planOnGpus(
  context: RemedyContext,
  plan: Plan,
  { gpus, gpuChanges, context: fewer }: Fewer,
): Plan | null {
  const steps = [...stepsOf(context.run, gpuChanges), ...stepsOf(fewer.run, plan.changes)];
  const edits = keyEditsOn(context.run.sources, steps);
  if (edits === null) return null;
  const now = gpusNow(context);
  const time = timesSince(context, plan);
  const longer = time ? timeRatio(time) : now / gpus;
  const { say } = context;
  const place = gpusText(say, gpus);
  const words = say(
    'on {0} instead of {1}: takes about {2} times as long',
    place,
    now,
    Math.round(longer * 10) / 10,
  );
  const { time: _, ...others } = plan;
  return {
    ...others,
    ...(time && { time }),
    edits,
    title: say('{0}: {1}', place, editsTitle(say, edits)),
    effect: commas(say, [plan.effect, words]),
    price: { ...plan.price, time: plan.price.time * longer },
    gpus,
  };
}
