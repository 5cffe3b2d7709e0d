import { processOutsideTorchBytes } from '../../hardware/processMemory';
import type { OomKind, OomNumbers, OtherProcess } from './report';
import { MIB } from '../../units';

/**
 * Below it, "more is free than was asked for" means nothing: two amounts in GiB with two decimals are off by 5 MiB each, and the
 * driver takes memory for kernels in steps of 2 MiB between torch's query and its own failure.
 */
const DRIVER_SLACK_BYTES = 16 * MIB;

/** Device memory in torch's pool; null if the text does not state it. */
function pooledBytes(numbers: OomNumbers): number | null {
  const { allocatedBytes, reservedUnallocatedBytes, reservedTotalBytes } = numbers;
  if (reservedTotalBytes !== null) return reservedTotalBytes;
  return allocatedBytes === null || reservedUnallocatedBytes === null
    ? null
    : allocatedBytes + reservedUnallocatedBytes;
}

/** Unused memory in the pool. */
function idleBytes({ allocatedBytes, reservedUnallocatedBytes, reservedTotalBytes }: OomNumbers): number {
  if (reservedUnallocatedBytes !== null) return reservedUnallocatedBytes;
  if (reservedTotalBytes === null || allocatedBytes === null) return 0;
  return Math.max(0, reservedTotalBytes - allocatedBytes);
}

/**
 * The listed process that is this one: inside a container its pid differs, so torch lists it as another. It holds
 * the pool plus its context.
 */
function itself(numbers: OomNumbers): OtherProcess | null {
  const pooled = pooledBytes(numbers);
  if (numbers.processBytes !== null || pooled === null) return null;
  const candidates = numbers.otherProcesses.filter(({ bytes }) => {
    const outside = bytes - pooled;
    // Amounts are printed in GiB with two decimals: each may be off by 5 MiB.
    return outside > -16 * MIB && outside <= processOutsideTorchBytes;
  });
  return candidates.sort((one, other) => one.bytes - other.bytes)[0] ?? null;
}

/** Device memory of other processes. */
function otherProcessesBytes(numbers: OomNumbers): number {
  const { allocatedBytes, ownAllocatedBytes } = numbers;
  if (allocatedBytes !== null && ownAllocatedBytes !== null) {
    return allocatedBytes - ownAllocatedBytes - processOutsideTorchBytes;
  }
  const own = itself(numbers);
  const others = numbers.otherProcesses.filter(process => process !== own);
  if (numbers.otherProcesses.length > 0 || numbers.processBytes !== null) {
    return others.reduce((sum, { bytes }) => sum + bytes, 0);
  }
  const pooled = pooledBytes(numbers);
  const { capacityBytes, freeBytes } = numbers;
  if (pooled === null || capacityBytes === null || freeBytes === null) return 0;
  return capacityBytes - freeBytes - pooled - processOutsideTorchBytes;
}

const isBeyondTheCard = ({ triedBytes, capacityBytes }: OomNumbers): boolean =>
  triedBytes !== null && capacityBytes !== null && triedBytes > capacityBytes;

/**
 * Why the device could not provide the requested memory, computed from the text's own numbers. The first is the
 * cause; the others also apply.
 */
export function causesOf(numbers: OomNumbers): readonly [OomKind, ...OomKind[]] {
  const { triedBytes, freeBytes, allowedBytes, capacityBytes } = numbers;
  if (triedBytes === null || isBeyondTheCard(numbers)) return ['gpu-shortage'];
  // Without the free amount: the pool's unused memory alone would have been enough.
  if (freeBytes === null) return [idleBytes(numbers) >= triedBytes ? 'gpu-fragmentation' : 'gpu-shortage'];
  const isPlausible = capacityBytes === null || freeBytes <= capacityBytes;
  if (allowedBytes !== null && freeBytes >= triedBytes) return ['gpu-cap'];
  if (isPlausible && freeBytes >= triedBytes + DRIVER_SLACK_BYTES) return ['gpu-refused'];
  const missing = triedBytes - freeBytes;
  const inPieces = missing > 0 && idleBytes(numbers) >= missing;
  // What seems free is the driver's then: no other request would have got it.
  const crowded = otherProcessesBytes(numbers) >= (missing > 0 ? missing : DRIVER_SLACK_BYTES);
  if (inPieces) return crowded ? ['gpu-fragmentation', 'gpu-neighbour'] : ['gpu-fragmentation'];
  return crowded ? ['gpu-neighbour'] : ['gpu-shortage'];
}
