import { editsFor } from '../dialects/write';
import { servedEffect } from '../memory/serving/words';
import { formatDelta } from '../units';
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
    title: editsTitle(written.edits),
    effect: effectText(context, effect, price, sharedFiles(context.run, written.edits)),
    savedBytes: effect.deltaBytes === null ? null : -effect.deltaBytes,
    after: effect.estimate?.devices[0] ?? null,
    price,
    changes,
    edits: written.edits,
  };
  return { ok: true, remedy, effect };
}

/** Changed files that other configs may also include. */
export function sharedFiles({ sources }: RunSpec, edits: readonly KeyEdit[]): readonly string[] {
  const isShared = (file: string): boolean =>
    sources.some(({ path, via }) => path === file && via.kind === 'beneath' && via.mount === '');
  const files = new Set(edits.map(({ file }) => file).filter(isShared));
  return [...files].map(file => `changes ${basename(file)}, which other configs may also use`);
}

/** `micro_batch_size 4 → 2, gradient_accumulation_steps 4 → 8`; a new key shows its new value. */
export function editsTitle(edits: readonly KeyEdit[]): string {
  return edits
    .map(({ path, from, to }) => (from === null ? `${path}: ${to} (new)` : `${path} ${from} → ${to}`))
    .join(', ');
}

/** `−6.1 GB, effective batch 64 unchanged, slightly slower (more steps)`. */
export function effectText(
  context: RemedyContext,
  effect: Effect,
  price: Price,
  shared: readonly string[] = [],
): string {
  const parts = [effect.deltaBytes === null ? 'effect on memory unknown' : formatDelta(effect.deltaBytes)];
  const served = servedEffect(context.estimate?.devices[0]?.served, effect.estimate?.devices[0]?.served);
  if (served) parts.push(served);
  const batch = batchText(context, effect.run);
  if (batch) parts.push(batch);
  if (price.speed) parts.push(price.speed);
  if (price.requires) parts.push(price.requires);
  if (price.quality) parts.push(price.quality);
  parts.push(...shared);
  return parts.join(', ');
}

/** For configs that only state the batch over all GPUs. */
function wholeText({ quantities: { effectiveBatch: was } }: RunSpec, after: RunSpec): string | null {
  const { value } = after.quantities.effectiveBatch;
  return was.value === null || value === null || was.value === value
    ? null
    : `effective batch ${was.value} → ${value}`;
}

/** The change of the effective batch size, whenever a batch setting changes. */
function batchText({ run, target, since = { run, target } }: RemedyContext, after: RunSpec): string | null {
  const { run: before } = since;
  const was = perDevice(before);
  const is = perDevice(after);
  if (was === null || is === null) return wholeText(before, after);
  const settingsSame =
    before.quantities.microBatchSize.value === after.quantities.microBatchSize.value &&
    before.quantities.gradAccum.value === after.quantities.gradAccum.value;
  // If the launcher decides, the target's GPUs count, as in the inlay hint.
  const copies = replicas(run, target);
  const copiesBefore = replicas(before, since.target);
  if (settingsSame && copies === copiesBefore) return null;
  if (!Number.isInteger(copies) || !Number.isInteger(copiesBefore)) {
    return `${was} samples per GPU and step${was === is ? ' unchanged' : ` → ${is}`}`;
  }
  const from = before.quantities.effectiveBatch.value ?? was * copiesBefore;
  const to = after.quantities.effectiveBatch.value ?? is * copies;
  return `effective batch ${from}${from === to ? ' unchanged' : ` → ${to}`}`;
}
