/*
 * Every number of the speed model that comes from measurements. `npm run speed -- --fit` fits them on published runs, and
 * scores each source with the numbers that the other sources give. None belongs to a source, a model or a record.
 */
import fitted from './fitted.json';

/** Kinds of GPUs whose kernels reach other shares of the published rates. */
export type Generation = 'ampere' | 'hopper' | 'blackwell' | 'halved' | 'capped' | 'other';

/** Shares of published rates, and times that no data sheet has. */
export interface Constants {
  /** Reached share of the tensor cores' rate in large products. */
  readonly productAmpere: number;
  readonly productHopper: number;
  readonly productBlackwell: number;
  readonly productHalved: number;
  readonly productCapped: number;
  readonly productOther: number;
  /** The same in fp8, against the share in 16 bits. */
  readonly productFp8: number;
  /** Reached share in fused attention on Ampere, and how much of that newer generations keep. */
  readonly attention: number;
  readonly attentionNewer: number;
  /** Bytes moved for each byte that small kernels write, over the reached share of the bandwidth. */
  readonly traffic: number;
  /** What compilation leaves of that traffic, and of the kernels. */
  readonly compiled: number;
  /** Time of a kernel beyond its work, in microseconds. */
  readonly kernelUs: number;
  /** Time in which the host starts a kernel or a collective, Python included, in microseconds. */
  readonly hostUs: number;
  /** Time of a collective beyond its bytes, on the host and in the network, in microseconds. */
  readonly callUs: number;
  /** Bytes moved for each byte of weights and states in an update, over the reached share. */
  readonly update: number;
  /** Reached share of links between GPUs, of the same machine and of several. */
  readonly link: number;
  readonly network: number;
  /** Share of communication that costs no time while a pass computes. */
  readonly overlap: number;
}

export type ConstantName = keyof Constants;

/** What each constant would be without any measurement, and how far fits may leave it: factors down and up. */
export interface Prior {
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly why: string;
}

export const PRIORS: Readonly<Record<ConstantName, Prior>> = {
  productAmpere: {
    value: 0.8,
    least: 0.5,
    most: 0.92,
    why: 'cuBLAS reaches 80 to 90 % of an A100’s rate in large products',
  },
  productHopper: {
    value: 0.68,
    least: 0.4,
    most: 0.85,
    why: 'an H100’s clock falls under load: 600 to 750 of 989 TFLOP/s',
  },
  productBlackwell: { value: 0.65, least: 0.4, most: 0.85, why: 'as Hopper' },
  productHalved: {
    value: 0.95,
    least: 0.6,
    most: 1,
    why: 'half-rate tensor cores are the only limit: 163.5 of 165.2 TFLOP/s on an RTX 4090, 75.6 of 71.2 on a 3090 (public benchmarks)',
  },
  productCapped: {
    value: 0.37,
    least: 0.25,
    most: 0.6,
    why: 'boards of 75 W lower their clock: 24 of 65 TFLOP/s on a T4 (NVIDIA’s forum)',
  },
  productOther: { value: 0.7, least: 0.4, most: 0.95, why: 'other GPUs, between Ampere and Hopper' },
  productFp8: { value: 0.75, least: 0.4, most: 1, why: 'casts and scales come on top of the product' },
  attention: {
    value: 0.6,
    least: 0.25,
    most: 0.8,
    why: 'FlashAttention-2 (Dao 2023): 50 to 73 % on an A100',
  },
  attentionNewer: {
    value: 0.6,
    least: 0.3,
    most: 1,
    why: 'FlashAttention-2 reaches 35 to 40 % on an H100 (Shah et al. 2024)',
  },
  traffic: {
    value: 2.8,
    least: 1.2,
    most: 6,
    why: 'one or two reads for each write, at 85 % of the bandwidth',
  },
  compiled: { value: 0.5, least: 0.2, most: 1, why: 'fused chains write about half as often' },
  kernelUs: { value: 3, least: 0.5, most: 10, why: 'start and end of a kernel' },
  hostUs: {
    value: 24,
    least: 5,
    most: 60,
    why: 'a 7B model writes 25.5 tokens/s in eager mode on an A100 (PyTorch’s blog): 39 ms for 32 layers of 51 kernels',
  },
  callUs: {
    value: 50,
    least: 15,
    most: 300,
    why: 'NCCL’s latency of small messages, and the host’s work for a call',
  },
  update: { value: 2, least: 0.8, most: 8, why: 'reads and writes, and gradients for clipping' },
  link: { value: 0.7, least: 0.3, most: 0.95, why: 'NCCL’s bus bandwidth over NVLink' },
  network: { value: 0.6, least: 0.15, most: 0.95, why: 'NCCL’s bus bandwidth over InfiniBand' },
  overlap: {
    value: 0.6,
    least: 0.1,
    most: 0.95,
    why: 'beside a collective, products of an H100 reach 47 instead of 80 % (NVIDIA’s forum)',
  },
};

/** The fitted numbers. */
export const CONSTANTS: Constants = fitted.constants;

/** Factors from the expected time to the low and the high one. */
export interface Spread {
  readonly low: number;
  readonly high: number;
}

export const SPREADS: Readonly<Record<'one' | 'several', Spread>> = fitted.spreads;
