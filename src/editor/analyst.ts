import type { Analysis, AnalysisOptions } from '../core/rules/analysis';
import type { CompareOptions } from '../core/plan/places/compare';
import type { ComparedPlace } from '../core/plan/places/fit';
import type { Place } from '../core/compare/place';
import type { RunOutcome } from '../core/plan/outcome';
import type { PlanOptions, PlanSearch } from '../core/plan/plan';
import type { SampleRange } from '../core/plan/remedy';
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

/** Whoever does the work: this thread for what is small, another one for what is large. */
export interface Analyst {
  analyse(request: AnalysisRequest, signal: AbortSignal): Promise<FileAnalysis>;
  plan(request: PlanRequest, signal: AbortSignal): Promise<PlanSearch>;
  /** In the order of the places; none once it was given up. */
  compare(request: CompareRequest, signal: AbortSignal): Promise<readonly ComparedPlace[]>;
  /** One a trial; null where there is no such run any more. */
  tryOut(request: TrialRequest, signal: AbortSignal): Promise<readonly (RunOutcome | null)[]>;
}

/** Which run of a document is to be started. */
export interface LaunchRequest extends Pick<AnalysisRequest, 'file' | 'text'> {
  readonly run: string;
}
