import type { Target } from '../../hardware/gpu';

/**
 * What tensor ranks take beyond one GPU: NCCL's channels, and buffers of custom and symmetric-memory all-reduce.
 * 1.8 to 1.95 GiB in seven starts of 0.19 on two and four H100 (vllm pull request 10511 has 1.79), 2.0 on eight A100 SXM; 0.1 to
 * 0.3 GiB on cards without NVLink (RTX 3090, V100 PCIe).
 */
const NVLINK_MIB = 1900;
const BRIDGE_MIB = 200;

const isLinked = (target: Target | null): boolean =>
  /sxm|hbm3|h200|b200|gb\d00|h20\b/i.test(
    `${target?.gpu?.name ?? target?.name ?? ''} ${target?.gpu?.form ?? ''}`,
  );

/** Buffers for communication between tensor ranks, in MiB on each GPU. */
export const communicationMiB = (target: Target | null): number =>
  isLinked(target) ? NVLINK_MIB : BRIDGE_MIB;
