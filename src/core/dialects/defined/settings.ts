import type { RowKind } from './rows';
import { ownOf } from '../../yaml/tables';

interface Settings {
  /** What a field is that the file leaves out. */
  readonly base: Readonly<Record<string, unknown>>;
  /** How each field is read. */
  readonly kinds: Readonly<Record<string, RowKind>>;
}

/** Quantities of several fields: what is in them, and what holds where a file does not say. */
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

/** Fields as a quantity of a kind has them: what is left out, and optional fields that are not known, as it is without them. */
export function settled(kind: RowKind, fields: Readonly<Record<string, unknown>>): unknown {
  const base = ownOf(settings, kind)?.base;
  if (!base) return fields;
  const said = Object.entries(fields).filter(([name, value]) => value !== null || Object.hasOwn(base, name));
  const whole: Record<string, unknown> = { ...base, ...Object.fromEntries(said) };
  return kind === 'lora' ? { ...whole, targets: everyLinear(whole['targets']) } : whole;
}

const everyLinear = (targets: unknown): unknown =>
  Array.isArray(targets) && targets.length === 1 && targets[0] === 'all-linear' ? 'all-linear' : targets;
