import { rowsOf } from '../learn/rows';
import { forwardShare } from '../speed/forward';
import { formatShare } from '../units';
import { timedStep } from './gain';
import { isOff, numberOf, textOf } from './raw';
import type { Rule, RuleContext, SuggestedRemedy } from './rule';
import { epochOf } from './runLength';
import { setKey } from './when';

/** Evaluations that take this share of the training's time; less is within the speed model's error. */
const MUCH = 0.1;
/** What the fix leaves of it. */
const LITTLE = 0.05;

export const frequentEvaluation: Rule = {
  id: 'frequent-evaluation',
  severity: 'hint',
  summary: 'Evaluations take a tenth of the training’s time, or more.',
  sources: [
    'axolotl docs/config: evals_per_epoch, eval_steps (a share below 1), val_set_size',
    'transformers training_args.py eval_steps: “If smaller than 1, will be interpreted as ratio of total training steps”',
    'the speed model: time of a forward pass and of a training step (docs/speed.md)',
  ],
  dialects: ['axolotl', 'llamafactory'],
  check(context) {
    const held = heldOut(context);
    const often = held === null ? null : howOften(context, held);
    if (held === null || often === null || held.share <= 0 || held.share >= 1) return [];
    const forward = timedStep(context, 'same') && forwardShare(context.estimate, context.target);
    if (forward === null) return [];
    const each = (held.share / (1 - held.share)) * forward;
    const ratio = often.perEpoch * each;
    if (ratio < MUCH) return [];
    const remedy = often.rarer(ratio / LITTLE);
    const message = context.say(
      'Evaluates too often: ≈ {0} of the run evaluates {1} of the rows again and again. Evaluate less often, or fewer rows.',
      formatShare(ratio / (1 + ratio)),
      formatShare(held.share),
    );
    return [{ at: [often.key, held.key], message, ...(remedy && { remedies: [remedy] }) }];
  },
};

interface HeldOut {
  readonly key: string;
  /** Share of all rows. */
  readonly share: number;
}

/** The rows that are held out for evaluation; null: unknown, or none. */
function heldOut(context: RuleContext): HeldOut | null {
  for (const key of ['val_set_size', 'val_size']) {
    const size = numberOf(context, key);
    if (size === null || size <= 0) continue;
    if (size < 1) return { key, share: size };
    const rows = countedRows(context);
    return rows === null ? null : { key, share: size / rows };
  }
  return null;
}

function countedRows({ data, run }: RuleContext): number | null {
  return rowsOf(run, data && !data.isStale ? data : null)?.count ?? null;
}

interface Frequency {
  readonly key: string;
  readonly perEpoch: number;
  /** The fix that evaluates so many times less often; null: none. */
  rarer(times: number): SuggestedRemedy | null;
}

function howOften(context: RuleContext, held: HeldOut): Frequency | null {
  const perEpoch = numberOf(context, 'evals_per_epoch');
  if (perEpoch !== null && perEpoch > 0) {
    return {
      key: 'evals_per_epoch',
      perEpoch,
      rarer: times =>
        perEpoch > 1 ? setKey('evals_per_epoch', Math.max(1, Math.floor(perEpoch / times))) : null,
    };
  }
  const steps = numberOf(context, 'eval_steps');
  if (steps === null || steps <= 0 || !isBySteps(context)) return null;
  return steps < 1 ? bySharesOfRun(context, steps) : bySteps(context, steps, held);
}

/** Axolotl evaluates by steps where eval_steps is set. */
const isBySteps = (context: RuleContext): boolean =>
  (textOf(context, 'eval_strategy') ?? textOf(context, 'evaluation_strategy') ?? byDefault(context)) ===
  'steps';

const byDefault = ({ run }: RuleContext): string => (run.dialect === 'axolotl' ? 'steps' : 'no');

function bySharesOfRun(context: RuleContext, share: number): Frequency | null {
  const epochs = context.run.details.epochs?.value ?? 0;
  if (!(epochs > 0) || !isOff(context, 'max_steps')) return null;
  return {
    key: 'eval_steps',
    perEpoch: 1 / share / epochs,
    rarer: times => setKey('eval_steps', Math.min(0.5, Math.ceil(share * times * 100) / 100)),
  };
}

function bySteps({ run, estimate, data }: RuleContext, steps: number, { share }: HeldOut): Frequency | null {
  const epoch = epochOf(run, estimate?.work, data && !data.isStale ? data : null);
  if (epoch === null) return null;
  return {
    key: 'eval_steps',
    perEpoch: ((1 - share) * epoch.steps) / steps,
    rarer: times => setKey('eval_steps', Math.ceil((steps * times) / 10) * 10),
  };
}
