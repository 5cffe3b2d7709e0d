import type { GpuFacts } from './gpu';

/**
 * GPU names as sets of words, to compare `a100-80gb`, `A100-SXM4-80GB` and `NVIDIA A100 80GB PCIe`. Makers and
 * product lines only name the vendor; forms and sizes are optional; every other word (`Ti`, `Laptop`, `Ada`, `NVL`)
 * distinguishes GPUs.
 */

/** Words that name a maker; GPUs of other makers never match. */
const MAKERS: Readonly<Record<string, GpuFacts['vendor']>> = {
  nvidia: 'NVIDIA',
  geforce: 'NVIDIA',
  tesla: 'NVIDIA',
  rtx: 'NVIDIA',
  gtx: 'NVIDIA',
  quadro: 'NVIDIA',
  amd: 'AMD',
  radeon: 'AMD',
  instinct: 'AMD',
  rx: 'AMD',
  intel: 'Intel',
  arc: 'Intel',
  apple: 'Apple',
};

/** Words that distinguish nothing. Quadro does: a Quadro RTX 6000 is not an RTX 6000 Ada. */
const EMPTY: ReadonlySet<string> = new Set(
  `${Object.keys(MAKERS).join(' ')} google gpu graphics generation edition workstation with design card r tm`
    .split(' ')
    .filter(word => word !== 'quadro'),
);

/** Optional words: the board's form, the kind of memory, Blackwell next to PRO. */
const OPTIONAL = new Set(['sxm', 'pcie', 'oam', 'hbm3', 'hbm3e', 'blackwell', 'superchip', 'active']);

const MEMORY = /^\d+(?:\.\d+)?gb$/;

/** Cost of leaving out a size in the name: less than any other word, but a name without a size wins. */
const OMITTED_MEMORY_COST = 0.5;

/** The normalized words of a name. */
export function words(name: string): readonly string[] {
  return name
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/max[- ]?q/g, 'maxq')
    .replace(/(\d)\s*gi?b?\b/g, '$1gb')
    .replace(/\b(rtx|gtx|rx|titan|quadro|tesla|geforce|radeon|instinct)(?=[a-z]?\d)/g, '$1 ')
    .replace(/\b(\d{3,4})(ti|super|d|xt|xtx|gre)(super)?\b/g, '$1 $2 $3')
    .replace(/\b(sxm|pcie)\d\b/g, '$1')
    .replace(/\b(?:mobile|notebook)\b/g, 'laptop')
    .split(/[^a-z0-9.+]+/)
    .filter(word => word !== '');
}

/** True if a name with this word contains it in lower case; other words are put together or renamed. */
export const isAsWritten = (word: string): boolean => !/gb|maxq|laptop/.test(word);

/** The maker that these words name; null if they name none. */
export function makerOf(name: readonly string[]): GpuFacts['vendor'] | null {
  const word = name.find(candidate => Object.hasOwn(MAKERS, candidate));
  return word === undefined ? null : (MAKERS[word] ?? null);
}

/** A parsed name of a GPU. */
export interface NameWords {
  /** All words of the name, optional ones included. */
  readonly sayable: ReadonlySet<string>;
  /** The cost of leaving out each word. */
  readonly costs: ReadonlyMap<string, number>;
}

/** `form`: the words of the GPU's form, which is one of a dozen. */
export function nameWords(name: string, gpu: GpuFacts, form: readonly string[]): NameWords {
  const own = words(name).filter(word => !EMPTY.has(word));
  const size = gpu.marketingGB === null ? [] : [`${gpu.marketingGB}gb`];
  const costs = own
    .filter(word => !OPTIONAL.has(word))
    .map(word => [word, MEMORY.test(word) ? OMITTED_MEMORY_COST : 1] as const);
  return { sayable: new Set([...own, ...form, ...size]), costs: new Map(costs) };
}

/** Words of a query that must be in the name; empty if the query has only makers and sizes. */
export function distinctiveWords(question: readonly string[]): readonly string[] {
  const distinctive = question.filter(word => !EMPTY.has(word));
  return distinctive.every(word => MEMORY.test(word)) ? [] : distinctive;
}

/** Distance of a name from a query: the cost of the words left out; null if the name lacks a queried word. */
export function distance(question: readonly string[], name: NameWords): number | null {
  if (!question.every(word => name.sayable.has(word))) return null;
  const questionWords = new Set(question);
  return [...name.costs].reduce((sum, [word, cost]) => sum + (questionWords.has(word) ? 0 : cost), 0);
}
