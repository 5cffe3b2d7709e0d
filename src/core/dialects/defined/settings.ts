import type { RowKind } from './rows';
import { ownOf } from '../../yaml/tables';

interface Settings {
  /** Values of fields that the file leaves out. */
  readonly base: Readonly<Record<string, unknown>>;
  /** The kind of each field. */
  readonly kinds: Readonly<Record<string, RowKind>>;
}

/** Quantities with several fields, and their defaults. */
export const settings: Readonly<Partial<Record<RowKind, Settings>>> = {
  lora: {
    base: {
      r: null,
      alpha: null,
      dropout: null,
      targets: null,
      modulesToSave: [],
      rslora: false,
      dora: false,
    },
    kinds: {
      r: 'count',
      alpha: 'number',
      dropout: 'number',
      targets: 'words',
      modulesToSave: 'words',
      rslora: 'flag',
      dora: 'flag',
      targetParameters: 'words',
      method: 'word',
    },
  },
  quantization: {
    base: {
      bits: null,
      method: 'bnb',
      type: null,
      doubleQuant: null,
      computeDtype: null,
      storageDtype: null,
    },
    kinds: {
      bits: 'bits',
      method: 'word',
      type: 'word',
      doubleQuant: 'flag',
      computeDtype: 'dtype',
      storageDtype: 'dtype',
      experts: 'flag',
      groupSize: 'count',
    },
  },
  fsdp: {
    base: { version: 1, strategy: 'FULL_SHARD', offloadParams: false, activationCheckpointing: null },
    kinds: {
      version: 'count',
      strategy: 'word',
      offloadParams: 'flag',
      activationCheckpointing: 'flag',
    },
  },
  offload: {
    base: { param: 'none', optimizer: 'none' },
    kinds: { param: 'word', optimizer: 'word', activations: 'word' },
  },
  parallel: {
    base: { tensor: 1, context: 1, pipeline: 1, expert: 1, dataShard: null, dataReplicate: null },
    kinds: {
      tensor: 'count',
      context: 'count',
      pipeline: 'count',
      expert: 'count',
      dataShard: 'count',
      dataReplicate: 'count',
    },
  },
};

/** Fills in the defaults of a settings quantity; unknown optional fields are omitted. */
export function settled(kind: RowKind, fields: Readonly<Record<string, unknown>>): unknown {
  const base = ownOf(settings, kind)?.base;
  if (!base) return fields;
  const entries = Object.entries(fields).filter(
    ([name, value]) => value !== null || Object.hasOwn(base, name),
  );
  const whole: Record<string, unknown> = { ...base, ...Object.fromEntries(entries) };
  return kind === 'lora' ? { ...whole, targets: everyLinear(whole['targets']) } : whole;
}

const everyLinear = (targets: unknown): unknown =>
  Array.isArray(targets) && targets.length === 1 && targets[0] === 'all-linear' ? 'all-linear' : targets;
