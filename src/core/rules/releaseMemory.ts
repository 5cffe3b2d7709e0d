import { estimateRun } from '../memory/estimateRun';
import { atRelease, withLibrary } from '../memory/frameworks/atRelease';
import { lacksSdpa, SDPA_SINCE } from '../memory/frameworks/behavior/attentionDefault';
import type { RunSpec } from '../spec/runSpec';
import { compareReleases, packageName, releaseOf } from '../spec/version';
import { formatBytes } from '../units';
import rows from './data/releaseMemory.json';
import type { Rule, RuleContext } from './rule';
import { said } from '../text/say';
import type { Template } from '../text/say';

/** A release that takes another amount of memory than the one before, as someone published it. */
interface ReleaseChange {
  readonly library: string;
  readonly since: string;
  /** The release that ended it; absent: it is still so. */
  readonly before?: string;
  /** The release that takes less, if the memory model has the difference. */
  readonly other?: string;
  /** Which runs it concerns; absent: all. */
  readonly families?: readonly string[];
  readonly kinds?: readonly string[];
  readonly tasks?: readonly string[];
  readonly windows?: boolean;
  readonly adapters?: boolean;
  readonly quantized?: boolean;
  readonly sharded?: boolean;
  readonly uncheckpointed?: boolean;
  /** The change, where its amount for a run is not known. */
  readonly says: Template;
  /** Why the other release takes less, next to the amount. */
  readonly because?: Template;
  readonly do: Template;
  /** The numbers of the source. */
  readonly published: string;
  readonly source: string;
}

export const releaseChanges = rows as readonly unknown[] as readonly ReleaseChange[];

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

/** A difference below this is not worth a sentence. */
const LEAST_BYTES = 100 * 2 ** 20;

/** What a server leaves for its cache, or what another run takes: bytes of the fullest device; null: unknown. */
function takenBy(run: RunSpec, { model, target, memory }: RuleContext): number | null {
  const result = estimateRun(run, model, target, { session: memory });
  const [device] = result.ok ? result.estimate.devices : [];
  return device ? (device.served?.cacheBytes ?? device.device.expected) : null;
}

/** “With vllm 0.17 this start has 3.4 GB more for the cache”; empty: unknown; null: that release is not better. */
function comparison(context: RuleContext, other: RunSpec, name: string): string | null {
  const [here, there] = [takenBy(context.run, context), takenBy(other, context)];
  if (here === null || there === null) return '';
  const isServer = context.estimate?.devices[0]?.served !== undefined;
  const gain = isServer ? there - here : here - there;
  if (gain < LEAST_BYTES) return null;
  return isServer
    ? context.say('With {0} this start has {1} more for the cache', name, formatBytes(gain))
    : context.say('With {0} this run needs {1} less', name, formatBytes(gain));
}

function messageOf(
  context: RuleContext,
  { library, other, says, because, do: advice }: ReleaseChange,
): string | null {
  const { run, say } = context;
  const [plain, what] = [said(say, says), said(say, advice)];
  if (other === undefined || because === undefined) return say('{0} {1}', plain, what);
  const there = atRelease(run, withLibrary(run.framework, library, other));
  const amount = comparison(context, there, `${library} ${other}`);
  if (amount === null) return null;
  return say('{0} {1}', amount === '' ? plain : say('{0}: {1}.', amount, said(say, because)), what);
}

/** Releases in which the model's class has only eager attention, and took it by itself. */
function attentionMessage(context: RuleContext): string | null {
  const { run, model, say } = context;
  const { attention } = run.quantities;
  const type = model?.modelType ?? '';
  const isOwn = attention.origin.kind === 'default' && attention.value === 'eager';
  if (!isOwn || !isStated(context, 'transformers') || !lacksSdpa(run.framework, type)) return null;
  const since = SDPA_SINCE[type] ?? '';
  const quantities = { ...run.quantities, attention: { ...attention, value: 'sdpa' } };
  const there = { ...run, quantities, framework: withLibrary(run.framework, 'transformers', since) };
  const amount = comparison(context, there, `transformers ${since}`);
  const own = releaseOf(run.framework, 'transformers');
  if (amount === null) return null;
  return amount === ''
    ? say(
        'transformers {0} has eager attention for {1}, which keeps all scores. Update to {2} or later.',
        own ?? '',
        type,
        since,
      )
    : say('{0}: no scores are kept. Update to {1} or later.', amount, since);
}

export const releaseMemory: Rule = {
  id: 'release-memory',
  severity: 'information',
  summary: 'The release that is pinned takes more or less memory than the one before or after it.',
  sources: [
    ...releaseChanges.map(
      ({ library, since, published, source }) => `${library} ${since}, ${source}: ${published}`,
    ),
    'transformers 4.36 to 5.0, models/*/modeling_*.py: _supports_sdpa, by family; the memory of both in docs/source/en/model_doc',
  ],
  check(context) {
    const changes = releaseChanges.filter(
      one => isStated(context, one.library) && isInRange(context, one) && concerns(context, one),
    );
    for (const change of changes) {
      const message = messageOf(context, change);
      if (message !== null) return [{ at: ['image', 'quantity:model'], message }];
    }
    const message = attentionMessage(context);
    return message === null ? [] : [{ at: ['image', 'quantity:model'], message }];
  },
};
