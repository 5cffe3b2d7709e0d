import { changed } from '../../dialects/change';
import type { RunSpec } from '../../spec/runSpec';
import { scalarsOf } from '../../spec/scalarKeys';
import type { Change } from '../../spec/change';
import type { Remedy, RemedyOption } from '../remedy';
import { template } from '../../text/say';

/** Names of LoRA's rank in configs, and of its scale. */
const RANKS: ReadonlySet<string> = new Set([
  'lora_r',
  'lora_rank',
  'lora_dim',
  'adapter_dim',
  'rank',
  'r',
  'dim',
]);
const SCALES: ReadonlySet<string> = new Set(['lora_alpha', 'alpha']);

/** Lower ranks are not used; higher ones lose the advantage of adapters. */
const LEAST = 4;
const MOST = 512;

/** The rank of LoRA's matrices: adapter weights, gradients, states and capacity grow with it. */
export const rank: Remedy = {
  id: 'rank',
  label: template('the adapter rank'),
  changesTask: true,
  sources: ['Hu et al., arXiv 2106.09685: r (in + out) parameters a linear layer'],
  less: ({ run, say }) =>
    steps(run, r => r / 2, LEAST).map((option, i) => ({
      ...option,
      price: {
        time: 1,
        speed: null,
        quality: say('smaller rank: the adapters learn less'),
        trade: 3 * (i + 1),
      },
    })),
  towards: {
    goal: 'largest',
    options: ({ run }) =>
      steps(run, r => r * 2, LEAST).map((option, i) => ({
        ...option,
        gain: 2 ** (i + 1),
        price: { time: 1.02 ** (i + 1), speed: null, quality: null },
      })),
  },
};

/** All sensible ranks step by step, with a proportional scale. */
function steps(
  run: RunSpec,
  next: (r: number) => number,
  least: number,
): Pick<RemedyOption, 'changes' | 'sizes'>[] {
  const { method, lora } = run.quantities;
  const now = lora.value?.r ?? null;
  if (now === null || (method.value !== 'lora' && method.value !== 'qlora')) return [];
  // The "rank" of other methods may be a number of blocks, which get smaller as it grows.
  const isSize = lora.value?.method === undefined;
  const options: Pick<RemedyOption, 'changes' | 'sizes'>[] = [];
  for (let r = next(now); Number.isInteger(r) && r >= least && r <= MOST; r = next(r)) {
    const changes = changesTo(run, now, r);
    if (changes === null) break;
    options.push({ changes, ...(isSize && { sizes: [r / now] }) });
  }
  return options;
}

/** Null if no key is the rank: recognized by its name, its value and the effect of a change. */
function changesTo(run: RunSpec, now: number, r: number): readonly Change[] | null {
  const keys = scalarsOf(run);
  const isRank = ({ name, value }: (typeof keys)[number]): boolean => RANKS.has(name) && value === now;
  const found = keys.filter(isRank).find(({ path }) => {
    return changed(run, [{ key: path, to: r }]).quantities.lora.value?.r === r;
  });
  if (!found) return null;
  const alpha = run.quantities.lora.value?.alpha ?? null;
  const scale = keys.find(({ name, value }) => SCALES.has(name) && value === alpha && alpha !== null);
  const to = ((alpha ?? 0) / now) * r;
  const scaled = scale && Number.isInteger(to) ? [{ key: scale.path, to }] : [];
  return [{ key: found.path, to: r }, ...scaled];
}
