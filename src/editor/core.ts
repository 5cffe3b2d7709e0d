import type { Analysis, RunAnalysis } from '../core/rules/analysis';
import type { Choice } from '../core/compare/choice';
import type { CompareOptions, ComparedRun } from '../core/plan/places/compare';
import type { ComparedPlace } from '../core/plan/places/fit';
import type { Place } from '../core/compare/place';
import type { Suggestion } from '../core/dialects/defined/complete';
import type { DialectDefinition } from '../core/dialects/defined/definition';
import type { KeyNote } from '../core/dialects/keyNotes';
import type { GpuFacts, Target } from '../core/hardware/gpu';
import type { TargetOptions, TargetReading } from '../core/hardware/target';
import type { LengthRecord } from '../core/lengths/record';
import type { DeviceEstimate } from '../core/memory/estimate';
import type { LaunchOptions, LaunchResult } from '../core/launch/launch';
import type { MeasuredRun } from '../core/analyse/measuredRun';
import type { KeyEdit } from '../core/yaml/keyEdit';
import type { PricedRemedy } from '../core/rules/remedy';
import type { GoalWords } from '../core/plan/goals';
import type { RunOutcome } from '../core/plan/outcome';
import type { Goal, Plan, PlanSearch, Taker } from '../core/plan/plan';
import type { Pause } from '../core/plan/walk';
import type { GpuSource } from '../core/hardware/source';
import type { World } from '../core/analyse/world';
import type { ThemeKind } from '../core/render/bar';
import type { PlaceTexts } from '../core/render/compare';
import type { HoverOptions } from '../core/render/hover';
import type { LensText } from '../core/render/lens';
import type { DrawMeasurements, MeasuredPair } from '../core/render/measurements';
import type { PartText } from '../core/render/parts';
import type { PlanPageOptions } from '../core/render/planPage';
import type { RelatedPlace } from '../core/render/related';
import type { RunSpec } from '../core/spec/runSpec';
import type {
  AnalysisRequest,
  CompareRequest,
  FileAnalysis,
  LaunchRequest,
  PlanRequest,
  TrialRequest,
} from './analyst';
import type { Signal } from '../core/signal';

/**
 * Core as the editor uses it. The code behind it is a chunk of its own, loaded when the first config of ours is seen;
 * all that the window needs before that is this description.
 */
export interface Core {
  readonly analyseFile: (request: AnalysisRequest, world: World, signal: Signal) => Promise<FileAnalysis>;
  readonly planRun: (request: PlanRequest, world: World, pause: Pause, signal: Signal) => Promise<PlanSearch>;
  readonly compareRun: (
    request: CompareRequest,
    world: World,
    pause: Pause,
    signal: Signal,
  ) => Promise<readonly ComparedPlace[]>;
  readonly tryTexts: (
    request: TrialRequest,
    world: World,
    pause: Pause,
    signal: Signal,
  ) => Promise<readonly (RunOutcome | null)[]>;
  readonly comparePlaces: (
    run: ComparedRun,
    places: readonly Place[],
    options: CompareOptions,
    pause: Pause,
    signal: Signal,
  ) => Promise<readonly ComparedPlace[] | null>;
  readonly catalogPlaces: (gpus: GpuSource, count: number | null) => readonly Place[];
  readonly withCount: (place: Place, count: number | null) => Place;
  readonly inOrder: (rows: readonly ComparedPlace[]) => readonly ComparedPlace[];
  readonly placeTexts: (row: ComparedPlace, file: string) => PlaceTexts;
  readonly comparePage: (rows: readonly ComparedPlace[], title: string, file: string) => string;
  readonly countsText: (rows: readonly ComparedPlace[]) => string;
  readonly hereText: (rows: readonly ComparedPlace[]) => string | null;

  readonly choiceOf: (text: string) => Choice;
  readonly choiceText: (place: Place, gpus: GpuSource) => string;
  readonly chosenPlace: (choice: Choice, target: Target, places: readonly Place[]) => Place | null;
  readonly parseTarget: (text: string, gpus: GpuSource, options: TargetOptions) => TargetReading;
  readonly describeGpu: (gpu: GpuFacts) => string;
  readonly describeTarget: (target: Target) => string;

  readonly answer: (run: RunAnalysis) => string;
  readonly lensTexts: (runs: readonly RunAnalysis[]) => readonly LensText[];
  readonly fixTitle: (remedy: PricedRemedy, file: string) => string;
  readonly goals: readonly GoalWords[];
  readonly goalWords: (goal: Goal) => GoalWords;
  readonly planTitle: (plan: PricedRemedy, file: string) => string;
  readonly planLabel: (plan: PricedRemedy, file: string) => string;
  readonly planDetail: (plan: PricedRemedy) => string;
  /** Where a run would fit that no plan makes fit; null where nobody knows. */
  readonly takersText: (takers: readonly Taker[]) => string | null;
  readonly planChart: (before: DeviceEstimate | null, after: DeviceEstimate, theme: ThemeKind) => string;
  readonly planPage: (plan: Plan, options: PlanPageOptions) => string;
  readonly outcomeOf: (run: RunAnalysis) => RunOutcome;
  readonly partLabel: (edit: KeyEdit, file: string) => string;
  readonly partTexts: (
    edits: readonly KeyEdit[],
    whole: RunOutcome | null,
    without: readonly (RunOutcome | null)[],
    file: string,
  ) => readonly PartText[];
  readonly partialText: (before: RunOutcome, now: RunOutcome | null) => string;
  readonly formerValues: (edits: readonly KeyEdit[], gpu: string, file: string) => string;
  readonly whyUnknown: (run: RunAnalysis) => string;
  readonly summaryText: (analyses: readonly Analysis[], files: number) => string;
  readonly batchArithmetic: (run: RunSpec, gpus: number | null) => string | null;
  readonly launchRun: (
    request: LaunchRequest,
    options: LaunchOptions,
    world: World,
    signal: Signal,
  ) => Promise<LaunchResult>;
  readonly measuredRun: (run: RunAnalysis, by: string) => MeasuredRun;
  readonly starterOfRun: (run: RunSpec) => 'framework' | 'engine' | null;
  readonly hover: (run: RunAnalysis, options: HoverOptions) => string;
  readonly keyNoteAt: (dialect: string | DialectDefinition, text: string, offset: number) => KeyNote | null;
  readonly definitionNoteAt: (text: string, offset: number) => KeyNote | null;
  readonly suggestionsAt: (text: string, offset: number) => readonly Suggestion[];
  readonly definitionText: (definition: DialectDefinition, id: string, config: string) => string;
  readonly dialectName: (name: string) => string;
  readonly keyNote: (note: KeyNote) => string;
  readonly keyNoteLine: (note: KeyNote) => string;
  readonly lengthBars: (record: LengthRecord, limit: number | null, theme: ThemeKind) => string;
  readonly memoryBar: (device: DeviceEstimate, theme: ThemeKind) => string;
  readonly relatedPlaces: (run: RunAnalysis) => readonly RelatedPlace[];
  readonly explanation: (analysis: Analysis, draw: DrawMeasurements) => string;
  readonly measurementChart: (pairs: readonly MeasuredPair[], theme: ThemeKind) => string;
}

export type LoadCore = () => Promise<Core>;

/** False: the text cannot be a config of ours. Looks at the text only, and is fast. */
export type CouldBeOurs = (text: string) => Promise<boolean>;
