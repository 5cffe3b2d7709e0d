import type { RunAnalysis } from '../rules/analysis';
import type { Target } from '../hardware/gpu';
import type { MemorySession } from '../memory/session';
import type { Alternatives } from './modelSizes';
import type { RemedyContext, SampleRange } from './remedy';
import { english } from '../text/say';
import type { Say } from '../text/say';

interface Given {
  readonly target?: Target | null;
  readonly samplesPerGpu?: SampleRange | null;
  readonly alternatives?: Alternatives;
  readonly memory?: MemorySession | undefined;
  readonly say?: Say;
}

/** The context for plans of one run: the run, and the other runs of the same files. */
export function planContext(
  chosen: RunAnalysis,
  runs: readonly RunAnalysis[],
  given: Given = {},
): RemedyContext {
  const of = ({ run, model, target, estimate, lessons, data }: RunAnalysis): RemedyContext => ({
    run,
    model,
    target: target ?? given.target ?? null,
    estimate,
    samplesPerGpu: null,
    say: given.say ?? english,
    ...(data && { data }),
    memory: given.memory,
    ...(lessons && { lessons }),
    ...(given.alternatives && { alternatives: given.alternatives }),
  });
  const others = runs.filter(one => one !== chosen && sharesConfig(one, chosen)).map(of);
  const need = ({ estimate }: RemedyContext): number => estimate?.devices[0]?.device.expected ?? 0;
  return {
    ...of(chosen),
    samplesPerGpu: given.samplesPerGpu ?? null,
    ...(others.length > 0 && { others: others.toSorted((a, b) => need(b) - need(a)) }),
  };
}

/** True if the run has an estimate and shares its config with the other run. */
function sharesConfig(
  { run, judged, estimate, tentative }: RunAnalysis,
  { run: other }: RunAnalysis,
): boolean {
  const [own] = other.sources;
  const shares = run.sources.some(({ path, document }) => path === own?.path && document === own.document);
  return judged && estimate !== null && tentative === undefined && shares;
}
