import type { Plan, PlanSearch } from '../../core/plan/plan';
import { describeOrigin, describeValue, displayName, shownQuantities } from '../../core/render/origin';
import { planTimeText } from '../../core/render/speed';
import { answer, whyUnknown } from '../../core/render/verdict';
import type { Analysis, RunAnalysis } from '../../core/rules/analysis';
import { onceEach } from '../../core/render/summary';
import { visible } from '../../core/text/visible';
import { counted, formatBytes, formatRange } from '../../core/units';
import { english } from '../../core/text/say';

/** About 800 tokens. */
const MOST_CHARACTERS = 3200;
/** Ends an answer that was longer. */
const CUT = '\n… (cut)';
const MOST_RUNS = 12;
const MOST_FINDINGS = 4;
const MOST_PLANS = 3;
const MOST_ASSUMED = 8;
const MOST_TERMS = 6;

/** A text of at most about 800 tokens, with visible control characters. */
export function bounded(text: string): string {
  const plain = text.split('\n').map(visible).join('\n').trim();
  return plain.length > MOST_CHARACTERS ? `${plain.slice(0, MOST_CHARACTERS - CUT.length)}${CUT}` : plain;
}

/** The verdicts of a file or folder, those that do not fit first, and what to call next. */
export function checkAnswer(analyses: readonly Analysis[]): string {
  const runs = onceEach(analyses).flatMap(({ file, runs: all }) =>
    all.filter(run => run.judged).map(run => ({ file, run })),
  );
  if (runs.length === 0) return 'No run that Headroom can read. Ask the user which config starts it.';
  const order = ['exceeds', 'tight', 'unknown', 'fits'];
  const sorted = runs.toSorted((a, b) => order.indexOf(a.run.verdict) - order.indexOf(b.run.verdict));
  const lines = sorted.slice(0, MOST_RUNS).flatMap(({ file, run }) => runLines(file, run, runs.length < 3));
  const rest = runs.length - MOST_RUNS;
  const next = runs.some(({ run }) => run.verdict === 'exceeds' || run.verdict === 'tight')
    ? 'Next: plan, for changes that make it fit.'
    : 'Next: explain, for the origin of each value.';
  return [...lines, ...(rest > 0 ? [`… and ${counted(rest, 'run')} more.`] : []), next].join('\n');
}

function runLines(file: string, run: RunAnalysis, isDetailed: boolean): readonly string[] {
  const title = run.run.name === '' ? file : `${file} (${run.run.name})`;
  const findings = run.findings.filter(({ severity }) => severity === 'error' || severity === 'warning');
  return [
    `${title}: ${answer(run)}${intervalText(run)}`,
    ...(isDetailed && run.estimate === null ? [`  ${whyUnknown(run)}`] : []),
    ...(isDetailed ? findings.slice(0, MOST_FINDINGS) : []).map(
      ({ line, severity, message }) => `  line ${line}: ${severity}: ${message}`,
    ),
  ];
}

/** The interval that an agent must quote with the expected amount. */
function intervalText({ estimate }: RunAnalysis): string {
  const device = estimate?.devices[0]?.device;
  return device ? ` (${formatRange(device.low, device.high)} of device memory per GPU)` : '';
}

/** One run: verdict, interval, values with origins, largest terms, assumptions. */
export function explainAnswer(file: string, run: RunAnalysis): string {
  const device = run.estimate?.devices[0];
  const terms = (device?.terms ?? []).toSorted((a, b) => b.bytes - a.bytes).slice(0, MOST_TERMS);
  const values = shownQuantities(run)
    .map(([name, { origin, ...rest }]) => ({
      name,
      origin,
      value: describeValue(english, { origin, ...rest }),
    }))
    // A default of nothing explains nothing.
    .filter(({ origin, value }) => value !== 'none' || origin.kind === 'file')
    .map(
      ({ name, origin, value }) =>
        `  ${displayName(english, name)}: ${value} (${describeOrigin(english, origin, file)})`,
    );
  const assumed = run.estimate?.assumptions.slice(0, MOST_ASSUMED) ?? [];
  return [
    `${file}: ${answer(run)}${intervalText(run)}`,
    ...(run.estimate ? [] : [whyUnknown(run)]),
    ...(device
      ? [
          `Largest at the peak: ${terms.map(({ term, bytes }) => `${term} ${formatBytes(bytes)}`).join(', ')}.`,
        ]
      : []),
    ...(assumed.length > 0 ? [`Assumed: ${assumed.join('; ')}.`] : []),
    ...(run.missing.length > 0 ? [`Missing: ${run.missing.join('; ')}.`] : []),
    'Values:',
    ...values,
  ].join('\n');
}

interface PlanPlace {
  /** Whether a file has the run, which `apply` can edit: a command line is the agent's own. */
  readonly isFile: boolean;
  /** Prints a path. */
  readonly shorten: (path: string) => string;
}

/** The first plans with their edits, numbered for `apply`. */
export function planAnswer(run: RunAnalysis, search: PlanSearch, { isFile, shorten }: PlanPlace): string {
  const plans = search.plans.slice(0, MOST_PLANS).flatMap((plan, i) => planLines(plan, i + 1, shorten));
  const none = search.reached ? 'It already fits.' : 'No change that Headroom knows makes it fit.';
  return [
    `Now: ${answer(run)}`,
    ...(search.plans.length === 0 ? [none] : plans),
    search.plans.length === 0 ? 'Next: where, for GPUs that it fits on.' : isFile ? APPLY : EDIT,
  ].join('\n');
}

const APPLY = 'Next: apply with the plan’s number.';
const EDIT = 'Next: change the command, and check it again.';

function planLines(plan: Plan, number: number, shorten: (path: string) => string): readonly string[] {
  const edits = plan.edits.map(({ file, path, from, to }) => {
    const was = from === null ? 'not set' : visible(from);
    return `   ${shorten(file)}: ${path}: ${was} -> ${visible(to)}`;
  });
  const time = plan.time ? ` ${planTimeText(english, plan.time)}.` : '';
  return [`${number}. ${plan.effect}. ${plan.reason}.${time}`, ...edits];
}
