import { dialectOfRun } from '../dialects/find';
import { GENERIC } from '../dialects/generic/name';
import { readConfig } from '../reading/read';
import { withLaunchers } from '../reading/startedBy';
import type { Target } from '../hardware/gpu';
import { learned } from '../learn/learned';
import type { Lessons } from '../learn/learned';
import { estimateByPublished } from '../learn/publishedRows';
import type { Estimate, EstimateResult } from '../memory/estimate';
import { estimateRun } from '../memory/estimateRun';
import type { ModelFacts, ModelLookup } from '../models/model';
import { modelOfConfig } from '../models/ownModel';
import { priceChanges } from '../plan/price';
import { quickRemedies } from '../plan/quick';
import type { RemedyContext } from '../plan/remedy';
import type { Analysis, AnalysisOptions, RunAnalysis } from '../rules/analysis';
import { checkRules, ruleContext } from '../rules/check';
import type { LocatedReport } from '../rules/check';
import type { Price, PricedRemedy } from '../rules/remedy';
import type { Finding, SuggestedRemedy } from '../rules/rule';
import type { Signal } from '../signal';
import type { RunSpec } from '../spec/runSpec';
import { definesDialect } from '../text/paths';
import { definitionFindings, fileFindings } from './fileFindings';
import { ownNetworkOf } from './ownNetwork';
import { lackedBy, NO_GPU, seenOrGuessed, tentative } from './tentative';
import type { FoundModel } from './ownNetwork';
import { sayOf } from './world';
import { withItsAttention, withRelease } from './releases';
import type { World } from './world';
import type { LengthFiles } from '../learn/lookups';
import { datasetsOf } from '../dialects/datasetsOf';
import type { MemorySession } from '../memory/session';
import { dataLengths } from '../learn/dataLengths';
import type { DataLengths } from '../learn/dataLengths';
import { lengthsKey } from '../spec/dataset';
import { commas } from '../text/lists';
import type { Say } from '../text/say';
import { parsePath } from '../yaml/path';
import { phrase } from '../text/say';

/** The counted lengths of a run's data, from files around its config; null: not counted. */
async function lengthsOfRun(
  run: RunSpec,
  facts: { readonly model: ModelFacts | null; readonly target: Target | null },
  world: { readonly lengths?: LengthFiles; readonly memory?: MemorySession | undefined },
  dependencies: Set<string>,
): Promise<DataLengths | null> {
  if (!world.lengths) return null;
  const { counted, dependencies: paths } = await world.lengths.near(run.sources[0]?.path ?? '');
  for (const path of paths) dependencies.add(path);
  if (counted.length === 0) return null;
  const datasets = datasetsOf(run);
  const key = lengthsKey(datasets, run.quantities.model.value);
  const found = datasets.length === 0 ? undefined : counted.findLast(({ record }) => record.key === key);
  return found ? dataLengths(run, { ...facts, memory: world.memory }, found) : null;
}

/** Without a row limit, the data decide the estimate, unless some rows were not read. */
function estimateByData(data: DataLengths | null, computed: EstimateResult): EstimateResult {
  if (!data?.estimate || data.limit !== null || data.longest === null || !data.record.scanned) {
    return computed;
  }
  const { record, longest, estimate } = data;
  const assumed = phrase`rows of ${longest} tokens, the longest of the data (counted on ${record.at.slice(0, 10)})`;
  return { ok: true, estimate: { ...estimate, assumptions: [...estimate.assumptions, assumed] } };
}

/** The model together with the one that drafts tokens for it, where a server's arguments name one that is known. */
async function withDrafter(
  run: RunSpec,
  lookup: ModelLookup,
  world: World,
  dependencies: Set<string>,
): Promise<Pick<ModelLookup, 'model' | 'why'>> {
  const drafter = run.details.servedExtras?.value?.drafter ?? null;
  if (lookup.model === null || drafter?.kind !== 'model' || drafter.model === null) return lookup;
  const found = await world.models.find(drafter.model, run.sources[0]?.path ?? '');
  for (const dependency of found.dependencies) dependencies.add(dependency);
  return found.model ? { ...lookup, model: { ...lookup.model, drafter: found.model } } : lookup;
}

/**
 * Everything that can be said about one file: text → tree → dialect → runs → model and device → estimate → findings
 * → remedies. `world` provides all that the text does not hold. The same input gives the same result in the editor,
 * the CLI and everywhere else. Never rejects on bad input; ignore the result once `signal` is aborted.
 */
