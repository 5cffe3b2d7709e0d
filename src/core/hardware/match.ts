import type { GpuFacts } from './gpu';
import { distance, distinctiveWords, isAsWritten, makerOf, nameWords, words } from './tokens';
import type { NameWords } from './tokens';

/** `MIG 1g.10gb`, `NVIDIA H100 80GB HBM3 MIG 1c.3g.40gb`: a compute slice has its GPU slice's memory. */
const PROFILE = /(?:^|[\s(-])(?:mig[\s-]+)?(?:\d+c\.)?(\d+g\.\d+gb(?:\+[\w.]+)*)\)?$/i;

/** Splits a name into the GPU (may be '') and the MIG profile; null if it names no profile. */
function migProfileOf(name: string): { readonly parent: string; readonly profile: string } | null {
  const found = PROFILE.exec(name.trim());
  if (!found) return null;
  const parent = name
    .trim()
    .slice(0, found.index)
    .replace(/(?<![\s-])[\s-]+mig$/i, '');
  return { parent: /^mig$/i.test(parent) ? '' : parent, profile: (found[1] ?? '').toLowerCase() };
}

/** A slice of a GPU as a separate device; null if the GPU has no such profile. */
function migSlice(gpu: GpuFacts, profile: string): GpuFacts | null {
  const plain = profile.replace(/\+.*/s, '');
  const slice = gpu.mig.find(mig => mig.profile === plain);
  if (!slice) return null;
  return {
    ...gpu,
    name: `${gpu.name} MIG ${profile}`,
    label: `${gpu.label} MIG ${profile}`,
    aliases: [],
    memoryMiB: slice.memoryMiB,
    memoryBasis: slice.memoryMiB === null ? null : gpu.memoryBasis,
    marketingGB: Number(/\.(\d+)gb/.exec(plain)?.[1]),
    otherTotalsMiB: [],
    // The total of a slice already excludes the memory that the driver reserves.
    usableMiB: slice.memoryMiB,
    mig: [],
  };
}

/** The result of a lookup by name: one GPU, several candidates, or none. */
export type GpuMatch =
  | { readonly kind: 'one'; readonly gpu: GpuFacts }
  | { readonly kind: 'several'; readonly gpus: readonly GpuFacts[] }
  | { readonly kind: 'none'; readonly near: readonly string[] };

interface Named {
  readonly gpu: GpuFacts;
  readonly name: string;
  /** The words of its form. */
  readonly form: readonly string[];
  /** What its words are found in, in lower case. */
  readonly text: string;
}

/** Looks up GPUs by the names that people write and tools print. */
export class GpuNames {
  private readonly named: readonly Named[];
  /** Cache: most names are never close to what is asked for. */
  private readonly parsed = new Map<Named, NameWords>();

  /** A printed name that several GPUs share identifies none of them; their labels do. */
  constructor(private readonly gpus: readonly GpuFacts[]) {
    const printed = new Map<string, number>();
    for (const { name } of gpus) printed.set(name, (printed.get(name) ?? 0) + 1);
    const forms = new Map<string, readonly string[]>();
    for (const { form } of gpus) if (form !== null && !forms.has(form)) forms.set(form, words(form));
    this.named = gpus.flatMap(gpu => {
      const own = printed.get(gpu.name) === 1 ? [gpu.name] : [];
      const form = forms.get(gpu.form ?? '') ?? [];
      return [gpu.label, ...own, ...gpu.aliases].map(name => {
        return { gpu, name, form, text: `${name} ${gpu.form ?? ''}`.toLowerCase() };
      });
    });
  }

  private wordsOf(named: Named): NameWords {
    const found = this.parsed.get(named) ?? nameWords(named.name, named.gpu, named.form);
    this.parsed.set(named, found);
    return found;
  }

  /** Looks up a name that a person wrote. Takes the first of several GPUs that do not differ in memory. */
  match(name: string): GpuMatch {
    const profile = migProfileOf(name);
    if (profile) return this.slice(profile.parent, profile.profile);
    const found = this.closest(name);
    if (found.length === 0) return { kind: 'none', near: nearest(name, this.labels()) };
    return oneOrSeveral(found);
  }

