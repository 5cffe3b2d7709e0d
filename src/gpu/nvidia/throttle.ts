/** What holds clocks down, by the driver's bit; names as nvidia-smi writes them in fields and XML. */
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

/** The words of a bit mask (`0x0000000000000004`); idling (bit 1) holds nothing down. Null for what is no mask. */
export function reasonsInMask(mask: string): readonly string[] | null {
  if (!/^0x[0-9a-f]{1,16}$/i.test(mask.trim())) return null;
  const bits = Number(BigInt(mask.trim()) & 0xffffn);
  return REASONS.filter(({ bit }) => (bits & bit) !== 0).map(({ words }) => words);
}

/** The words of some reasons by name; those that are none of these are left out. */
export function reasonsByName(names: readonly string[]): readonly string[] {
  return REASONS.filter(({ name }) => names.includes(name)).map(({ words }) => words);
}
