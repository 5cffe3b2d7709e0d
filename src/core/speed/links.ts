import type { GpuFacts } from '../hardware/gpu';
import type { RankWork } from '../memory/rankWork';
import type { Constants } from './constants';
import type { Work } from '../memory/meter';
import { flopsOf } from './roofline';
import type { Device } from './roofline';

/** GPUs of one machine, or of one NVLink domain. */
function perMachine({ label }: GpuFacts): number {
  return /^GB\d/.test(label) ? 72 : 8;
}

/** One direction of PCIe as copies between GPUs reach it without NVLink, through the host. */
const PCIE_BYTES = 12e9;
/** A machine's network for each of its GPUs: 400 Gbit/s adapters since Hopper, 200 before. */
const NETWORK_BYTES = { new: 50e9, old: 25e9 } as const;

/** Bytes a second that each rank of a ring sends. */
function ringBytes({ gpu, generation }: Device, ranks: number, constants: Constants): number {
  const inside = gpu.nvlinkGBs === null ? PCIE_BYTES : (gpu.nvlinkGBs / 2) * 1e9 * constants.link;
  const machine = perMachine(gpu);
  if (ranks <= machine) return inside;
  const isNew = generation === 'hopper' || generation === 'blackwell';
  const outside = (isNew ? NETWORK_BYTES.new : NETWORK_BYTES.old) * machine * constants.network;
  return Math.min(inside, outside);
}

/** Seconds in which every rank gets all `bytes`, of which each has a part. */
export function gathering(bytes: number, ranks: number, device: Device, constants: Constants): number {
  if (ranks <= 1 || bytes === 0) return 0;
  return (bytes * (ranks - 1)) / ranks / ringBytes(device, ranks, constants);
}

/** Seconds of communication in one micro-batch, and once a step. */
export interface Sending {
  /** May hide behind the pass. */
  readonly hidden: number;
  /** Everything waits for it. */
  readonly waiting: number;
  /** Once a step, behind the last backward pass. */
  readonly last: number;
  /** What the host takes to start the collectives of a micro-batch. */
  readonly starting: number;
}

/** A rank's communication. Gathers and reductions of layers overlap with computing; exchanges inside a layer do not. */
export function sendingOf(rank: RankWork, device: Device, constants: Constants): Sending {
  const { sent, backward } = rank;
  const call = constants.callUs * 1e-6;
  const passes = backward ? 2 : 1;
  const gather = gathering(sent.gatheredBytes, sent.shardRanks, device, constants);
  const gathers = gather * (backward && sent.gathersTwice ? 2 : 1);
  const calls = sent.gatheredBytes > 0 ? sent.layers * passes * call : 0;
  const reduce = gathering(sent.reducedBytes, sent.dataRanks, device, constants);
  const reduceScatter = sent.reducesEachPass ? reduce : 0;
  const exchange = 2 * gathering(sent.hiddenBytes, sent.tensorRanks, device, constants);
  const exchanges = 2 * (passes + (isRecomputed(rank) ? 1 : 0)) * sent.layers;
  const tensor = sent.tensorRanks > 1 ? exchanges * (exchange + call) : 0;
  const routed = (2 * passes * sent.layers * sent.routedBytes) / ringBytes(device, 16, constants);
  return {
    hidden: gathers + calls + reduceScatter,
    waiting: tensor + (sent.routedBytes > 0 ? routed : 0),
    last: sent.reducesEachPass ? 0 : 2 * reduce,
    starting: (sent.tensorRanks > 1 ? exchanges : 0) * constants.hostUs * 1e-6,
  };
}

/** Backward runs most of forward again, with its exchanges. */
const isRecomputed = ({ forward, backward }: RankWork): boolean =>
  backward !== null && backward.recomputedFlops > sumOf(forward) / 2;

const sumOf = ({ products }: Work): number => products.reduce((sum, one) => sum + flopsOf(one), 0);
