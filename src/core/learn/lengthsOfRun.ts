import type { LengthFiles } from './lookups';
import { datasetsOf } from '../dialects/datasetsOf';
import type { Target } from '../hardware/gpu';
import type { EstimateResult } from '../memory/estimate';
import type { MemorySession } from '../memory/session';
import type { ModelFacts } from '../models/model';
import type { RunSpec } from '../spec/runSpec';
import { dataLengths } from './dataLengths';
import type { DataLengths } from './dataLengths';
import { lengthsKey } from '../spec/dataset';

/** The counted lengths of a run's data, from files around its config; null: not counted. */
export async function lengthsOfRun(
  run: RunSpec,
  facts: { readonly model: ModelFacts | null; readonly target: Target | null },
  world: { readonly lengths?: LengthFiles; readonly memory?: MemorySession | undefined },
  dependencies: Set<string>,
): Promise<DataLengths | null> {
  if (!world.lengths) return null;
  const { counted, dependencies: paths } = await world.lengths.near(run.sources[0]?.path ?? '');
  for (const path of paths) dependencies.add(path);
  if (counted.length === 0) return null;
  const datasets = datasetsOf(run);
  const key = lengthsKey(datasets, run.quantities.model.value);
  const found = datasets.length === 0 ? undefined : counted.findLast(({ record }) => record.key === key);
  return found ? dataLengths(run, { ...facts, memory: world.memory }, found) : null;
}

/** Without a row limit, the data decide the estimate, unless some rows were not read. */
export function estimateByData(data: DataLengths | null, computed: EstimateResult): EstimateResult {
  if (!data?.estimate || data.limit !== null || data.longest === null || !data.record.scanned) {
    return computed;
  }
  const { record, longest, estimate } = data;
  const assumed = `rows of ${longest} tokens, the longest of the data (counted on ${record.at.slice(0, 10)})`;
  return { ok: true, estimate: { ...estimate, assumptions: [...estimate.assumptions, assumed] } };
}
