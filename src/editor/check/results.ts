import { EventEmitter } from 'vscode';
import type { Event, Uri } from 'vscode';
import type { Verdict } from '../../core/memory/estimate';
import type { ShortAnswer } from '../../core/render/statusBar';
import { setContextKey } from '../../host/commands';
import { Disposing } from '../../host/disposables';
import { rangeIn } from '../../host/documents';
import type { LocatedAnalysis } from '../places';
import type { Core } from '../loading';

/** The result of one run of a checked file. */
export interface CheckedRun {
  readonly name: string;
  readonly verdict: Verdict;
  readonly answer: ShortAnswer;
  /** The line of its first key, from 0. */
  readonly line: number;
}

/** A checked file with its runs that have a verdict. */
export interface CheckedFile {
  readonly uri: Uri;
  readonly runs: readonly CheckedRun[];
  /** Core's paths of all files that the results depend on. */
  readonly restsOn: ReadonlySet<string>;
}

/** Worst first; a file is marked by its worst verdict. */
export const VERDICTS: readonly Verdict[] = ['exceeds', 'tight', 'fits', 'unknown'];

/** The valid results of *Check Workspace*. */
export class CheckResults extends Disposing {
  private readonly emitter = this.store.add(new EventEmitter<Uri[]>());
  private readonly files = new Map<string, CheckedFile>();
  /** Fires with the files whose results were added, changed or removed. */
  readonly onDidChange: Event<Uri[]> = this.emitter.event;

  all(): readonly CheckedFile[] {
    return [...this.files.values()];
  }

  of(uri: Uri): CheckedFile | null {
    return this.files.get(uri.toString()) ?? null;
  }

  set(files: readonly CheckedFile[]): void {
    for (const file of files) this.files.set(file.uri.toString(), file);
    this.changed(files.map(({ uri }) => uri));
  }

  /** Removes results that depend on a file. */
  forget(path: string): void {
    const stale = this.all().filter(({ restsOn }) => restsOn.has(path));
    for (const { uri } of stale) this.files.delete(uri.toString());
    this.changed(stale.map(({ uri }) => uri));
  }

  clear(): void {
    const uris = this.all().map(({ uri }) => uri);
    this.files.clear();
    this.changed(uris);
  }

  private changed(uris: Uri[]): void {
    if (uris.length === 0) return;
    setContextKey('headroom.hasResults', this.files.size > 0);
    this.emitter.fire(uris);
  }
}

/** The part of an analysis that is kept. A generic reading has no verdict. */
export function checkedFile(
  core: Core,
  { uri, file, text, anchors, analysis }: LocatedAnalysis,
): CheckedFile {
  const runs = analysis.runs.flatMap((run, i) => {
    if (!run.judged) return [];
    const span = anchors[i] ?? { start: 0, end: 0 };
    const verdict = run.tentative ? 'unknown' : run.verdict;
    const { line } = rangeIn(text, { start: span.start, end: span.start }).start;
    return [{ name: run.run.name, verdict, answer: core.shortAnswer(run), line }];
  });
  return { uri, runs, restsOn: new Set([file, ...analysis.dependencies]) };
}

/** The worst verdict of a file's runs; null if there is none. */
export const worstOf = ({ runs }: CheckedFile): Verdict | null =>
  VERDICTS.find(verdict => runs.some(run => run.verdict === verdict)) ?? null;
