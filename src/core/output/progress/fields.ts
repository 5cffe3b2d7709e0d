import type { LogLine, LogMemory } from '../../data/forms/line';
import { numberOf, secondsOf } from '../size';
import type { ProgressState, StatedMemory } from './progress';

/** The fields of one line, and how reliable they are. */
export interface LineFields {
  readonly state: ProgressState;
  /** Fields that only count if no other line states them for this step. */
  readonly weak: ReadonlySet<string>;
  /** A progress bar that is redrawn: the next state of the bar replaces it. */
  readonly isBar?: boolean;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Maps a line's field to a field of the state, with its scale. */
const FIELDS: Readonly<Record<string, readonly [keyof ProgressState, number]>> = {
  step: ['step', 1],
  steps: ['totalSteps', 1],
  epoch: ['epoch', 1],
  loss: ['loss', 1],
  learningRate: ['learningRate', 1],
  gradNorm: ['gradNorm', 1],
  millisecondsPerStep: ['secondsPerStep', 1e-3],
  microsecondsPerStep: ['secondsPerStep', 1e-6],
  secondsPerStep: ['secondsPerStep', 1],
  stepsPerSecond: ['stepsPerSecond', 1],
  samplesPerSecond: ['samplesPerSecond', 1],
  tokensPerSecond: ['tokensPerSecond', 1],
  etaSeconds: ['etaSeconds', 1],
  parts: ['parts', 1],
  partsDone: ['partsDone', 1],
};

const OWN_MEMORY: Readonly<Record<string, LogMemory>> = {
  allocatedMiB: { what: 'allocated', unit: 'MiB' },
  allocatedGiB: { what: 'allocated', unit: 'GiB' },
  reservedMiB: { what: 'reserved', unit: 'MiB' },
  reservedGiB: { what: 'reserved', unit: 'GiB' },
};

const UNIT_BYTES = { bytes: 1, MiB: 2 ** 20, GiB: 2 ** 30, GB: 1e9 } as const;

function amount({ what, unit }: LogMemory, text: string): StatedMemory | null {
  if (unit === 'stated') return { what, bytes: null, stated: text };
  const value = numberOf(text);
  return value === null ? null : { what, bytes: Math.round(value * UNIT_BYTES[unit]) };
}

/** Exact decimal division: `1014 ms` is 1.014 s. */
const scaled = (value: number, scale: number): number =>
  scale === 1 ? value : value / Math.round(1 / scale);

function memoryIn(groups: Groups, named: LogLine['memory']): readonly StatedMemory[] {
  return Object.entries({ ...OWN_MEMORY, ...named }).flatMap(([group, memory]) => {
    const text = groups[group];
    const found = text === undefined ? null : amount(memory, text);
    return found === null ? [] : [found];
  });
}

/** A match's groups as a state; numbered names are fallbacks. */
export function lineFieldsOf(groups: Groups, { memory }: LogLine): LineFields {
  const state: Record<string, number> = {};
  const weak = new Set<string>();
  for (const [group, text] of Object.entries(groups)) {
    const base = group.replace(/(?<!\d)\d+$/, '');
    const [name, scale] = FIELDS[base] ?? [null, 1];
    const value = text === undefined ? null : numberOf(text);
    if (name === null || value === null || (name in state && base !== 'secondsPerStep')) continue;
    state[name] = scaled(value, scale);
    if (base !== group) weak.add(name);
    else weak.delete(name);
  }
  const etaSeconds = secondsOf(groups['eta'] ?? '');
  const amounts = memoryIn(groups, memory);
  return {
    state: {
      ...state,
      ...(etaSeconds !== null && { etaSeconds }),
      ...(amounts.length > 0 && { memory: amounts }),
    },
    weak,
  };
}
