import { choiceOf, choiceText, chosenPlace } from '../core/compare/choice';
import { sortedPlaces } from '../core/plan/places/compare';
import { placeGroups } from '../core/plan/places/order';
import { suitablePlaces } from '../core/plan/places/suitable';
import { catalogPlaces, withCount } from '../core/compare/place';
import { definitionText, dialectName } from '../core/dialects/defined/text';
import { starterOfRun } from '../core/launch/launch';
import { COMMON_GB, commonGpus, typedChoices } from '../core/hardware/choices';
import { parseTarget } from '../core/hardware/target';
import { measuredRun } from '../core/analyse/measuredRun';
import { describedModelText, likeModelText, unknownHubModel } from '../core/analyse/unknownModel';
import { GOALS, goalWords, spokenGoal } from '../core/plan/goals';
import { outcomeOf } from '../core/plan/outcome';
import type { RunOutcome } from '../core/plan/outcome';
import type { FittingGpu, Goal, Plan, PlanSearch } from '../core/plan/plan';
import type { ComparedPlace } from '../core/plan/places/fit';
import type { DeviceEstimate } from '../core/memory/estimate';
import type { Place } from '../core/compare/place';
import type { GpuSource } from '../core/hardware/match';
import type { Target } from '../core/hardware/gpu';
import type { RunSpec } from '../core/spec/runSpec';
import type { KeyNote } from '../core/dialects/keyNotes';
import type { Analysis, RunAnalysis } from '../core/rules/analysis';
import type { PricedRemedy } from '../core/rules/remedy';
import type { KeyEdit } from '../core/yaml/keyEdit';
import { told } from '../core/text/say';
import { say } from '../host/say';
import { memoryBar, swatch } from '../core/render/bar';
import type { ThemeKind } from '../core/render/bar';
import { lengthBars } from '../core/render/lengthBars';
import { comparePage, countsText, hereText, placeTexts } from '../core/render/compare';
import { explanation } from '../core/render/explanation';
import { describeGpu, describeTarget } from '../core/hardware/describe';
import { hover } from '../core/render/hover';
import type { HoverOptions } from '../core/render/hover';
import type { DrawMeasurements } from '../core/render/measurements';
import { keyNote, keyNoteSentences } from '../core/render/keyNote';
import { sharedBatchArithmetic } from '../core/spec/batchArithmetic';
import { fittingGpusText, noneHeadline } from '../core/render/sentences';
import { fixTitle, planRow, planTitle } from '../core/render/fix';
import { lensTexts, lensTooltip } from '../core/render/lens';
import { formerValues, partialText, partLabel, partTexts } from '../core/render/parts';
import { measurementChart } from '../core/render/measurementChart';
import { planChart, stepChart } from '../core/render/planChart';
import { planPage } from '../core/render/planPage';
import { relatedPlaces } from '../core/render/related';
import { shortAnswer } from '../core/render/statusBar';
import { onceEach, summaryText } from '../core/render/summary';
import type { Counted } from '../core/render/summary';
import { answer, whyUnknown } from '../core/render/verdict';

const goals = GOALS.map(words => spokenGoal(say, words));

/**
 * Its own chunk: what core has for answers, in this window's language, loaded when the first config of ours is seen. It reads
 * no file.
 */
export const core = {
  catalogPlaces,
  suitablePlaces: (places: readonly Place[], run: RunSpec) => suitablePlaces(places, run, say),
  withCount,
  inOrder: sortedPlaces,
  placeGroups,
  placeTexts: (row: ComparedPlace, file: string) => placeTexts(row, file, say),
  comparePage: (rows: readonly ComparedPlace[], about: Parameters<typeof comparePage>[1]) =>
    comparePage(rows, about, say),
  countsText: (rows: readonly ComparedPlace[]) => countsText(rows, say),
  hereText: (rows: readonly ComparedPlace[]) => hereText(rows, say),
  choiceOf,
  choiceText,
  chosenPlace,
  parseTarget,
  typedChoices: (text: string, gpus: GpuSource, isListed: boolean) => typedChoices(say, text, gpus, isListed),
  commonGpus,
  commonGB: COMMON_GB,
  describeGpu,
  describeTarget: (target: Target) => describeTarget(say, target),
  answer: (run: RunAnalysis) => answer(run, say),
  shortAnswer: (run: RunAnalysis) => shortAnswer(run, say),
  lensTexts: (runs: readonly RunAnalysis[]) => lensTexts(runs, say),
  lensTooltip: (run: RunAnalysis) => lensTooltip(run, say),
  fixTitle: (remedy: PricedRemedy, file: string) => fixTitle(remedy, file, say),
  unknownHubModel,
  describedModelText,
  likeModelText,
  goals,
  goalWords: (goal: Goal) => spokenGoal(say, goalWords(goal)),
  planTitle: (plan: PricedRemedy, file: string) => planTitle(plan, file, say),
  planRow: (plan: Plan, file: string) => planRow(plan, file, say),
  noneHeadline: (search: PlanSearch, goal: Goal) => noneHeadline(search, goal, say),
  fittingGpusText: (gpus: readonly FittingGpu[]) => fittingGpusText(gpus, say),
  planChart: (before: DeviceEstimate | null, after: DeviceEstimate, theme: ThemeKind) =>
    planChart(before, after, theme, say),
  stepChart: (plans: readonly Plan[], theme: ThemeKind) => stepChart(plans, theme, say),
  planPage: (plan: Plan, about: Parameters<typeof planPage>[1]) => planPage(plan, about, say),
  outcomeOf,
  partLabel: (edit: KeyEdit, file: string) => partLabel(edit, file, say),
  partTexts: (
    edits: readonly KeyEdit[],
    whole: RunOutcome | null,
    without: readonly (RunOutcome | null)[],
    file: string,
  ) => partTexts(edits, whole, without, file, say),
  partialText: (before: RunOutcome, now: RunOutcome | null) => partialText(before, now, say),
  formerValues,
  whyUnknown: (run: RunAnalysis) => whyUnknown(run, say),
  summaryText: (all: readonly Counted[], files: number) => summaryText(all, files, say),
  onceEach,
  sharedBatchArithmetic: (runs: Parameters<typeof sharedBatchArithmetic>[0]) =>
    sharedBatchArithmetic(runs, say),
  measuredRun,
  starterOfRun,
  hover: (run: RunAnalysis, options: HoverOptions) => hover(run, { ...options, say }),
  definitionText,
  dialectName,
  keyNote: (note: KeyNote) => keyNote(note, say),
  told: (text: string) => told(say, text),
  keyNoteSentences: (note: KeyNote) => keyNoteSentences(note, say),
  lengthBars,
  memoryBar,
  swatch,
  relatedPlaces: (run: RunAnalysis) => relatedPlaces(run, say),
  explanation: (analysis: Analysis, draw: DrawMeasurements) => explanation(analysis, draw, say),
  measurementChart,
};
