import type { MeasuredRates } from '../hardware/measuredRates';
import type { Target } from '../hardware/gpu';
import type { Estimate, ServedRoom } from '../memory/estimate';
import type { Products } from '../memory/meter';
import type { RankWork } from '../memory/rankWork';
import { CONSTANTS } from './constants';
import type { Constants } from './constants';
import { gathering } from './links';
import { deviceOf, flopsOf, measuredDevice, MOVING, passSeconds, reachedShare } from './roofline';
import type { Device } from './roofline';
import type { Range } from './speed';

/** How fast a server of one replica answers, in tokens a second; at the promised length of requests. */
export interface ServedSpeed {
  /** Prompts that are read. */
  readonly prefill: Range;
  /** Written tokens of a single request. */
  readonly alone: Range;
  /** Written tokens of as many requests as run at once, all together. */
  readonly together: Range & { readonly requests: number };
  /** Tokens of a request. */
  readonly context: number;
}

/** No measurements were compared with it yet: engines differ by their kernels and by how they schedule. */
const EITHER_WAY = 1.6;

/**
 * The speed of a server: prompts at the rate of a forward pass; a written token for each request in the time that weights and the
 * requests' keys and values take through memory, or their products to compute, whichever is longer. Null where the target has no
 * published rates, a pipeline has stages, something drafts, weights are on the host, or the cache holds no request.
 */
export function servedSpeed(
  estimate: Estimate | null,
  target: Target | null,
  rates: MeasuredRates | null = null,
  constants: Constants = CONSTANTS,
): ServedSpeed | null {
  const published = deviceOf(target?.gpu ?? null);
  const found = estimate && published && serverOf(estimate);
  if (!found) return null;
  const { rank, room, requests } = found;
  const served = { rank, room, device: measuredDevice(published, rates, constants), constants };
  const decode = (count: number): Range => ranged(count / stepSeconds(served, count));
  return {
    prefill: ranged((rank.rows * rank.tokens) / prefillSeconds(served)),
    alone: decode(1),
    together: { ...decode(requests), requests },
    context: room.context,
  };
}

/** The only rank, the cache and how many requests run at once; null: no server, or none that answers. */
function serverOf({ devices, work = [] }: Estimate) {
  const [rank, ...stages] = work;
  const room = devices[0]?.served;
  if (!room?.isPlainStep || !rank || stages.length > 0 || room.refusal !== null) return null;
  const requests = Math.floor(Math.min(room.sequences, room.most));
  return requests < 1 || rank.rows * rank.tokens < 1 ? null : { rank, room, requests };
}

interface Served {
  readonly rank: RankWork;
  readonly room: ServedRoom;
  readonly device: Device;
  readonly constants: Constants;
}

const ranged = (expected: number): Range => ({
  low: expected / EITHER_WAY,
  expected,
  high: expected * EITHER_WAY,
});

/** The profiled pass has whole matrices: ranks share its products, and each writes whole hidden states. */
function prefillSeconds({ rank, room, device, constants }: Served): number {
  const pass = passSeconds({ ...rank, isCompiled: true }, rank.forward, device, constants);
  const shared = (pass.products + pass.attention) / room.tensorRanks;
  return shared + pass.memory + exchangeSeconds(rank.sent.hiddenBytes, { rank, room, device, constants });
}

/** All-reduces after attention and after the MLP of each layer. */
function exchangeSeconds(bytes: number, { rank, room, device, constants }: Served): number {
  if (room.tensorRanks === 1) return 0;
  const each = 2 * gathering(bytes, room.tensorRanks, device, constants);
  return 2 * rank.sent.layers * (each + constants.kernelUs * 1e-6);
}

/** One token of each of `requests`, replayed from a graph. */
function stepSeconds(served: Served, requests: number): number {
  const { rank, room, device, constants } = served;
  const tokens = rank.rows * rank.tokens;
  const { products } = rank.forward;
  const all = products.reduce((sum, one) => sum + elementsOf(one), 0);
  const read = products.reduce((sum, one) => sum + elementsOf(one) * readShare(one, tokens, requests), 0);
  const keys = (requests * room.cacheBytes) / room.sequences;
  const moving = ((room.weightsBytes * read) / all + keys) / (device.bytesPerSecond * MOVING);
  const flops = products.reduce((sum, one) => sum + flopsOf(one), 0) / tokens / room.tensorRanks;
  const computing =
    (requests * flops) / (device.flops.half * reachedShare(device.generation, 'half', constants));
  const kernels = rank.forward.kernels * constants.compiled * constants.kernelUs * 1e-6;
  const hidden = (rank.sent.hiddenBytes / tokens) * requests;
  return Math.max(moving, computing) + kernels + exchangeSeconds(hidden, served);
}

const elementsOf = ({ inputs, outputs, groups, times }: Products): number =>
  inputs * outputs * groups * times;

/** Share of a product's weights that so many tokens read: of experts those that tokens are sent to. */
const readShare = ({ rows, groups }: Products, tokens: number, requests: number): number =>
  groups === 1 ? 1 : Math.min(1, (requests * rows) / tokens);
