import { dialectOfRun } from '../dialects/find';
import { GENERIC } from '../dialects/generic/name';
import { readConfig } from '../dialects/read';
import { withLaunchers } from '../dialects/startedBy';
import type { Target } from '../hardware/gpu';
import { learned } from '../learn/learned';
import type { Lessons } from '../learn/learned';
import { byItsData, lengthsOfRun } from '../learn/lengthsOfRun';
import type { Estimate, EstimateResult } from '../memory/estimate';
import { estimateRun } from '../memory/estimateRun';
import type { ModelFacts, ModelLookup } from '../models/model';
import { modelOfConfig } from '../models/ownModel';
import { priceChanges } from '../plan/price';
import { quickRemedies } from '../plan/quick';
import type { RemedyContext } from '../plan/remedy';
import type { Analysis, AnalysisOptions, RunAnalysis, Tentative } from '../rules/analysis';
import { checkRules, ruleContext } from '../rules/check';
import type { LocatedReport } from '../rules/check';
import type { Price, PricedRemedy } from '../rules/remedy';
import type { Finding } from '../rules/rule';
import type { Signal } from '../signal';
import type { RunSpec } from '../spec/runSpec';
import type { QuantityName } from '../spec/values';
import { definesDialect } from '../text/paths';
import { definitionFindings, fileFindings } from './fileFindings';
import type { World } from './world';

/** The quantities that decide an answer. */
const WEIGHTY: readonly QuantityName[] = [
  'model',
  'method',
  'optimizer',
  'precision',
  'microBatchSize',
  'gradientCheckpointing',
];

/** What can be said of a run that was read by vocabulary: what was taken for granted, and, without it, perhaps a verdict. */
export function tentativeOf({ quantities }: RunSpec, estimate: Estimate | null): Tentative {
  const assumed = WEIGHTY.filter(name => {
    const { kind } = quantities[name].origin;
    return kind !== 'file' && kind !== 'referenced' && kind !== 'user';
  });
  const verdict = estimate?.devices[0]?.verdict ?? 'unknown';
  return { perhaps: assumed.length === 0 && verdict !== 'unknown' ? verdict : null, assumed };
}

/** The amounts of an estimate, judging nothing. */
export const unjudgedEstimate = (estimate: Estimate): Estimate => ({
  ...estimate,
  devices: estimate.devices.map(device => ({ ...device, verdict: 'unknown' as const })),
});

/**
 * Everything that can be said about one file: text → tree → dialect → runs → model and device → estimate →
 * findings → remedies. Only `world` is asked for what the text does not hold. Same input, same answer, in the
 * editor, the CLI and everywhere else. Never rejects on bad input; once `signal` is aborted the answer is of no use.
 */
export async function analyse(
  file: string,
  text: string,
  world: World,
  options: AnalysisOptions,
  signal: Signal,
): Promise<Analysis> {
  if (definesDialect(file)) {
    const findings = definitionFindings(file, text, options.severities);
    return { file, dialect: null, runs: [], findings, dependencies: [file] };
  }
  const reading = await withLaunchers(await readConfig(file, text, world, signal), world, signal);
  const dependencies = new Set(reading.dependencies);
  const runs: RunAnalysis[] = [];
  for (const run of reading.runs) {
    if (signal.aborted) break;
    const analysed = await analyseRun(run, runs, world, options, dependencies);
    runs.push(run.startedBy?.beside === true ? { ...analysed, findings: foundIn(file, analysed) } : analysed);
  }
  const findings = reading.dialect === GENERIC ? [] : fileFindings(reading, options.severities);
  return { file, dialect: reading.dialect, runs, findings, dependencies: [...dependencies] };
}

/** Of a run that is only shown next to a part of it: what is wrong elsewhere is told there. */
const foundIn = (file: string, { findings }: RunAnalysis): readonly Finding[] =>
  findings.filter(found => found.file === file);

async function analyseRun(
  run: RunSpec,
  beside: readonly RunAnalysis[],
  world: World,
  options: AnalysisOptions,
  dependencies: Set<string>,
): Promise<RunAnalysis> {
  if (dialectOfRun(run).role === 'part') return unjudged(run, world, options);
  const { model, why } = await modelOf(run, world, dependencies);
  const target = await targetOf(run, world, options.target);
  const lessons = await lessonsFor(run, world, dependencies);
  const computed = estimateRun(run, model, target, { session: world.memory, hostMiB: world.hostMiB });
  const data = await lengthsOfRun(run, { model, target }, world, dependencies);
  const { result, evidence } = learned({ run, model, target, result: byItsData(data, computed) }, lessons);
  const estimate = result.ok ? result.estimate : null;
  const missing = result.ok ? [] : result.missing;
  if (run.dialect === GENERIC) return { ...tentative(run, model, result, target), data };
  const failure = options.failures?.find(one => one.run === run.name)?.report ?? null;
  const known = evidence !== null;
  const facts = {
    run,
    model,
    modelWhy: why,
    target,
    estimate,
    known,
    missing,
    failure,
    data,
    beside: [...beside],
  };
  const reports = checkRules(ruleContext(facts), { ...options, onFault: world.onRuleFault });
  const context: RemedyContext = {
    run,
    model,
    target,
    estimate,
    samplesPerGpu: null,
    lessons,
    memory: world.memory,
  };
  return {
    run,
    judged: true,
    model,
    target,
    estimate,
    evidence,
    ...(lessons && { lessons }),
    data,
    missing: estimate && !target && !estimate.onMachine ? ['a GPU to compare with'] : missing,
    verdict: estimate?.devices[0]?.verdict ?? 'unknown',
    findings: reports.map(report => finding(report, context)),
  };
}