  /** Looks up a name that a tool printed. The total memory distinguishes cards that share a name. */
  ofDevice(name: string, totalMiB: number | null): GpuFacts | null {
    const printed = name.trim().toLowerCase();
    const exact = this.gpus.filter(gpu =>
      [gpu.name, ...gpu.aliases].some(known => known.toLowerCase() === printed),
    );
    const found = exact.length > 0 ? exact : this.closest(name);
    if (totalMiB === null) return found.length === 1 ? (found[0] ?? null) : null;
    const [best] = [...found].sort((a, b) => gap(a, totalMiB) - gap(b, totalMiB));
    return best ?? null;
  }

  /** GPUs whose name contains all words of the query and the fewest others. */
  private closest(name: string): readonly GpuFacts[] {
    const question = words(name);
    const distinctive = distinctiveWords(question);
    if (distinctive.length === 0) return [];
    const maker = makerOf(question);
    const written = distinctive.filter(isAsWritten);
    let least = Infinity;
    let found = new Set<GpuFacts>();
    for (const named of this.named) {
      const { gpu } = named;
      if (maker !== null && gpu.vendor !== maker) continue;
      if (!written.every(word => named.text.includes(word))) continue;
      const cost = distance(distinctive, this.wordsOf(named));
      if (cost === null || cost > least) continue;
      if (cost < least) found = new Set();
      least = cost;
      found.add(gpu);
    }
    return [...found];
  }

  private slice(parent: string, profile: string): GpuMatch {
    const parents = parent === '' ? this.gpus : this.closest(parent);
    const slices = parents.flatMap(gpu => migSlice(gpu, profile) ?? []);
    if (slices.length > 0) return oneOrSeveral(slices);
    return {
      kind: 'none',
      near: parents.flatMap(gpu => gpu.mig.map(mig => `${gpu.label} ${mig.profile}`)).slice(0, 3),
    };
  }

  private labels(): readonly string[] {
    return this.gpus.map(gpu => gpu.label);
  }
}

function oneOrSeveral(gpus: readonly GpuFacts[]): GpuMatch {
  const [first] = gpus;
  if (!first) return { kind: 'none', near: [] };
  return gpus.every(gpu => sameForMemory(gpu, first))
    ? { kind: 'one', gpu: first }
    : { kind: 'several', gpus };
}

function sameForMemory(a: GpuFacts, b: GpuFacts): boolean {
  return a.memoryMiB === b.memoryMiB && JSON.stringify(a.supports) === JSON.stringify(b.supports);
}

/** Distance between a card's known totals and the total that a tool shows. */
function gap(gpu: GpuFacts, totalMiB: number): number {
  const totals = [...(gpu.memoryMiB === null ? [] : [gpu.memoryMiB]), ...gpu.otherTotalsMiB];
  return Math.min(...totals.map(known => Math.abs(known - totalMiB)));
}

/** Number of similar names in a message. */
const OFFERED = 3;

/** Similar names, the most similar first: Dice's coefficient over pairs of letters. */
function nearest(written: string, names: readonly string[]): readonly string[] {
  const writtenPairs = pairs(written);
  return names
    .map(name => ({ name, likeness: likeness(writtenPairs, pairs(name)) }))
    .filter(({ likeness: like }) => like >= 0.3)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, OFFERED)
    .map(({ name }) => name);
}

function pairs(text: string): ReadonlySet<string> {
  const letters = text.toLowerCase().replace(/[^a-z0-9]/g, '');
  return new Set(
    Array.from({ length: Math.max(letters.length - 1, 0) }, (_, at) => letters.slice(at, at + 2)),
  );
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter(pair => b.has(pair)).length;
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
}

export interface GpuSource {
  /** Finds a GPU by any unambiguous name (`RTX 4090`, `NVIDIA GeForce RTX 4090`, `a100-80gb`). */
  find(name: string): GpuFacts | null;
  /** Like `find`, with the other candidates or similar names. */
  match(name: string): GpuMatch;
  /** Finds a GPU by a printed name; the total memory distinguishes cards that share a name. */
  ofDevice(name: string, totalMiB: number | null): GpuFacts | null;
  all(): readonly GpuFacts[];
}
