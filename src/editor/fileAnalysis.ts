import { analyze } from '../core/analyse/analyse';
import type { RunAnalysis } from '../core/rules/analysis';
import { comparePlaces } from '../core/plan/places/compare';
import { measurementsOfRun } from '../core/render/measurements';
import type { ComparedPlace } from '../core/plan/places/fit';
import { alternativesTo } from '../core/plan/modelSizes';
import { samplesPerGpu } from '../core/plan/batch';
import { planContext } from '../core/plan/context';
import { readConfig } from '../core/reading/read';
import { withLaunchers } from '../core/reading/startedBy';
import { launchOf } from '../core/launch/launch';
import { programOf } from '../core/launch/program';
import type { LaunchResult } from '../core/launch/runLaunch';
import { outcomeOf } from '../core/plan/outcome';
import type { RunOutcome } from '../core/plan/outcome';
import { NO_PLANS } from '../core/plan/plan';
import type { PlanSearch } from '../core/plan/plan';
import { searchPlans } from '../core/plan/search';
import { withFittingGpus } from '../core/plan/fittingGpus';
import type { Pause } from '../core/plan/walk';
import type { World } from '../core/analyse/world';
import { MemorySession } from '../core/memory/session';
import type { RunSpec, SourceFile } from '../core/spec/runSpec';
import type { Span } from '../core/text/span';
import { ARGV, PYTHON } from '../core/yaml/node';
import type { YamlFile } from '../core/yaml/node';
import { find, resolve } from '../core/yaml/path';
import { couldBeRead } from '../core/dialects/couldBe';
import { suggestionsAt } from '../core/dialects/defined/complete';
import { keysAt } from '../core/dialects/keyCompletion';
import { definitionNoteAt, keyNoteAt } from '../core/dialects/keyNotes';
import { standingOf } from '../core/reading/standing';
import { describesModel } from '../core/analyse/unknownModel';
import { ignoreEdit } from '../core/rules/ignore';
import { MOST_SCANNED } from './analyst';
import type {
  AnalysisRequest,
  CompareRequest,
  FileAnalysis,
  LaunchRequest,
  PlanRequest,
  Texts,
  TrialRequest,
  Work,
} from './analyst';
import type { Signal } from '../core/signal';
import { sayOf } from '../core/analyse/world';

/** Whether it is ours was not looked at before, as it is long. */
const analyzeAny: Work['analyse'] = async (request, world, _pause, signal) => {
  const { file, text } = request;
  const isUnrelated =
    text.length > MOST_SCANNED &&
    !couldBeRead(text, file) &&
    (await world.definitions?.near(file))?.length === 0;
  if (!isUnrelated) return analyzeFile(request, remembering(world), signal);
  const analysis = { file, dialect: null, runs: [], findings: [], dependencies: [file] };
  return { analysis, anchors: [], texts: {} };
};

/** Analyzes a document and keeps what the editor needs of it. */
export async function analyzeFile(
  request: AnalysisRequest,
  world: World,
  signal: Signal,
): Promise<FileAnalysis> {
  const { file, text, options } = request;
  const analysis = await analyze(file, text, reading(world, request.instead), options, signal);
  const others = analysis.runs.flatMap(({ run }) => run.sources).filter(source => source.path !== file);
  const faulty = (await world.definitions?.faultyNear?.(file)) ?? [];
  return {
    analysis: { ...analysis, runs: analysis.runs.map(withoutTrees) },
    anchors: analysis.runs.map(({ run }) => anchorIn(file, run)),
    texts: Object.fromEntries([
      ...faulty.map(({ path, text: its }) => [path, its] as const),
      ...others.map(({ path, yaml }) => [path, yaml.text] as const),
    ]),
  };
}

/** Searches plans for one run of a document; empty if there is no such run. */
async function planRun(
  request: PlanRequest,
  world: World,
  pause: Pause,
  signal: Signal,
): Promise<PlanSearch> {
  const { found, runs } = await namedRun(request, world, signal);
  if (!found) return NO_PLANS;
  const { wanted } = request;
  const say = sayOf(world);
  const samples = wanted && samplesPerGpu(wanted, found.run, found.target, say);
  if (typeof samples === 'string') {
    return { ...NO_PLANS, rejected: [{ remedy: say('another effective batch'), why: samples }] };
  }
  const alternatives = await alternativesTo(found.run, world.models);
  const context = planContext(found, runs, {
    ...{ samplesPerGpu: samples, alternatives, say },
    memory: world.memory,
  });
  const search = await searchPlans(context, request.plan, pause, signal);
  return withFittingGpus(search, context, request.plan, world, pause, signal);
}