export async function analyze(
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
    const analyzed = await analyzeRun(run, runs, world, options, dependencies);
    runs.push(
      run.startedBy?.ofOtherFile === true ? { ...analyzed, findings: foundIn(file, analyzed) } : analyzed,
    );
  }
  const findings = reading.dialect === GENERIC ? [] : fileFindings(reading, options.severities, sayOf(world));
  const nearby = ((await world.definitions?.faultyNear?.(file)) ?? []).flatMap(one =>
    definitionFindings(one.path, one.text, options.severities),
  );
  return { file, dialect: reading.dialect, runs, findings, nearby, dependencies: [...dependencies] };
}

/** For a run that is only shown next to one of its parts: findings in other files are reported there. */
const foundIn = (file: string, { findings }: RunAnalysis): readonly Finding[] =>
  findings.filter(found => found.file === file);

async function analyzeRun(
  read: RunSpec,
  earlierRuns: readonly RunAnalysis[],
  world: World,
  options: AnalysisOptions,
  dependencies: Set<string>,
): Promise<RunAnalysis> {
  if (dialectOfRun(read).role === 'part') return unjudged(read, world, options);
  const released = await withRelease(read, world, dependencies);
  const { model, why, networkWhy } = await modelOf(released, world, dependencies);
  const run = withItsAttention(released, model);
  const unread = networkWhy === undefined ? {} : { networkWhy };
  const target = await targetOf(run, world, options.target);
  const lessons = await lessonsFor(run, world, dependencies);
  if (!isAmong(dependencies, options)) return passedOver(run, model, target);
  const extent = { session: world.memory, hostMiB: world.hostMiB };
  const atLimit = estimateRun(run, model, target, extent);
  const computed = estimateByPublished({ run, model, target }, atLimit, extent);
  const data = await lengthsOfRun(run, { model, target }, world, dependencies);
  const { result, evidence } = learned(
    { run, model, target, result: estimateByData(data, computed) },
    lessons,
  );
  const estimate = result.ok ? result.estimate : null;
  if (run.dialect === GENERIC) {
    return {
      ...seenOrGuessed(tentative(run, model, result, target), result, evidence, lessons),
      data,
      ...unread,
    };
  }
  const failure = options.failures?.find(one => one.run === run.name)?.report ?? null;
  const facts = {
    run,
    model,
    modelWhy: why,
    target,
    estimate,
    known: evidence !== null,
    missing: result.ok ? [] : result.missing,
    failure,
    data,
    otherRuns: [...earlierRuns],
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
    ...unread,
    ...(estimate && !target && !estimate.onMachine ? NO_GPU : lackedBy(result)),
    verdict: verdictOf(estimate),
    findings: findingsOf(facts, lessons, world, options),
  };
}

const verdictOf = (estimate: Estimate | null): RunAnalysis['verdict'] =>
  estimate?.devices[0]?.verdict ?? 'unknown';

const isAmong = (dependencies: ReadonlySet<string>, { among }: AnalysisOptions): boolean =>
  among === undefined || [...dependencies].some(file => among.has(file));

/** A run that is only read: not estimated and not judged. */
const passedOver = (run: RunSpec, model: ModelFacts | null, target: Target | null): RunAnalysis => ({
  ...{ run, judged: false, model, target, estimate: null },
  ...{ missing: [], verdict: 'unknown', findings: [] },
});

/** What the rules report about a run, with priced remedies. */
function findingsOf(
  facts: Parameters<typeof ruleContext>[0],
  lessons: Lessons | undefined,
  world: World,
  options: AnalysisOptions,
): readonly Finding[] {
  const { run, model, target, estimate } = facts;
  const context: RemedyContext = {
    ...{ run, model, target, estimate, samplesPerGpu: null, lessons },
    memory: world.memory,
    say: sayOf(world),
  };
  const { memory } = world;
  const reports = checkRules(ruleContext({ ...facts, lessons, memory, say: sayOf(world) }), {
    ...options,
    onFault: world.onRuleFault,
  });
  return reports.map(report => finding(report, context, (facts.otherRuns ?? []).length < MOST_PLANNED));
}

/** Plans are tried for the first runs of a file only: each takes longer than reading a run, and a file may have hundreds. */
const MOST_PLANNED = 16;

