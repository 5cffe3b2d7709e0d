import type { RunAnalysis } from '../core/rules/analysis';
import type { Finding } from '../core/rules/rule';
import type { Location, Quantity } from '../core/spec/quantity';
import type { FileAnalysis } from './analyst';

/** A finding and the run it is about; null for one about the file itself. */
export interface RunFinding {
  readonly finding: Finding;
  readonly run: RunAnalysis | null;
}

/** All findings of an analysis. Findings that several runs share are reported once, for the first run. */
export function findingsOf({ analysis }: FileAnalysis): RunFinding[] {
  const all: RunFinding[] = [
    ...[...analysis.findings, ...(analysis.nearby ?? [])].map(finding => ({ finding, run: null })),
    ...analysis.runs.flatMap(run => run.findings.map(finding => ({ finding, run }))),
  ];
  const seen = new Set<string>();
  return all.filter(({ finding }) => {
    const key = [finding.file, finding.rule, finding.span.start, finding.message].join('\n');
    return !seen.has(key) && seen.add(key);
  });
}

/** All findings by the file they are in. */
export function findingsByFile(analyzed: FileAnalysis): ReadonlyMap<string, readonly RunFinding[]> {
  const byFile = new Map<string, RunFinding[]>();
  for (const one of findingsOf(analyzed)) {
    const group = byFile.get(one.finding.file);
    if (group) group.push(one);
    else byFile.set(one.finding.file, [one]);
  }
  return byFile;
}

/** A quantity of a run that a file states. */
export interface StatedQuantity {
  readonly name: string;
  readonly run: RunAnalysis;
  readonly at: Location;
  /** The value as text; '' for one of several parts. */
  readonly value: string;
}

/** Every quantity of the runs that one file states, by run and in the run's order. */
export function statedIn(file: string, runs: readonly RunAnalysis[]): StatedQuantity[] {
  return runs.flatMap(run => {
    const all: Readonly<Record<string, Quantity<unknown> | undefined>> = {
      ...run.run.quantities,
      ...run.run.details,
    };
    return Object.entries(all).flatMap(([name, quantity]) => {
      const origin = quantity?.origin;
      const stated = origin?.kind === 'file' || origin?.kind === 'referenced';
      return stated && origin.at.file === file
        ? [{ name, run, at: origin.at, value: textOf(quantity?.value) }]
        : [];
    });
  });
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** The run that needs the most memory; the first if none is known. */
export function neediest(runs: readonly RunAnalysis[]): RunAnalysis | null {
  const need = (run: RunAnalysis): number => run.estimate?.devices[0]?.device.expected ?? -1;
  return runs.reduce<RunAnalysis | null>((most, run) => (most && need(most) >= need(run) ? most : run), null);
}
