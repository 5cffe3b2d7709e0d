import type { GpuFacts } from './gpu';
import { migProfileOf, migSlice } from './mig';
import { distance, makerOf, nameWords, tellingWords, words } from './tokens';
import type { NameWords } from './tokens';

/** What a name means: one GPU, several between which it does not decide, or none. */
export type GpuMatch =
  | { readonly kind: 'one'; readonly gpu: GpuFacts }
  | { readonly kind: 'several'; readonly gpus: readonly GpuFacts[] }
  | { readonly kind: 'none'; readonly near: readonly string[] };

interface Named {
  readonly gpu: GpuFacts;
  readonly words: NameWords;
}

/** Names of a list of GPUs, in the forms people write and tools print. */
export class GpuNames {
  private readonly named: readonly Named[];

  /** A printed name that several share is none that a person would mean one of them by: their labels are. */
  constructor(private readonly gpus: readonly GpuFacts[]) {
    const printed = new Map<string, number>();
    for (const { name } of gpus) printed.set(name, (printed.get(name) ?? 0) + 1);
    const forms = new Map<string, readonly string[]>();
    for (const { form } of gpus) if (form !== null && !forms.has(form)) forms.set(form, words(form));
    this.named = gpus.flatMap(gpu => {
      const own = printed.get(gpu.name) === 1 ? [gpu.name] : [];
      const form = forms.get(gpu.form ?? '') ?? [];
      return [gpu.label, ...own, ...gpu.aliases].map(name => ({ gpu, words: nameWords(name, gpu, form) }));
    });
  }

  /** What a person means. Of GPUs that differ in nothing that memory depends on, the first is taken. */
  match(name: string): GpuMatch {
    const profile = migProfileOf(name);
    if (profile) return this.slice(profile.parent, profile.profile);
    const found = this.closest(name);
    if (found.length === 0) return { kind: 'none', near: nearest(name, this.labels()) };
    return oneOrSeveral(found);
  }

  /** The GPU behind a tool's output: cards that share a name are told apart by their memory. */
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

  /** GPUs whose name says everything that was asked for and least in addition. */
  private closest(name: string): readonly GpuFacts[] {
    const question = words(name);
    const telling = tellingWords(question);
    if (telling.length === 0) return [];
    const maker = makerOf(question);
    let least = Infinity;
    let found = new Set<GpuFacts>();
    for (const { gpu, words: its } of this.named) {
      if (maker !== null && gpu.vendor !== maker) continue;
      const cost = distance(telling, its);
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

/** How far a card's known totals are from the one that a tool shows. */
function gap(gpu: GpuFacts, totalMiB: number): number {
  const totals = [...(gpu.memoryMiB === null ? [] : [gpu.memoryMiB]), ...gpu.otherTotalsMiB];
  return Math.min(...totals.map(known => Math.abs(known - totalMiB)));
}

/** How many near names a message offers. */
const OFFERED = 3;

/** Names that look like what was written, the likest first: by the pairs of letters they share (Dice's coefficient). */
export function nearest(written: string, names: readonly string[]): readonly string[] {
  const asked = pairs(written);
  return names
    .map(name => ({ name, likeness: likeness(asked, pairs(name)) }))
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
  /** By any name a person or a tool uses (`RTX 4090`, `NVIDIA GeForce RTX 4090`, `a100-80gb`) that means one GPU. */
  find(name: string): GpuFacts | null;
  /** The same, with what else it may mean, or names near it. */
  match(name: string): GpuMatch;
  /** By what a tool prints: cards that share a name are told apart by the total it shows. */
  ofDevice(name: string, totalMiB: number | null): GpuFacts | null;
  all(): readonly GpuFacts[];
}
