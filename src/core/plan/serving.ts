import { dialectOfRun } from '../dialects/find';
import type { RunSpec } from '../spec/runSpec';
import type { PlanOptions } from './plan';

/** An engine serves it that takes a share of the GPU and fills it with keys and values. */
export const isServed = (run: RunSpec): boolean =>
  run.quantities.task.value === 'infer' && dialectOfRun(run).detailKeys?.memoryShare !== undefined;

/** What of the usable memory a plan may take: an engine's own share is its margin. */
export const marginOf = (run: RunSpec, { margin }: Pick<PlanOptions, 'margin'>): number =>
  isServed(run) ? 1 : margin;
