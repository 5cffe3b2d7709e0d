import type { GpuFacts } from '../hardware/gpu';
import type { MeasuredRates } from '../hardware/measuredRates';
import type { RankWork, UpdateWork } from '../memory/rankWork';
import type { Arithmetic, Products, Work } from '../memory/meter';
import type { Constants, Generation } from './constants';

/** What a GPU can do, in FLOP and bytes a second. */
export interface Device {
  readonly generation: Generation;
  readonly flops: Readonly<Record<Arithmetic, number>>;
  readonly bytesPerSecond: number;
  readonly gpu: GpuFacts;
}

/** Seconds by what a GPU does. */
export interface Seconds {
  readonly products: number;
  readonly attention: number;
  readonly memory: number;
  /** What the host takes to start all kernels, while the GPU runs those it has. */
  readonly starting: number;
}

/**
 * GeForce GPUs since Ampere, and some boards for servers, add up in fp32 at half the rate of their tensor cores, which is what is
 * published for them: at most this many times their rate in fp32 (NVIDIA Ampere GA102 whitepaper, appendix A).
 */
const HALVED = 2.3;
/** Watts of boards that a slot feeds: with all tensor cores at work, they lower the clock (PCIe: 75 W). */
const CAPPED_W = 75;

const GENERATIONS: readonly (readonly [RegExp, Generation])[] = [
  [/^8\.0$/, 'ampere'],
  [/^9\./, 'hopper'],
  [/^10\./, 'blackwell'],
];

/**
 * The rates of a GPU; null where the catalog has none. By default, torch multiplies fp32 matrices in fp32, but convolves in TF32
 * (`torch.backends.cudnn.allow_tf32`; torch docs, "CUDA semantics", "TensorFloat-32 on Ampere and later devices").
 */
export function deviceOf(gpu: GpuFacts | null): Device | null {
  if (!gpu?.rates || gpu.bandwidthGBs === null) return null;
  const { fp32, tf32, half, fp8, int8 } = gpu.rates;
  const narrow = half ?? fp32;
  if (narrow === null) return null;
  const wide = fp32 ?? narrow / 2;
  const tera = (rate: number): number => rate * 1e12;
  return {
    generation: generationOf(gpu, narrow / wide),
    flops: {
      fp32: tera(wide),
      tf32: tera(Math.max(wide, tf32 ?? 0)),
      half: tera(narrow),
      fp8: tera(fp8 ?? narrow),
      int8: tera(int8 ?? narrow),
    },
    bytesPerSecond: gpu.bandwidthGBs * 1e9,
    gpu,
  };
}

function generationOf({ computeCapability, rates, powerW }: GpuFacts, times: number): Generation {
  const known = GENERATIONS.find(([pattern]) => pattern.test(computeCapability ?? ''));
  if (known) return known[1];
  if (times <= HALVED) return rates?.tf32 ? 'halved' : 'other';
  return powerW !== null && powerW <= CAPPED_W ? 'capped' : 'other';
}

/**
 * The same GPU with what a calibration measured. Shares of published rates keep their meaning for all other operations: a rate is
 * what its share makes the measured one.
 */
export function measuredDevice(device: Device, rates: MeasuredRates | null, constants: Constants): Device {
  if (rates === null) return device;
  const { flops, bytesPerSecond } = rates;
  const [half, fp32] = (['half', 'fp32'] as const).map(
    arithmetic => flops[arithmetic] / reachedShare(device.generation, arithmetic, constants),
  ) as [number, number];
  const eight = half / device.flops.half;
  return {
    ...device,
    flops: {
      fp32,
      tf32: device.flops.tf32 * eight,
      half,
      fp8: device.flops.fp8 * eight,
      int8: device.flops.int8 * eight,
    },
    bytesPerSecond: bytesPerSecond / MOVING,
  };
}

const BYTES = { fp32: 4, tf32: 4, half: 2, fp8: 1, int8: 1 } as const;

const SHARE = {
  ampere: 'productAmpere',
  hopper: 'productHopper',
  blackwell: 'productBlackwell',
  halved: 'productHalved',
  capped: 'productCapped',
  other: 'productOther',
} as const satisfies Record<Generation, keyof Constants>;

/** What large products reach of a rate. In fp32 they run on the other cores, for which no tensor core is the limit. */
export function reachedShare(generation: Generation, arithmetic: Arithmetic, constants: Constants): number {
  const isOfCores = generation === 'halved' && arithmetic === 'fp32';
  return isOfCores ? constants.productOther : constants[SHARE[generation]];
}

