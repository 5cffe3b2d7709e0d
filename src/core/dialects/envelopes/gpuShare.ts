import type { GpuShare } from '../../spec/runSpec';
import type { MapNode, YamlNode } from '../../yaml/node';
import type { YamlPath } from '../../yaml/path';
import { nodeAt, rootOf, statedAt, textAt } from '../command/nodes';
import type { Layer } from '../engine/compose';

/** HAMi's resources; `gpumem` is in MiB (Project-HAMi docs, “Allocate device memory”). */
const HAMI = [
  { key: 'nvidia.com/gpumem', unit: 'MiB' },
  { key: 'nvidia.com/gpumem-percentage', unit: '%' },
] as const;

/** KAI's annotations of a pod; `gpu-memory` is in MiB (KAI-Scheduler docs/gpu-sharing). */
const KAI = [
  { key: 'gpu-memory', unit: 'MiB' },
  { key: 'gpu-fraction', unit: 'GPUs' },
] as const;

interface AskedPart extends Pick<GpuShare, 'scheduler' | 'unit'> {
  readonly value: number;
  readonly path: YamlPath;
}

/** The part of each GPU that a container of a manifest asks a scheduler for, if it asks for a part. */
export function askedPart(container: YamlNode, path: YamlPath, root: MapNode): AskedPart | null {
  for (const part of ['limits', 'requests']) {
    for (const { key, unit } of HAMI) {
      const at = ['resources', part, key];
      const value = amountIn(textAt(container, ...at));
      if (value !== null) return { scheduler: 'HAMi', unit, value, path: [...path, ...at] };
    }
  }
  // The first container gets it, unless an annotation names another.
  const annotations = annotationsOf(path);
  if (annotations === null || path.at(-1) !== 0 || !nodeAt(root, ...annotations)) return null;
  if (textAt(root, ...annotations, 'gpu-fraction-container-name') !== null) return null;
  for (const { key, unit } of KAI) {
    const value = amountIn(textAt(root, ...annotations, key));
    if (value !== null) return { scheduler: 'KAI', unit, value, path: [...annotations, key] };
  }
  return null;
}

/** The same with the place that states it. */
export function gpuShareOf(container: YamlNode, path: YamlPath, opened: Layer): GpuShare | null {
  const root = rootOf(opened);
  const part = root ? askedPart(container, path, root) : null;
  if (part === null) return null;
  const { scheduler, unit, value } = part;
  const { origin } = statedAt(opened, part.path, value);
  return { scheduler, unit, amount: { value, origin } };
}

/** The annotations next to the pod's `spec`. */
function annotationsOf(path: YamlPath): YamlPath | null {
  const spec = path.slice(0, -2);
  return spec.at(-1) === 'spec' ? [...spec.slice(0, -1), 'metadata', 'annotations'] : null;
}

function amountIn(text: string | null): number | null {
  const amount = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(amount) && amount > 0 ? amount : null;
}
