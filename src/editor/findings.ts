import type { RunAnalysis } from '../core/rules/analysis';
import type { Finding } from '../core/rules/rule';
import type { FileAnalysis } from './analyst';

/** A finding and the run it is about; null for one about the file itself. */
export interface RunFinding {
  readonly finding: Finding;
  readonly run: RunAnalysis | null;
}

/** All findings of an analysis. What several runs have in common is reported once, for the first of them. */
export function findingsOf({ analysis }: FileAnalysis): RunFinding[] {
  const all: RunFinding[] = [
    ...analysis.findings.map(finding => ({ finding, run: null })),
    ...analysis.runs.flatMap(run => run.findings.map(finding => ({ finding, run }))),
  ];
  const seen = new Set<string>();
  return all.filter(({ finding }) => {
    const key = [finding.file, finding.rule, finding.span.start, finding.message].join('\n');
    return !seen.has(key) && seen.add(key);
  });
}

/** All findings by the file they are in. */
export function findingsByFile(analysed: FileAnalysis): ReadonlyMap<string, readonly RunFinding[]> {
  const byFile = new Map<string, RunFinding[]>();
  for (const one of findingsOf(analysed)) {
    const there = byFile.get(one.finding.file);
    if (there) there.push(one);
    else byFile.set(one.finding.file, [one]);
  }
  return byFile;
}
