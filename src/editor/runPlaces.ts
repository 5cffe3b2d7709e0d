import type { RunAnalysis } from '../core/rules/analysis';
import type { Location, Quantity } from '../core/spec/quantity';

/** A quantity of a run that a file states. */
export interface StatedQuantity {
  readonly name: string;
  readonly run: RunAnalysis;
  readonly at: Location;
}

/** Every quantity of the runs that stands in one file, by run and in the run's order. */
export function statedIn(file: string, runs: readonly RunAnalysis[]): StatedQuantity[] {
  return runs.flatMap(run => {
    const all: Readonly<Record<string, Quantity<unknown> | undefined>> = {
      ...run.run.quantities,
      ...run.run.details,
    };
    return Object.entries(all).flatMap(([name, quantity]) => {
      const origin = quantity?.origin;
      const stated = origin?.kind === 'file' || origin?.kind === 'referenced';
      return stated && origin.at.file === file ? [{ name, run, at: origin.at }] : [];
    });
  });
}

/** The run that needs the most memory; the first when none is known. */
export function neediest(runs: readonly RunAnalysis[]): RunAnalysis | null {
  const need = (run: RunAnalysis): number => run.estimate?.devices[0]?.device.expected ?? -1;
  return runs.reduce<RunAnalysis | null>((most, run) => (most && need(most) >= need(run) ? most : run), null);
}
