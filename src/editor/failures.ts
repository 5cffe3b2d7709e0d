import { EventEmitter } from 'vscode';
import type { Event, Uri } from 'vscode';
import type { Analysis, RunFailure } from '../core/rules/analysis';
import type { RunSpec } from '../core/spec/runSpec';
import { digestOf } from '../host/digest';
import type { Disposable } from '../host/disposables';
import { activePage } from '../host/pages';
import { pathOf } from '../host/uris';
import type { FileAnalysis } from './analyst';
import type { LocatedAnalysis } from './places';

/** A job of a config that ran out of memory. */
interface ConfigFailure extends RunFailure {
  readonly file: string;
  /** Of the config at the job's start. */
  readonly digest: string;
}

/** The rule that reports them. */
export const FAILURE_RULE = 'ran-out-of-memory';

/**
 * How the last jobs of configs failed. Each failure is valid until its config changes; the analysis takes it as a
 * fact and makes a finding with remedies of it.
 */
export class Failures implements Disposable {
  private readonly emitter = new EventEmitter<string>();
  private readonly known = new Map<string, ConfigFailure>();

  /** Fires with the files whose failures changed. */
  readonly onDidChange: Event<string> = this.emitter.event;

  put(failure: ConfigFailure): void {
    this.known.set(keyOf(failure), failure);
    this.emitter.fire(failure.file);
  }

  /** Called when the run has succeeded since, or the user dismisses the failure; null: all runs. */
  drop(file: string, run: string | null): void {
    const gone = [...this.known].filter(([, one]) => one.file === file && (run === null || one.run === run));
    for (const [key] of gone) this.known.delete(key);
    if (gone.length > 0) this.emitter.fire(file);
  }

  any(): boolean {
    return this.known.size > 0;
  }

  of(file: string): readonly RunFailure[] {
    return [...this.known.values()].filter(one => one.file === file);
  }

  /** An analysis without failures from before the config changed. */
  stillTrue(
    analyzed: Pick<LocatedAnalysis, 'file' | 'text' | 'texts' | 'analysis'>,
  ): FileAnalysis['analysis'] {
    const { file, analysis } = analyzed;
    const old = new Set(
      [...this.known.values()].filter(one => one.file === file && !isOf(one, analyzed)).map(({ run }) => run),
    );
    return old.size === 0 ? analysis : withoutFailures(analysis, old);
  }

  dispose(): void {
    this.emitter.dispose();
  }
}

const keyOf = ({ file, run }: ConfigFailure): string => `${file}\n${run}`;

function isOf(
  { run, digest }: ConfigFailure,
  analyzed: Pick<LocatedAnalysis, 'file' | 'text' | 'texts' | 'analysis'>,
): boolean {
  const found = analyzed.analysis.runs.find(one => one.run.name === run);
  return found !== undefined && runDigest(analyzed, found.run) === digest;
}

function withoutFailures(analysis: Analysis, runs: ReadonlySet<string>): Analysis {
  return {
    ...analysis,
    runs: analysis.runs.map(one =>
      runs.has(one.run.name)
        ? { ...one, findings: one.findings.filter(({ rule }) => rule !== FAILURE_RULE) }
        : one,
    ),
  };
}

/**
 * A fingerprint of a run's files as they were analyzed: the same as in the record of its job, however it was
 * started.
 */
export function runDigest(
  { file, text, texts }: Pick<LocatedAnalysis, 'file' | 'text' | 'texts'>,
  { sources }: RunSpec,
): string {
  const textOf = (path: string): string => (path === file ? text : (texts[path] ?? ''));
  return digestOf(sources.map(({ path }) => `${textOf(path)}\0`).join(''));
}

/** *Dismiss Job Failure*: of one run of a file, or of all runs of the active file. */
export function dismissFailure(failures: Failures, file: Uri | null, run: unknown): void {
  const uri = file ?? activePage()?.uri;
  if (uri) failures.drop(pathOf(uri), typeof run === 'string' ? run : null);
}
