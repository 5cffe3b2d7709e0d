<<<<<<< HEAD
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
=======
import type { core } from './analysisChunk';
>>>>>>> main

/**
 * Core as the editor uses it. The code behind it is a chunk of its own, loaded when the first config of ours is seen;
 * all that the window needs before that is this type.
 */
export type Core = typeof core;

export type LoadCore = () => Promise<Core>;

/** False: the text cannot be a config of ours. Looks at the text only, and is fast. */
export type CouldBeOurs = (text: string) => Promise<boolean>;