/** The command that starts one run of a document, from a folder and on a number of GPUs. */
async function launchRun(
  { file, text, run: name, launch }: LaunchRequest,
  world: World,
  signal: Signal,
): Promise<LaunchResult> {
  const reading = await withLaunchers(await readConfig(file, text, world, signal), world, signal);
  const run = reading.runs.find(one => one.name === name);
  if (!run) return { ok: false, why: 'The config no longer has this run.' };
  const opened = { file, dialect: reading.dialect };
  return launch.program === true ? programOf(run, opened, launch) : launchOf(run, opened, launch);
}

/** Compares one run of a document in many places; empty if there is no such run. */
async function compareRun(
  request: CompareRequest,
  world: World,
  pause: Pause,
  signal: Signal,
): Promise<readonly ComparedPlace[]> {
  const { found } = await namedRun(request, world, signal);
  return (
    (found &&
      (await comparePlaces(
        { ...found, memory: world.memory, say: sayOf(world) },
        request.places,
        request.compare,
        pause,
        signal,
      ))) ??
    []
  );
}

/** How one run of a document would fare with each set of texts in its files. */
async function tryTexts(
  request: TrialRequest,
  world: World,
  pause: Pause,
  signal: Signal,
): Promise<readonly (RunOutcome | null)[]> {
  const outcomes: (RunOutcome | null)[] = [];
  for (const texts of request.trials) {
    await pause();
    if (signal.aborted) return [];
    const text = texts[request.file] ?? request.text;
    const { found } = await namedRun({ ...request, text, instead: texts }, world, signal);
    outcomes.push(found && outcomeOf(found));
  }
  return outcomes;
}

/** Shared by the estimates of this thread. */
const memory = new MemorySession();

const remembering = (world: World): World => ({ ...world, memory });

/** Each kind of work on a document. */
export const work: Work = {
  analyse: analyzeAny,
  plan: (request, world, ...rest) => planRun(request, remembering(world), ...rest),
  compare: (request, world, ...rest) => compareRun(request, remembering(world), ...rest),
  tryOut: (request, world, ...rest) => tryTexts(request, remembering(world), ...rest),
  launch: (request, world, _pause, signal) => launchRun(request, world, signal),
  standing: ({ text, file }) => standingOf(text, file),
  similarModels: async ({ model }, { models }) => (await models.similar?.(model)) ?? [],
  describesModel: ({ text }) => Promise.resolve(describesModel(text)),
  keyNote: ({ dialect, text, offset }) => Promise.resolve(keyNoteAt(dialect, text, offset)),
  keys: ({ run, text, offset }) => Promise.resolve(keysAt(run, text, offset)),
  definitionNote: ({ text, offset }) => Promise.resolve(definitionNoteAt(text, offset)),
  suggestions: ({ text, offset }) => Promise.resolve(suggestionsAt(text, offset)),
  ignore: ({ file, wanted }) =>
    Promise.resolve(wanted.map(({ rule, line, scope }) => ignoreEdit(file, { rule, line }, scope))),
};

/** One run of a document, and all of its runs. */
async function namedRun(
  { file, text, options, instead, run: name }: AnalysisRequest & { readonly run: string },
  world: World,
  signal: Signal,
) {
  const { runs } = await analyze(file, text, reading(world, instead), options, signal);
  return { found: runs.find(({ run, judged }) => judged && run.name === name) ?? null, runs };
}

/** The world, except for files whose text is given. */
function reading(world: World, texts: Texts | undefined): World {
  if (!texts) return world;
  const { files } = world;
  const read: World['files']['read'] = async path => {
    const text = texts[path];
    return text === undefined ? files.read(path) : { text };
  };
  return { ...world, files: { ...files, read } };
}

const NO_TREE: YamlFile = { text: '', documents: [], problems: [] };

function withoutTrees(analysis: RunAnalysis): RunAnalysis {
  const sources = analysis.run.sources.map(source => ({ ...source, yaml: NO_TREE }));
  // Plans are analyzed again, so only the run's own measurements are kept, to be shown.
  const { run, lessons, ...rest } = analysis;
  const own = lessons && { ...lessons, measurements: measurementsOfRun(run, lessons.measurements) };
  return { ...rest, lessons: own, run: { ...run, sources } };
}

/** Where a run begins in a file: its first key there, or the command that starts it. */
function anchorIn(file: string, { sources }: RunSpec): Span | null {
  const own = sources.find(source => source.path === file);
  return own ? firstKey(own) : null;
}

function firstKey({ yaml, document, base }: SourceFile): Span | null {
  const map = resolve(find(yaml.documents[document]?.root ?? null, base)?.node ?? null);
  if (map?.kind !== 'map') return null;
  if (map.tag === PYTHON) return map.span;
  const starts = map.entries.filter(entry => !entry.merged).map(entry => entry.keySpan);
  return starts.toSorted((a, b) => a.start - b.start)[0] ?? (map.tag === ARGV ? map.span : null);
}
