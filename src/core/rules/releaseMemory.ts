import { compareReleases, packageName, releaseOf } from '../spec/version';
import rows from './data/releaseMemory.json';
import type { Rule, RuleContext } from './rule';

/** A release that takes another amount of memory than the one before, as someone published it. */
interface ReleaseChange {
  readonly library: string;
  readonly since: string;
  /** The release that ended it; absent: it is still so. */
  readonly before?: string;
  /** Which runs it concerns; absent: all. */
  readonly families?: readonly string[];
  readonly kinds?: readonly string[];
  readonly tasks?: readonly string[];
  readonly windows?: boolean;
  readonly adapters?: boolean;
  readonly quantized?: boolean;
  readonly sharded?: boolean;
  readonly uncheckpointed?: boolean;
  readonly says: string;
  readonly do: string;
  /** The numbers of the source. */
  readonly published: string;
  readonly source: string;
}

export const releaseChanges: readonly ReleaseChange[] = rows;

/** True if a file, an image or a command states the library's release. */
function isStated({ run }: RuleContext, library: string): boolean {
  const { framework } = run;
  if (packageName(framework.name) === library) return framework.stated === true;
  return framework.around?.includes(library) === true;
}

function isInRange({ run }: RuleContext, { library, since, before }: ReleaseChange): boolean {
  const release = releaseOf(run.framework, library);
  if (release === null || compareReleases(release, since) < 0) return false;
  return before === undefined || compareReleases(release, before) < 0;
}

function concerns({ run, model }: RuleContext, change: ReleaseChange): boolean {
  const { task, lora, fsdp, gradientCheckpointing, quantization } = run.quantities;
  const isAmong = (wanted: readonly string[] | undefined, value: string | null | undefined): boolean =>
    wanted === undefined || (value !== null && value !== undefined && wanted.includes(value));
  const traits = [
    [change.windows, (model?.slidingWindow ?? null) !== null],
    [change.adapters, lora.value !== null],
    [change.quantized, quantization.value !== null],
    [change.sharded, fsdp.value !== null],
    [change.uncheckpointed, gradientCheckpointing.origin.kind === 'default'],
  ] as const;
  return (
    isAmong(change.families, model?.modelType) &&
    isAmong(change.kinds, model?.kind) &&
    isAmong(change.tasks, task.value) &&
    traits.every(([isWanted, isSo]) => isWanted !== true || isSo)
  );
}

export const releaseMemory: Rule = {
  id: 'release-memory',
  severity: 'information',
  summary: 'The release that is pinned takes more or less memory than the one before or after it.',
  sources: releaseChanges.map(
    ({ library, since, published, source }) => `${library} ${since}, ${source}: ${published}`,
  ),
  check(context) {
    const change = releaseChanges.find(
      one => isStated(context, one.library) && isInRange(context, one) && concerns(context, one),
    );
    return change ? [{ at: ['image', 'quantity:model'], message: `${change.says} ${change.do}` }] : [];
  },
};
