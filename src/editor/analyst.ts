import type { Analysis, AnalysisOptions } from '../core/rules/analysis';
import type { CompareOptions } from '../core/plan/places/compare';
import type { ComparedPlace } from '../core/plan/places/fit';
import type { Place } from '../core/compare/place';
import type { RunOutcome } from '../core/plan/outcome';
import type { PlanOptions, PlanSearch } from '../core/plan/plan';
import type { SampleRange } from '../core/plan/remedy';
import type { Pause } from '../core/plan/walk';
import type { World } from '../core/analyse/world';
import type { Signal } from '../core/signal';
import type { Span } from '../core/text/span';

/** A document to be analysed, as it is right now. */
export interface AnalysisRequest {
  /** Core's path of the document. */
  readonly file: string;
  readonly text: string;
  readonly options: AnalysisOptions;
  /** Other files of the run, where they are not to be read as they are. */
  readonly instead?: Texts;
}

/** A run of that document for which plans are wanted. */
export interface PlanRequest extends AnalysisRequest {
  /** The run's name. */
  readonly run: string;
  readonly plan: PlanOptions;
  /** Samples of an optimizer step; null: as many as today. */
  readonly wanted: SampleRange | null;
}

/** A run of that document that is compared in many places. */
export interface CompareRequest extends AnalysisRequest {
  /** The run's name. */
  readonly run: string;
  readonly places: readonly Place[];
  readonly compare: CompareOptions;
}

/** Texts that stand for files, by core's path. */
export type Texts = Readonly<Record<string, string>>;

/** What becomes of a run of that document, were its files to say something else. */
export interface TrialRequest extends AnalysisRequest {
  /** The run's name. */
  readonly run: string;
  readonly trials: readonly Texts[];
}

/** An analysis as the editor keeps it: without syntax trees, which are large and of which it needs only two facts. */
export interface FileAnalysis {
  /** Its runs' sources have no documents and, but for `texts`, no text. */
  readonly analysis: Analysis;
  /** Where each run begins in the document; null when it is in other files only. */
  readonly anchors: readonly (Span | null)[];
  /** The other files of the runs as they were read, by path. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Each kind of work on a document: what is asked, and what comes of it. */
export interface Requests {
  readonly analyse: AnalysisRequest;
  readonly plan: PlanRequest;
  readonly compare: CompareRequest;
  readonly tryOut: TrialRequest;
}

export interface Results {
  readonly analyse: FileAnalysis;
  readonly plan: PlanSearch;
  /** In the order of the places; none once it was given up. */
  readonly compare: readonly ComparedPlace[];
  /** One for each trial; null where there is no such run any more. */
  readonly tryOut: readonly (RunOutcome | null)[];
}

export type Kind = keyof Requests;

/** The work itself, wherever it is done; `pause` gives other work of the thread its turn. */
export type Work = {
  readonly [K in Kind]: (
    request: Requests[K],
    world: World,
    pause: Pause,
    signal: Signal,
  ) => Promise<Results[K]>;
};

/** Has the work done: on this thread what is small, on another one what is large. */
export type Analyst = {
  readonly [K in Kind]: (request: Requests[K], signal: AbortSignal) => Promise<Results[K]>;
};

/** An analyst that has all work done in one way. */
export function analystBy(
  work: <K extends Kind>(kind: K, request: Requests[K], signal: AbortSignal) => Promise<Results[K]>,
): Analyst {
  return {
    analyse: (request, signal) => work('analyse', request, signal),
    plan: (request, signal) => work('plan', request, signal),
    compare: (request, signal) => work('compare', request, signal),
    tryOut: (request, signal) => work('tryOut', request, signal),
  };
}

/** Which run of a document to start. */
export interface LaunchRequest extends Pick<AnalysisRequest, 'file' | 'text'> {
  readonly run: string;
}
