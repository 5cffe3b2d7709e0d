import { AMD_SMI_PLACES, AMD_SMI_POWER_MAX, AMD_SMI_TOTAL } from '../amd/places';

/** What a tool's indented text has at which level, so that a text that lost its indentation gets it back. */
interface Outline {
  /** The line that begins a GPU; `at`: its indentation. */
  readonly entry: RegExp;
  readonly at: number;
  /** The name and the value of a line; a section has no value. */
  readonly line: RegExp;
  /** Names directly below the entry; others belong to the section above them. */
  readonly own: ReadonlySet<string>;
  /** The sections that are read, with those within them. Others are left out with all that follows. */
  readonly sections: ReadonlyMap<string, ReadonlySet<string>>;
  /** The indentation of a level. */
  readonly step: number;
}

const none: ReadonlySet<string> = new Set();
const named = (...names: readonly string[]): ReadonlySet<string> => new Set(names);

/** `nvidia-smi -q`, in all releases. */
const NVIDIA: Outline = {
  entry: /^GPU [0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F]$/,
  at: 0,
  line: /^([A-Za-z][\w ./()+-]*)(?![\w ./()+-])(?:(?<= ):(.*))?$/,
  own: named(
    ...['product name', 'gpu uuid', 'performance state', 'fan speed', 'persistence mode', 'display mode'],
    ...['accounting mode', 'minor number'],
  ),
  sections: new Map([
    ['mig mode', none],
    ['mig device', named('fb memory usage', 'bar1 memory usage', 'device attributes', 'shared')],
    ['driver model', none],
    ['pci', none],
    ['gpu virtualization mode', none],
    ['fb memory usage', none],
    ['utilization', none],
    ['temperature', none],
    ['power readings', none],
    ['gpu power readings', named('gpu ceiling power limit', 'gpu base power')],
    ['clocks', none],
    ['clocks event reasons', none],
    ['clocks throttle reasons', none],
    ['processes', none],
  ]),
  step: 4,
};

/** amd-smi's sections are those of the paths in its JSON. */
function sectionsOf(paths: readonly (readonly string[])[]): ReadonlyMap<string, ReadonlySet<string>> {
  const sections = new Map<string, Set<string>>();
  for (const [section = '', inner, ...more] of paths.filter(path => path.length > 1)) {
    const within = sections.get(section) ?? new Set();
    if (inner !== undefined && more.length > 0) within.add(inner);
    sections.set(section, within);
  }
  return sections;
}

const AMD: Outline = {
  entry: /^GPU ?: ?\d{1,4}$/,
  at: 0,
  line: /^([A-Za-z][\w /-]*?) ?:(.*)$/,
  own: named('uuid', 'bdf'),
  sections: sectionsOf([
    ...Object.values(AMD_SMI_PLACES).flat(),
    ...AMD_SMI_POWER_MAX,
    ...AMD_SMI_TOTAL,
    ...['asic/market_name', 'bus/bdf', 'driver/version', 'partition/compute_partition'].map(path =>
      path.split('/'),
    ),
  ]),
  step: 4,
};

/** `system_profiler SPDisplaysDataType`: displays are below the GPUs. */
const APPLE: Outline = {
  entry: /^Chipset Model: /,
  at: 6,
  line: /^([^ :][^:]*):(.*)$/,
  own: named('type', 'bus', 'vendor', 'total number of cores', 'vram (total)', 'vram (dynamic, max)', 'vram'),
  sections: new Map(),
  step: 0,
};

const OUTLINES: readonly Outline[] = [NVIDIA, AMD, APPLE];

/** The text of a tool with the indentation that it lost on the way; null if it has some, or none by an outline. */
export function indented(text: string): string | null {
  const lines = text.split('\n').map(line => line.trimEnd());
  if (lines.some(line => /^\s+\S/.test(line))) return null;
  const outline = OUTLINES.find(({ entry }) => lines.some(line => entry.test(line)));
  return outline ? new Indenting(outline).all(lines).join('\n') : null;
}

class Indenting {
  private hasBegun = false;
  private section: string | null = null;
  private inner = false;

  constructor(private readonly outline: Outline) {}

  all(lines: readonly string[]): readonly string[] {
    return lines.flatMap(line => this.line(line));
  }

  private line(line: string): readonly string[] {
    const { entry, at } = this.outline;
    if (entry.test(line)) {
      this.hasBegun = true;
      this.section = null;
      return [' '.repeat(at) + line];
    }
    const [, words, value] = this.outline.line.exec(line) ?? [];
    if (!this.hasBegun) return [line];
    if (words === undefined) return [];
    const name = this.nameOf(words);
    if (this.outline.own.has(name)) return this.own(line);
    return value === undefined || value.trim() === '' ? this.open(name, line) : this.leaf(line);
  }

  private nameOf(words: string): string {
    const name = words.trim().toLowerCase();
    return this.outline === AMD ? name.replace(/[ -]/g, '_') : name;
  }

  private own(line: string): readonly string[] {
    this.section = null;
    return [this.put(1, line)];
  }

  private open(name: string, line: string): readonly string[] {
    const within = this.section === null ? undefined : this.outline.sections.get(this.section);
    this.inner = within?.has(name) ?? false;
    if (!this.inner) this.section = this.outline.sections.has(name) ? name : null;
    return this.section === null ? [] : [this.put(this.inner ? 2 : 1, line)];
  }

  private leaf(line: string): readonly string[] {
    return this.section === null ? [] : [this.put(this.inner ? 3 : 2, line)];
  }

  private put(level: number, line: string): string {
    return ' '.repeat(this.outline.at + level * this.outline.step) + line;
  }
}
