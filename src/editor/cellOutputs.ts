import {
  EventEmitter,
  l10n,
  NotebookCellStatusBarAlignment,
  NotebookCellStatusBarItem,
  notebooks,
  workspace,
} from 'vscode';
import type { NotebookCell, NotebookDocument } from 'vscode';
import { formatBytes } from '../core/units';
import type { RunAnalysis } from '../core/rules/analysis';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { lazily } from '../host/lazily';
import { notebookPage, placeOn, printedOn } from '../host/pages';
import type { Page } from '../host/pages';
import type { Analyzed, AnalysisEvent } from './analysisService';
import { runDigest } from './failures';
import type { Failures } from './failures';
import { neediest } from './findings';
import type { EditorServices } from './services';

/** A peak that a cell printed, as a command's argument. */
export interface PrintedPeak {
  readonly bytes: number;
  readonly metric: 'device' | 'reserved' | 'allocated';
}

const BEST_FIRST: readonly PrintedPeak['metric'][] = ['device', 'reserved', 'allocated'];

const outputs = lazily(async () => (await import('./outputsChunk')).outputs);

interface Services extends EditorServices {
  readonly failures: Failures;
}

/**
 * What cells printed: an out-of-memory error is explained at its run until the code changes, and a peak can be kept
 * as a measurement.
 */
export function registerCellOutputs({ analysis, failures, log }: Services): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new EventEmitter<void>());
  const explained = new WeakMap<Page, string>();
  const look = async (page: Page): Promise<void> => {
    const analyzed = analysis.lastEvent(page)?.analyzed;
    if (!analyzed) return;
    const known = explained.get(page);
    const last = await lastFailure(page);
    const key = last && `${last.cell.uri.fragment}\n${last.text}`;
    if ((known ?? null) === key) return;
    explained.set(page, key ?? '');
    const run = last && runIn(analyzed, last.cell.uri.toString());
    if (known) failures.drop(analyzed.file, null);
    if (!last || !run) return;
    const { file } = analyzed;
    failures.put({ file, run: run.run.name, digest: runDigest(analyzed, run.run), report: last.report });
  };
  const begin = (page: Page | null): void => {
    if (page === null) return;
    look(page).catch((error: unknown) => log.error('Reading the outputs of a notebook', error));
    changed.fire();
  };
  store.add(analysis.onDidAnalyze(({ document }: AnalysisEvent) => begin(document)));
  store.add(
    workspace.onDidChangeNotebookDocument(({ notebook, cellChanges }) => {
      if (cellChanges.some(one => one.outputs !== undefined)) begin(notebookPage(notebook));
    }),
  );
  store.add(
    notebooks.registerNotebookCellStatusBarItemProvider('jupyter-notebook', {
      onDidChangeCellStatusBarItems: changed.event,
      provideCellStatusBarItems: cell => measurable(cell, pageWith(cell.notebook, analysis.all())),
    }),
  );
  return store;
}

const pageWith = (notebook: NotebookDocument, all: readonly Analyzed[]): Analyzed | undefined =>
  all.find(({ document }) => document === notebookPage(notebook));

async function lastFailure(page: Page) {
  const printed = printedOn(page);
  if (printed.length === 0) return null;
  const { explainOom } = await outputs();
  const failed = printed.flatMap(one => {
    const report = explainOom(one.text);
    return report ? [{ ...one, report }] : [];
  });
  return failed.at(-1) ?? null;
}

/** The run that a cell starts, else the neediest. */
function runIn({ analysis, anchors, document }: Analyzed, cell: string): RunAnalysis | null {
  const runs = analysis.runs.flatMap((run, i) => {
    const anchor = anchors[i];
    return anchor && run.judged ? [{ run, anchor }] : [];
  });
  const own = runs.filter(({ anchor }) => placeOn(document, anchor).uri.toString() === cell);
  return own.at(-1)?.run ?? neediest(runs.map(({ run }) => run));
}

/** Offers the peak that a cell printed as a measurement of its run. */
async function measurable(
  { document, outputs: printed }: NotebookCell,
  analyzed: Analyzed | undefined,
): Promise<NotebookCellStatusBarItem[]> {
  if (!analyzed || printed.length === 0) return [];
  const text = printedOn(analyzed.document).find(({ cell }) => cell === document)?.text ?? '';
  const run = runIn(analyzed, document.uri.toString());
  if (text === '' || !run) return [];
  const { peaks } = (await outputs()).factsOfOutput(text);
  const metric = BEST_FIRST.find(one => peaks.some(peak => peak.metric === one));
  const peak = peaks.find(one => one.metric === metric);
  if (!metric || !peak) return [];
  const item = new NotebookCellStatusBarItem(
    `$(add) ${l10n.t('Keep {0} as a measurement', formatBytes(peak.bytes))}`,
    NotebookCellStatusBarAlignment.Left,
  );
  const argument: PrintedPeak = { bytes: peak.bytes, metric };
  item.tooltip = l10n.t('Correct the estimate of this run with the peak that this cell printed');
  item.command = {
    title: item.text,
    command: 'headroom.addMeasurement',
    arguments: [analyzed.uri.toString(), run.run.name, argument],
  };
  return [item];
}
