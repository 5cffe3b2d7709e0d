import type { Quantity } from '../../spec/quantity';
import type { YamlPath } from '../../yaml/path';
import { rootOf, statedAt, textAt } from '../command/nodes';
import type { Layer } from '../engine/compose';

/** Node labels that name the GPU: those of the device plugin and of three clouds. */
const PRODUCTS = [
  'nvidia.com/gpu.product',
  'cloud.google.com/gke-accelerator',
  'gpu.nvidia.com/class',
  'karpenter.k8s.aws/instance-gpu-name',
];

/** The GPU that a pod's node must have; ignores alternatives in affinities. */
export function productOf(pod: YamlPath, opened: Layer): Quantity<string> | null {
  for (const label of PRODUCTS) {
    const path = [...pod, 'nodeSelector', label];
    const product = textAt(rootOf(opened), ...path);
    if (product !== null) return statedAt(opened, path, product.replace(/-SHARED$/, ''));
  }
  return null;
}
