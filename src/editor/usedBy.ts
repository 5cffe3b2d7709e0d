import type { TextDocument } from 'vscode';
import type { RunAnalysis } from '../core/rules/analysis';
import { pathOf } from '../host/uris';
import type { Analysed, AnalysisService } from './analysisService';

/** A run of another open document that rests on this one: what a job script starts, who takes this DeepSpeed file. */
export interface Use {
  readonly by: Analysed;
  readonly run: RunAnalysis;
}

/** Runs of other open documents that take values from a document, but for those that the document itself leads to. */
export function usesOf(analysis: AnalysisService, document: TextDocument): readonly Use[] {
  const path = pathOf(document.uri);
  const all = analysis.all();
  const own = all.find(one => one.document === document)?.analysis.runs ?? [];
  const led = new Set(own.flatMap(({ run }) => run.sources.map(source => source.path)));
  return all
    .filter(by => by.document !== document && !led.has(by.file))
    .flatMap(by =>
      by.analysis.runs
        .filter(({ judged, run }) => judged && run.sources.some(source => source.path === path))
        .map(run => ({ by, run })),
    );
}