export const flopsOf = ({ rows, inputs, outputs, groups, times }: Products): number =>
  2 * rows * inputs * outputs * groups * times;

/** Multiprocessors of the usual board of a kind (NVIDIA's data sheets): 40 to 60 of the smallest, 80 to 142 of others. */
const MULTIPROCESSORS: Readonly<Record<Generation, number>> = {
  ampere: 108,
  hopper: 132,
  blackwell: 148,
  halved: 100,
  capped: 50,
  other: 100,
};
/** Rows and columns of the part of a result that one multiprocessor computes (cuBLAS; smaller where results are small). */
const TILE = 128;
/** Tiles run in waves, of which the last is half empty on average ("wave quantization", NVIDIA's matrix multiplication guide). */
const LAST_WAVE = 0.5;

/** How much longer a product takes than full waves of tiles would, at least 1. */
function tailOf({ rows, outputs, groups }: Products, generation: Generation): number {
  const waves = (groups * (rows / TILE) * (outputs / TILE)) / MULTIPROCESSORS[generation];
  return 1 + LAST_WAVE / waves;
}

/** A product takes the longer of its arithmetic and its memory traffic. */
export function productSeconds(product: Products, device: Device, constants: Constants): number {
  const { rows, inputs, outputs, groups, arithmetic, times, reads = rows * inputs } = product;
  const reached = reachedShare(device.generation, arithmetic, constants);
  const share = reached * (arithmetic === 'fp8' ? constants.productFp8 : 1);
  const rate = device.flops[arithmetic] * share;
  const computing = (flopsOf(product) / rate) * tailOf(product, device.generation);
  const elements = reads + inputs * outputs + rows * outputs;
  const moving = (elements * groups * times * BYTES[arithmetic]) / (device.bytesPerSecond * MOVING);
  return Math.max(computing, moving) + times * constants.kernelUs * MICRO;
}

/** Share of the bandwidth that large copies reach. */
export const MOVING = 0.85;
const MICRO = 1e-6;

/** Seconds of one pass, alone on a GPU. */
export function passSeconds(rank: RankWork, work: Work, device: Device, constants: Constants): Seconds {
  const { flops, generation, bytesPerSecond } = device;
  const fewer = rank.isCompiled ? constants.compiled : 1;
  const products = work.products.reduce((sum, one) => sum + productSeconds(one, device, constants), 0);
  const newer = generation === 'hopper' || generation === 'blackwell' ? constants.attentionNewer : 1;
  const seen = rank.isCausal ? 1 / 2 : 1;
  // Attention is two products, and no faster than large ones are.
  const reached = Math.min(constants.attention * newer, reachedShare(generation, 'half', constants));
  const attention = (work.attentionFlops * seen) / (flops.half * reached);
  const kernels = work.kernels * fewer;
  const memory =
    (work.writtenBytes * fewer * constants.traffic) / bytesPerSecond + kernels * constants.kernelUs * MICRO;
  const started = kernels + work.products.reduce((sum, { times }) => sum + times, 0) * fewer;
  return {
    products,
    attention,
    memory,
    starting: started * constants.hostUs * MICRO,
  };
}

export const workingOf = ({ products, attention, memory }: Seconds): number => products + attention + memory;

/** Two activities side by side: a little more than the longer one. */
export const together = (a: number, b: number): number =>
  (a ** SHARPNESS + b ** SHARPNESS) ** (1 / SHARPNESS);
const SHARPNESS = 6;

/** Bytes a second between GPU and host RAM over PCIe, one direction; the optimizer on the CPU moves gradients there and weights back. */
export const PCIE_BYTES = 20e9;
/** Elements that a CPU's Adam updates in a second (DeepSpeed, cpu_adam: about 1e9 on 32 cores). */
const CPU_ELEMENTS = 0.6e9;

/** Seconds of the optimizer's step. */
export function updateSeconds(update: UpdateWork, device: Device, { update: moved }: Constants): number {
  const { weightBytes, stateBytes, elements, isOnHost } = update;
  if (isOnHost) return (2 * weightBytes) / PCIE_BYTES + elements / CPU_ELEMENTS;
  return ((2 * weightBytes + stateBytes) * moved) / device.bytesPerSecond;
}

/** FLOPs of a pass, with what attention really computes. */
export function passFlops(rank: RankWork, work: Work): number {
  const attention = work.attentionFlops * (rank.isCausal ? 1 / 2 : 1);
  return work.products.reduce((sum, one) => sum + flopsOf(one), 0) + attention;
}
