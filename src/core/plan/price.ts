import { editsFor } from '../dialects/write';
import { servedEffect } from '../memory/serving/words';
import { commas } from '../text/lists';
import type { Say } from '../text/say';
import { deltaText } from './deltaText';
import type { RunSpec } from '../spec/runSpec';
import { basename } from '../text/paths';
import { perDevice, replicas } from './batch';
import { effectOf, effectOn } from './effect';
import type { Effect } from './effect';
import type { KeyEdit } from '../yaml/keyEdit';
import type { Price, PricedRemedy } from '../rules/remedy';
import type { RemedyContext, RemedyOption } from './remedy';

/** An option as a remedy to show and apply, or why these files cannot express it. */
export type Priced =
  | { readonly ok: true; readonly remedy: PricedRemedy; readonly effect: Effect }
  | { readonly ok: false; readonly why: string };

export function priceChanges(
  context: RemedyContext,
  id: string,
  { changes, price }: RemedyOption,
  outcome: RunSpec | null = null,
): Priced {
  const written = editsFor(context.run, changes);
  if (!written.ok) return written;
  const effect = outcome ? effectOn(context, outcome) : effectOf(context, changes);
  const remedy: PricedRemedy = {
    id,
    title: editsTitle(context.say, written.edits),
    effect: effectText(context, effect, price, sharedFiles(context, written.edits)),
    savedBytes: effect.deltaBytes === null ? null : -effect.deltaBytes,
    ...batchMark(context, effect),
    after: effect.estimate?.devices[0] ?? null,
    price,
    changes,
    edits: written.edits,
  };
  return { ok: true, remedy, effect };
}

/** Changed files that other configs may also include. */
export function sharedFiles(
  { run: { sources }, say }: RemedyContext,
  edits: readonly KeyEdit[],
): readonly string[] {
  const isShared = (file: string): boolean =>
    sources.some(({ path, via }) => path === file && via.kind === 'beneath' && via.mount === '');
  const files = new Set(edits.map(({ file }) => file).filter(isShared));
  return [...files].map(file => say('changes {0}, which other configs may also use', basename(file)));
}

/** `micro_batch_size 4 → 2, gradient_accumulation_steps 4 → 8`; a new key shows its new value. */
export function editsTitle(say: Say, edits: readonly KeyEdit[]): string {
  return commas(
    say,
    edits.map(({ path, from, to }) =>
      from === null ? say('{0}: {1} (new)', path, to) : `${path} ${from} → ${to}`,
    ),
  );
}

/** `−6.1 GB, effective batch 64 unchanged, slightly slower (more steps)`. */
export function effectText(
  context: RemedyContext,
  effect: Effect,
  price: Price,
  shared: readonly string[] = [],
): string {
  const { say } = context;
  const parts = [
    effect.deltaBytes === null ? say('effect on memory unknown') : deltaText(say, effect.deltaBytes),
  ];
  const served = servedEffect(say, context.estimate?.devices[0]?.served, effect.estimate?.devices[0]?.served);
  if (served) parts.push(served);
  const batch = batchText(context, effect.run);
  if (batch) parts.push(batch);
  if (price.speed) parts.push(price.speed);
  if (price.requires) parts.push(price.requires);
  if (price.quality) parts.push(price.quality);
  parts.push(...shared);
  return commas(say, parts);
}

interface BatchChange {
  /** Samples of one GPU: how many GPUs see different samples is not known. */
  readonly isPerGpu: boolean;
  readonly from: number;
  readonly to: number;
}

/** For configs that only state the batch over all GPUs. */
function wholeChange({ quantities: { effectiveBatch: was } }: RunSpec, after: RunSpec): BatchChange | null {
  const { value } = after.quantities.effectiveBatch;
  return was.value === null || value === null || was.value === value
    ? null
    : { isPerGpu: false, from: was.value, to: value };
}

/** The change of the effective batch size, whenever a batch setting changes. */
function batchChange(
  { run, target, since = { run, target } }: RemedyContext,
  after: RunSpec,
): BatchChange | null {
  const { run: before } = since;
  const was = perDevice(before);
  const is = perDevice(after);
  if (was === null || is === null) return wholeChange(before, after);
  const settingsSame =
    before.quantities.microBatchSize.value === after.quantities.microBatchSize.value &&
    before.quantities.gradAccum.value === after.quantities.gradAccum.value;
  // If the launcher decides, the target's GPUs count, as in the inlay hint.
  const copies = replicas(run, target);
  const copiesBefore = replicas(before, since.target);
  if (settingsSame && copies === copiesBefore) return null;
  if (!Number.isInteger(copies) || !Number.isInteger(copiesBefore)) {
    return { isPerGpu: true, from: was, to: is };
  }
  return {
    isPerGpu: false,
    from: before.quantities.effectiveBatch.value ?? was * copiesBefore,
    to: after.quantities.effectiveBatch.value ?? is * copies,
  };
}

function batchText(context: RemedyContext, after: RunSpec): string | null {
  const { say } = context;
  const change = batchChange(context, after);
  if (change === null) return null;
  const { isPerGpu, from, to } = change;
  if (isPerGpu) {
    return from === to
      ? say('{0} samples per GPU and step unchanged', from)
      : say('{0} samples per GPU and step → {1}', from, to);
  }
  return from === to
    ? say('effective batch {0} unchanged', from)
    : say('effective batch {0} → {1}', from, to);
}

/** Whether the effective batch size becomes another one. */
export function batchMark(context: RemedyContext, { run }: Effect): Pick<PricedRemedy, 'changesBatch'> {
  const change = batchChange(context, run);
  return change && !change.isPerGpu && change.from !== change.to ? { changesBatch: true } : {};
}
