import type { RunSpec } from '../core/spec/runSpec';
import type { Follow, FollowOptions } from './follow';
import type { DryRunDtype } from './request';

/** The user's own code: a function that returns the model, batches, the loss and the optimizer (docs/profile.md). */
export interface Entry {
  /** `module:function` */
  readonly entry: string;
  /** The folder with the module. */
  readonly folder: string;
  /** The function's argument: the config's own keys. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Rows per batch if the config does not set them; null: not given. */
  readonly rows: number | null;
}

const ENTRY = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*$/;

/** The model's numbers come from its code; the run contributes only the rows and autocast. */
export function entryRequest(
  { quantities }: RunSpec,
  { entry, folder, settings, rows }: Entry,
  { cacheFolder }: FollowOptions,
): Follow {
  if (!ENTRY.test(entry)) return { ok: false, why: [`--entry ${entry}: write it as module:function`] };
  const batch = rows ?? quantities.microBatchSize.value;
  if (batch === null) return { ok: false, why: ['the micro-batch size is missing; set it with --batch'] };
  const request = {
    protocol: 1,
    task: 'dry run',
    cacheFolder,
    model: { kind: 'entry', entry, folder, settings },
    head: 'own',
    training: true,
    rows: batch,
    tokens: null,
    targets: null,
    padded: false,
    image: null,
    weights: 'fp32',
    autocast: autocastOf(quantities.precision.value),
    widensOutputs: false,
    quantization: null,
    upcast: 'none',
    adapters: null,
    checkpointing: 'none',
    attention: 'sdpa',
    optimizer: 'own',
    accumulates: (quantities.gradAccum.value ?? 1) > 1,
    layers: 'all',
    useCache: null,
    logitsToKeep: null,
  } as const;
  return { ok: true, request, notes: ['model and training step: your own code'], added: null };
}

/** Trainers run this code under autocast if the precision is mixed; `bf16-true` is left to the code. */
function autocastOf(precision: string | null): DryRunDtype | null {
  const [dtype = '', how = 'mixed'] = (precision ?? '').split('-');
  return how === 'mixed' && (dtype === 'bf16' || dtype === 'fp16') ? dtype : null;
}
