import type { GpuDevice } from '../device';

/**
 * Values as nvidia-smi prints them: `111.50 W`, `26.3`, `P2`, `[N/A]`, `[Unknown Error]`, `ERR!`. The words for "no
 * number" vary by driver and field (telemetry notes list eleven); anything that is not a number is null, with its
 * text kept.
 */

const NUMBER = /^(-?\d+(?:\.\d+)?)(?:\s*(?:MiB|MB|MHz|W|C|%|us|ms|s|KiB|GiB))?$/;
const PLACEHOLDER =
  /^(?:\[.*\]|n\/a|not (?:supported|available.*|found)|unknown error|err!?|-|insufficient permissions|requested functionality has been deprecated|gpu (?:requires reset|is lost)|)$/i;

/** The number in a cell; null if there is none. */
export function numberOf(text: string): number | null {
  const found = NUMBER.exec(text.trim());
  return found ? Number(found[1]) : null;
}

/** The text of a cell; null if it means "nothing". */
export function textOf(text: string): string | null {
  const trimmed = text.trim();
  return PLACEHOLDER.test(trimmed) ? null : trimmed;
}

/** An id of a GPU; null if it is cut off, since it would be another one's. */
export function idOf(text: string): string | null {
  const id = textOf(text);
  return id !== null && /^(?:GPU|MIG)-[0-9a-f]{8}-/.test(id) && id.length < WHOLE_ID ? null : id;
}
const WHOLE_ID = 'GPU-'.length + 36;

export function integerOf(text: string): number | null {
  const value = numberOf(text);
  return value !== null && Number.isInteger(value) ? value : null;
}

/** Chips whose GPU has no dedicated memory: Grace-Blackwell in desktops, Jetson modules, laptops on Arm. */
const SHARING = /\bGB10\b|\bN1X?\b|\(nvgpu\)|\b(?:Tegra|Orin|Xavier|Thor)\b/;

/** A GPU with a memory total has dedicated memory; without one, the name decides. */
export function memoryKindOf(name: string | null, memoryTotalMiB: number | null): GpuDevice['memoryKind'] {
  if (memoryTotalMiB !== null) return 'dedicated';
  return name !== null && SHARING.test(name) ? 'unified' : 'unknown';
}

/** A reason for throttling, by the driver's bit; names as nvidia-smi writes them in fields and XML. */
interface Reason {
  readonly bit: number;
  readonly name: string;
  readonly words: string;
}

const REASONS: readonly Reason[] = [
  { bit: 0x2, name: 'applications_clocks_setting', words: 'clocks set by the user' },
  { bit: 0x4, name: 'sw_power_cap', words: 'power limit' },
  { bit: 0x8, name: 'hw_slowdown', words: 'hardware slowdown' },
  { bit: 0x10, name: 'sync_boost', words: 'clocks kept equal to another GPU' },
  { bit: 0x20, name: 'sw_thermal_slowdown', words: 'temperature' },
  { bit: 0x40, name: 'hw_thermal_slowdown', words: 'temperature (hardware)' },
  { bit: 0x80, name: 'hw_power_brake_slowdown', words: 'hardware power brake' },
  { bit: 0x100, name: 'display_clock_setting', words: 'display clocks' },
];

/** The texts for a bit mask (`0x0000000000000004`); idling (bit 1) is not throttling. Null if it is not a mask. */
export function reasonsInMask(mask: string): readonly string[] | null {
  if (!/^0x[0-9a-f]{1,16}$/i.test(mask.trim())) return null;
  const bits = Number(BigInt(mask.trim()) & 0xffffn);
  return REASONS.filter(({ bit }) => (bits & bit) !== 0).map(({ words }) => words);
}

/** The texts for reasons by name; unknown names are omitted. */
export function reasonsByName(names: readonly string[]): readonly string[] {
  return REASONS.filter(({ name }) => names.includes(name)).map(({ words }) => words);
}
