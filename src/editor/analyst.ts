import type { Analysis, AnalysisOptions } from '../core/rules/analysis';
import type { CompareOptions } from '../core/plan/places/compare';
import type { ComparedPlace } from '../core/plan/places/fit';
import type { Place } from '../core/compare/place';
import type { RunOutcome } from '../core/plan/outcome';
import type { PlanOptions, PlanSearch } from '../core/plan/plan';
import type { SampleRange } from '../core/plan/remedy';
import type { LaunchOptions } from '../core/launch/runLaunch';
import type { LaunchResult } from '../core/launch/runLaunch';
import type { DialectDefinition } from '../core/dialects/defined/definition';
import type { suggestionsAt } from '../core/dialects/defined/complete';
import type { keysAt } from '../core/dialects/keyCompletion';
import type { KeyNote } from '../core/dialects/keyNotes';
import type { standingOf } from '../core/reading/standing';
import type { IgnoreScope } from '../core/rules/ignore';
import type { RunSpec } from '../core/spec/runSpec';
import type { TextEdit } from '../core/text/textEdit';
import type { Pause } from '../core/plan/walk';
import type { World } from '../core/analyse/world';
import type { Signal } from '../core/signal';
import type { Span } from '../core/text/span';

/** A document to analyze in its current state. */
export interface AnalysisRequest {
  /** Core's path of the document. */
  readonly file: string;
  readonly text: string;
  readonly options: AnalysisOptions;
  /** Texts that replace other files of the run. */
  readonly instead?: Texts;
}

/** A run of that document to find plans for. */
export interface PlanRequest extends AnalysisRequest {
  /** The run's name. */
  readonly run: string;
  readonly plan: PlanOptions;
  /** Samples per optimizer step; null: as many as now. */
  readonly wanted: SampleRange | null;
}

/** A run of that document to compare in many places. */
export interface CompareRequest extends AnalysisRequest {
  /** The run's name. */
  readonly run: string;
  readonly places: readonly Place[];
  readonly compare: CompareOptions;
}

/** Texts that replace files, by core's path. */
export type Texts = Readonly<Record<string, string>>;

/** How a run of that document would fare with other file contents. */
export interface TrialRequest extends AnalysisRequest {
  /** The run's name. */
  readonly run: string;
  readonly trials: readonly Texts[];
}

/**
 * An analysis as the editor keeps it: without syntax trees, which are large and of which it needs only two facts.
 */
export interface FileAnalysis {
  /** The sources of its runs have no documents and, except in `texts`, no text. */
  readonly analysis: Analysis;
  /** Where each run begins in the document; null if it is only in other files. */
  readonly anchors: readonly (Span | null)[];
  /** The other files of the runs, and dialects with errors, as they were read, by path. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Which run of a document to start, and how. */
export interface LaunchRequest extends Pick<AnalysisRequest, 'file' | 'text'> {
  readonly run: string;
  readonly launch: LaunchOptions;
}

/** A place in a text. */
interface TextAt {
  readonly text: string;
  readonly offset: number;
}

/** Each kind of work on what a stranger may have written: what is asked, and what comes of it. */
export interface Requests {
  readonly analyse: AnalysisRequest;
  readonly plan: PlanRequest;
  readonly compare: CompareRequest;
  readonly tryOut: TrialRequest;
  readonly launch: LaunchRequest;
  readonly standing: { readonly text: string; readonly file: string };
  readonly similarModels: { readonly model: string };
  readonly describesModel: { readonly text: string };
  readonly keyNote: TextAt & { readonly dialect: string | DialectDefinition };
  readonly keys: TextAt & { readonly run: RunSpec };
  readonly definitionNote: TextAt;
  readonly suggestions: TextAt;
  readonly ignore: {
    readonly file: { readonly path: string; readonly text: string };
    readonly wanted: readonly { readonly rule: string; readonly line: number; readonly scope: IgnoreScope }[];
  };
}

export interface Results {
  readonly analyse: FileAnalysis;
  readonly plan: PlanSearch;
  /** In the order of the places; empty after cancellation. */
  readonly compare: readonly ComparedPlace[];
  /** One per trial; null if the run no longer exists. */
  readonly tryOut: readonly (RunOutcome | null)[];
  readonly launch: LaunchResult;
  readonly standing: Standing;
  readonly similarModels: readonly SimilarModel[];
  readonly describesModel: boolean;
  readonly keyNote: KeyNote | null;
  readonly keys: ReturnType<typeof keysAt>;
  readonly definitionNote: KeyNote | null;
  readonly suggestions: ReturnType<typeof suggestionsAt>;
  /** In the order of what was wanted; null where no comment can stand. */
  readonly ignore: readonly (TextEdit | null)[];
}

type Standing = Awaited<ReturnType<typeof standingOf>>;

type SimilarModel = Awaited<ReturnType<NonNullable<World['models']['similar']>>>[number];

export type Kind = keyof Requests;

/** The work itself; `pause` gives other work its turn. */
export type Work = {
  readonly [K in Kind]: (
    request: Requests[K],
    world: World,
    pause: Pause,
    signal: Signal,
  ) => Promise<Results[K]>;
};

/** Has the work done, away from VS Code's own thread. */
export type Analyst = <K extends Kind>(
  kind: K,
  request: Requests[K],
  signal?: AbortSignal,
) => Promise<Results[K]>;

/** The editor looks at the keys of so much text by itself; whether more than that is ours is part of the work. */
export const MOST_SCANNED = 256 * 1024;
