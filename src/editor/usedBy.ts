import type { TextDocument } from 'vscode';
import type { RunAnalysis } from '../core/analysis';
import { pathOf } from '../host/uris';
import type { Analysed, AnalysisService } from './analysisService';

/** A run of another open document that rests on this one: what a job script starts, who takes this DeepSpeed file. */
export interface Use {
  readonly by: Analysed;
  readonly run: RunAnalysis;
}

/** Runs of other open documents that take values from a document. */
export function usesOf(analysis: AnalysisService, document: TextDocument): readonly Use[] {
  const path = pathOf(document.uri);
  return analysis
    .all()
    .filter(by => by.document !== document)
    .flatMap(by =>
      by.analysis.runs
        .filter(({ judged, run }) => judged && run.sources.some(source => source.path === path))
        .map(run => ({ by, run })),
    );
}