async function lessonsFor(
  run: RunSpec,
  world: World,
  dependencies: Set<string>,
): Promise<Lessons | undefined> {
  const files = world.measurements;
  if (!files) return undefined;
  const { measurements, dependencies: looked, by } = await files.near(run.sources[0]?.path ?? '');
  for (const path of looked) dependencies.add(path);
  return measurements.length > 0 ? { measurements, by } : undefined;
}

/** What a job script or manifest asks for wins over what this machine happens to have, not over what was chosen. */
async function targetOf({ launched }: RunSpec, world: World, given: Target | null): Promise<Target | null> {
  const name = launched?.gpu?.value;
  if (given?.kind === 'planned' || !name) return given;
  return (await world.gpuNamed?.(name)) ?? given;
}

/** Without a verdict that a build could fail by, and without findings: rules are about frameworks. */
function tentative(
  run: RunSpec,
  model: ModelFacts | null,
  result: EstimateResult,
  target: Target | null,
): RunAnalysis {
  const estimate = result.ok ? result.estimate : null;
  const missing = result.ok ? [] : result.missing;
  return {
    run,
    judged: true,
    model,
    target,
    estimate: estimate && unjudgedEstimate(estimate),
    missing: estimate && !target ? ['a GPU to compare with'] : missing,
    verdict: 'unknown',
    tentative: tentativeOf(run, estimate),
    findings: [],
  };
}

async function modelOf(
  run: RunSpec,
  world: World,
  dependencies: Set<string>,
): Promise<Pick<ModelLookup, 'model' | 'why'>> {
  const name = run.quantities.model.value;
  if (run.ownModel) {
    const own = modelOfConfig(name ?? 'this config', run.ownModel);
    return own.ok ? { model: own.model, why: null } : { model: null, why: own.why };
  }
  if (name === null) return { model: null, why: null };
  const lookup = await world.models.find(name, run.sources[0]?.path ?? '');
  for (const dependency of lookup.dependencies) dependencies.add(dependency);
  return lookup;
}

/** A part is never estimated, but what it states can be wrong by itself. */
function unjudged(run: RunSpec, world: World, options: AnalysisOptions): RunAnalysis {
  const context: RemedyContext = {
    run,
    model: null,
    target: options.target,
    estimate: null,
    samplesPerGpu: null,
  };
  const checking = { ...options, onFault: world.onRuleFault };
  const reports = checkRules(ruleContext({ ...context, missing: [] }), checking);
  return {
    run,
    judged: false,
    model: null,
    target: options.target,
    estimate: null,
    missing: [],
    verdict: 'unknown',
    findings: reports.map(report => finding(report, context)),
  };
}

/** Remedies are priced when someone looks at them: that takes longer than everything else. */
function finding({ report, ...place }: LocatedReport, context: RemedyContext): Finding {
  let priced: readonly PricedRemedy[] | null = null;
  return {
    ...place,
    message: report.message,
    mendable: report.plan !== undefined || report.remedies !== undefined,
    ...(report.rename !== undefined && { rename: report.rename }),
    get remedies() {
      return (priced ??= remediesOf(report, context));
    },
  };
}

const FREE: Price = { time: 1, speed: null, quality: null };

/** The rule's own remedies first, then those of the plan room. A remedy that these files cannot take is dropped. */
function remediesOf(report: LocatedReport['report'], context: RemedyContext): PricedRemedy[] {
  const own = (report.remedies ?? []).flatMap(({ title, changes }) => {
    const priced = priceChanges(context, 'rule', { changes, price: FREE });
    return priced.ok ? [{ ...priced.remedy, title: `${title}: ${priced.remedy.title}` }] : [];
  });
  return report.plan ? [...own, ...quickRemedies(within(context, report.roomMiB), report.plan)] : own;
}

/** A run has shown that less of the GPU is room for estimates than there is. */
function within(context: RemedyContext, roomMiB: number | undefined): RemedyContext {
  const { target } = context;
  return target === null || roomMiB === undefined
    ? context
    : { ...context, target: { ...target, usableMiB: Math.min(target.usableMiB, roomMiB) } };
}
