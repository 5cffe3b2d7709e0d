import { featuresOf, isSameRun } from '../learn/features';
import type { Lessons } from '../learn/learned';
import type { PastSpeed } from '../learn/pastSpeed';
import type { ModelFacts } from '../models/model';
import type { Target } from '../hardware/gpu';
import type { RunSpec } from '../spec/runSpec';
import { slowed } from '../speed/speed';
import type { Range, Speed } from '../speed/speed';

/** A run whose speed was computed. */
interface Question {
  readonly run: RunSpec;
  readonly model: ModelFacts | null;
  readonly target: Target | null;
}

/** Two runs of one config differ by this much: clocks, rows, neighbors on the machine. */
const REPEATED = 0.1;
/** An average of a whole run has evaluating and saving in it, which a step alone does not. */
const OTHERS = 0.25;

/**
 * The speed, adjusted by runs that were measured: the same run on the same GPUs replaces the time of a step; otherwise runs of the
 * same framework, family and GPU type move it by the usual ratio of measured and computed. One run moves it halfway (a prior of one
 * run that was as computed).
 */
export function learnedSpeed(speed: Speed, question: Question, lessons: Lessons | undefined): Speed {
  const { run, model, target } = question;
  const gpu = target?.gpu?.name;
  const like = (lessons?.speeds ?? []).filter(one => one.gpu === gpu);
  if (like.length === 0) return speed;
  const features = featuresOf(run);
  const gradAccum = run.quantities.gradAccum.value ?? 1;
  const same = like.filter(
    one => one.gradAccum === gradAccum && one.gpus === speed.gpus && isSameRun(one.features, features),
  );
  if (same.length > 0) return measured(speed, same);
  const family = model?.described ? null : (model?.modelType ?? null);
  const ratios = like.flatMap(({ framework, family: of, secondsPerStep, predicted }) =>
    framework === run.framework.name && of === family && predicted && predicted.by === lessons?.by
      ? [Math.log(secondsPerStep / predicted.secondsPerStep)]
      : [],
  );
  if (ratios.length === 0) return speed;
  const factor = Math.exp(ratios.reduce((sum, one) => sum + one, 0) / (ratios.length + 1));
  const count = `${ratios.length} measured ${ratios.length === 1 ? 'run' : 'runs'}`;
  return saying(speed, times(speed.secondsPerStep, factor), `times corrected by ${count} like it`);
}

function measured(speed: Speed, same: readonly PastSpeed[]): Speed {
  const steady = same.filter(({ isWhole }) => !isWhole);
  const chosen = steady.length > 0 ? steady : same;
  const sorted = chosen.map(({ secondsPerStep }) => secondsPerStep).toSorted((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)] ?? speed.secondsPerStep.expected;
  const below = steady.length > 0 ? REPEATED : OTHERS;
  const range = { low: middle * (1 - below), expected: middle, high: middle * (1 + REPEATED) };
  const when =
    chosen
      .map(({ at }) => at)
      .toSorted()
      .at(-1)
      ?.slice(0, 10) ?? '';
  return saying(speed, range, `the time of a step was measured (${when})`);
}

const times = ({ low, expected, high }: Range, by: number): Range => ({
  low: low * by,
  expected: expected * by,
  high: high * by,
});

/** The same run with measured seconds of a step, or with corrected ones. */
const saying = (speed: Speed, seconds: Range, says: string): Speed => ({
  ...slowed(speed, seconds),
  assumptions: [...speed.assumptions, says],
});