async function lessonsFor(
  run: RunSpec,
  world: World,
  dependencies: Set<string>,
): Promise<Lessons | undefined> {
  const files = world.measurements;
  if (!files) return undefined;
  const found = await files.near(run.sources[0]?.path ?? '');
  const { measurements, speeds = [], rates = [], dependencies: paths, by } = found;
  for (const path of paths) dependencies.add(path);
  if (measurements.length + speeds.length + rates.length === 0) return undefined;
  return { measurements, by, ...(speeds.length > 0 && { speeds }), ...(rates.length > 0 && { rates }) };
}

/** What a job script or manifest requests wins over this machine's GPUs, but not over a chosen target. */
async function targetOf({ launched }: RunSpec, world: World, given: Target | null): Promise<Target | null> {
  const name = launched?.gpu?.value;
  if (given?.kind === 'planned' || !name) return given;
  return (await world.gpuNamed?.(name)) ?? given;
}

async function modelOf(run: RunSpec, world: World, dependencies: Set<string>): Promise<FoundModel> {
  const name = run.quantities.model.value;
  if (run.ownModel) {
    const own = modelOfConfig(name ?? 'this config', run.ownModel);
    return own.ok ? { model: own.model, why: null } : { model: null, why: own.why };
  }
  if (name === null) return ownNetworkOf(run, world, dependencies, { model: null, why: null });
  const lookup = await world.models.find(name, run.sources[0]?.path ?? '');
  for (const dependency of lookup.dependencies) dependencies.add(dependency);
  return lookup.model === null
    ? ownNetworkOf(run, world, dependencies, lookup)
    : withDrafter(run, lookup, world, dependencies);
}

/** A part is never estimated, but its own values can still be wrong. */
function unjudged(run: RunSpec, world: World, options: AnalysisOptions): RunAnalysis {
  const context: RemedyContext = {
    run,
    model: null,
    target: options.target,
    estimate: null,
    samplesPerGpu: null,
    say: sayOf(world),
  };
  const checking = { ...options, onFault: world.onRuleFault };
  // Nothing looked for its model, so nothing can say that it is unknown.
  const reports = checkRules(ruleContext({ ...context, known: true, missing: [] }), checking);
  return {
    run,
    judged: false,
    model: null,
    target: options.target,
    estimate: null,
    missing: [],
    verdict: 'unknown',
    findings: reports.map(report => finding(report, context, true)),
  };
}

/** Remedies are priced lazily, when they are shown: pricing takes longer than everything else. */
function finding({ report, ...place }: LocatedReport, context: RemedyContext, isPlanned: boolean): Finding {
  let priced: readonly PricedRemedy[] | null = null;
  return {
    ...place,
    message: report.message,
    fixable: report.plan !== undefined || report.remedies !== undefined,
    ...(report.rename !== undefined && { rename: report.rename }),
    get remedies() {
      return (priced ??= remediesOf(report, context, isPlanned));
    },
  };
}

const FREE: Price = { time: 1, speed: null, quality: null };

/** The rule's own remedies first, then those of the planner. Drops remedies that these files cannot express. */
function remediesOf(
  report: LocatedReport['report'],
  context: RemedyContext,
  isPlanned: boolean,
): PricedRemedy[] {
  const own = (report.remedies ?? []).flatMap(suggested => {
    const priced = priceChanges(context, 'rule', { changes: suggested.changes, price: FREE });
    const title = suggestedTitle(context.say, suggested);
    return priced.ok
      ? [{ ...priced.remedy, title: context.say('{0}: {1}', title, priced.remedy.title) }]
      : [];
  });
  return report.plan && isPlanned
    ? [...own, ...quickRemedies(withLimitedRoom(context, report.roomMiB), report.plan)]
    : own;
}

/** The stated title, or the one key that is set. */
function suggestedTitle(say: Say, { title, changes }: SuggestedRemedy): string {
  if (title !== undefined) return title;
  const settings = changes.flatMap(change => {
    if ('key' in change) return [say('Set {0} to {1}', change.key, String(change.to))];
    if (!('stated' in change)) return [];
    return [say('Set {0} to {1}', String(parsePath(change.stated.path).at(-1)), String(change.to))];
  });
  return commas(say, settings);
}

/** Limits the room for estimates to what a run has shown; it can be less than the GPU's usable memory. */
function withLimitedRoom(context: RemedyContext, roomMiB: number | undefined): RemedyContext {
  const { target } = context;
  return target === null || roomMiB === undefined
    ? context
    : { ...context, target: { ...target, usableMiB: Math.min(target.usableMiB, roomMiB) } };
}
