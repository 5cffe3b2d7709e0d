import type { RankWork } from '../memory/rankWork';
import type { Constants } from './constants';
import { sendingOf } from './links';
import { passFlops, passSeconds, together, updateSeconds, workingOf } from './roofline';
import type { Device, Seconds } from './roofline';

/** What a step's time goes into. */
export type Part = 'products' | 'attention' | 'memory' | 'host' | 'optimizer' | 'communication' | 'pipeline';

/** Seconds of a step by part; they add up to the step. */
export type StepParts = Readonly<Record<Part, number>>;

/** One step on the slowest rank. */
export interface StepTime {
  readonly seconds: number;
  readonly parts: StepParts;
  /** FLOPs of the step on this GPU that no recomputation adds. */
  readonly usefulFlops: number;
}

const sumOf = (parts: StepParts): number => Object.values(parts).reduce((sum, one) => sum + one, 0);

/**
 * The time of a step: that of its slowest rank. Null where no rank was played to its end, and where nothing is multiplied.
 */
export function stepTime(ranks: readonly RankWork[], device: Device, constants: Constants): StepTime | null {
  const times = ranks.map(rank => rankTime(rank, device, constants));
  const [first, ...others] = times;
  if (!first) return null;
  const slowest = others.reduce((most, one) => (one.seconds > most.seconds ? one : most), first);
  const isKnown = slowest.seconds > 0 && Number.isFinite(slowest.seconds) && slowest.usefulFlops > 0;
  return isKnown ? slowest : null;
}

const plus = (a: Seconds, b: Seconds): Seconds => ({
  products: a.products + b.products,
  attention: a.attention + b.attention,
  memory: a.memory + b.memory,
  starting: a.starting + b.starting,
});

const NOTHING: Seconds = { products: 0, attention: 0, memory: 0, starting: 0 };

function rankTime(rank: RankWork, device: Device, constants: Constants): StepTime {
  const { passes, stages, chunks } = rank;
  const forward = passSeconds(rank, rank.forward, device, constants);
  const backward = rank.backward ? passSeconds(rank, rank.backward, device, constants) : NOTHING;
  const pass = plus(forward, backward);
  const computing = workingOf(pass);
  const sending = sendingOf(rank, device, constants);
  // NCCL's kernels take multiprocessors and bandwidth from what they run beside, and the first and last layer have nothing beside.
  const exposed = (seconds: number, room: number): number =>
    Math.max(seconds - room, (1 - constants.overlap) * seconds);
  const communication = exposed(sending.hidden, computing) + sending.waiting;
  const last = exposed(sending.last, workingOf(backward));
  const busy = computing + communication;
  const micro = together(busy, pass.starting + sending.starting);
  const parts: StepParts = {
    products: passes * pass.products,
    attention: passes * pass.attention,
    memory: passes * pass.memory,
    host: passes * (micro - busy),
    optimizer: rank.update ? updateSeconds(rank.update, device, constants) : 0,
    communication: passes * communication + last,
    pipeline: (micro * (stages - 1)) / chunks,
  };
  return { seconds: sumOf(parts), parts, usefulFlops: usefulOf(rank) };
}

/** Forward, and twice as much backward where all weights are trained; what a checkpoint runs again does not count. */
function usefulOf(rank: RankWork): number {
  const forward = passFlops(rank, rank.forward);
  const backward = rank.backward ? passFlops(rank, rank.backward) - rank.backward.recomputedFlops : 0;
  return rank.passes * (forward + backward);
}
