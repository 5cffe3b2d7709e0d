import type { RunAnalysis } from '../rules/analysis';
import type { Target } from '../hardware/gpu';
import type { MemorySession } from '../memory/session';
import type { Alternatives } from './modelSizes';
import type { RemedyContext, SampleRange } from './remedy';

interface Given {
  readonly target?: Target | null;
  readonly samplesPerGpu?: SampleRange | null;
  readonly alternatives?: Alternatives;
  readonly memory?: MemorySession | undefined;
}

/** What a plan for one run of a config is looked for in: the run, and the others that the same files make. */
export function planContext(
  chosen: RunAnalysis,
  runs: readonly RunAnalysis[],
  given: Given = {},
): RemedyContext {
  const of = ({ run, model, target, estimate, lessons }: RunAnalysis): RemedyContext => ({
    run,
    model,
    target: target ?? given.target ?? null,
    estimate,
    samplesPerGpu: null,
    memory: given.memory,
    ...(lessons && { lessons }),
    ...(given.alternatives && { alternatives: given.alternatives }),
  });
  const others = runs.filter(one => one !== chosen && isBeside(one, chosen)).map(of);
  const need = ({ estimate }: RemedyContext): number => estimate?.devices[0]?.device.expected ?? 0;
  return {
    ...of(chosen),
    samplesPerGpu: given.samplesPerGpu ?? null,
    ...(others.length > 0 && { others: others.toSorted((a, b) => need(b) - need(a)) }),
  };
}

/** It is judged by an estimate, and rests on the config that the other rests on. */
function isBeside({ run, judged, estimate, tentative }: RunAnalysis, { run: other }: RunAnalysis): boolean {
  const [own] = other.sources;
  const shares = run.sources.some(({ path, document }) => path === own?.path && document === own.document);
  return judged && estimate !== null && tentative === undefined && shares;
}
