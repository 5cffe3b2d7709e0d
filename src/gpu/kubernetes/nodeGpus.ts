import { countOf } from '../parse/amount';
import { textIn, valueAt } from '../../core/text/json';
import type { JsonRecord } from '../../core/text/json';
import { gpusIn, recordsAt, textsAt } from './resources';

/** GPUs of one resource on one node. */
export interface NodeGpus {
  readonly node: string;
  /** `nvidia.com/gpu`, `nvidia.com/mig-1g.10gb`. */
  readonly resource: string;
  /** The product as its label names it, in words; null: no label names it. */
  readonly gpu: string | null;
  readonly memoryMiB: number | null;
  /** What pods on this node can get of it together. */
  readonly total: number;
  /** Why no pod can get any now; null: they can. */
  readonly closed: string | null;
  /** How the GPUs are shared, taints; null: nothing to say. */
  readonly note: string | null;
}

/** Labels that name the product: GPU feature discovery of the vendors, and clouds. */
export const PRODUCTS: readonly string[] = [
  ...['nvidia.com/gpu.product', 'amd.com/gpu.product-name', 'gpu.intel.com/product'],
  ...['cloud.google.com/gke-accelerator', 'gpu.nvidia.com/model', 'gpu.nvidia.com/class'],
  ...['k8s.amazonaws.com/accelerator', 'karpenter.k8s.aws/instance-gpu-name'],
];

/** Labels of memory, in MiB. */
export const MEMORY: readonly string[] = ['nvidia.com/gpu.memory', 'karpenter.k8s.aws/instance-gpu-memory'];

/** Taints that nodes with GPUs usually have; jobs with GPUs tolerate them. */
const USUAL_TAINT =
  /^(?:nvidia\.com\/gpu|amd\.com\/gpu|gpu|sku|node\.kubernetes\.io\/(?:unschedulable|not-ready))$/;

/** The GPUs of a node by resource; empty for a node without. */
export function gpusOfNode(node: JsonRecord): readonly NodeGpus[] {
  const name = textIn(valueAt(node, 'metadata', 'name')) ?? '';
  const labels = textsAt(node, 'metadata', 'labels');
  const closed = whyClosed(node);
  const taints = taintNote(node);
  return [...gpusIn(valueAt(node, 'status', 'allocatable'))]
    .filter(([, total]) => total > 0)
    .map(([resource, total]) => ({
      node: name,
      resource,
      ...productOf(resource, labels),
      total,
      closed,
      note: notes([sharing(resource, labels), taints]),
    }));
}

/** The product and its memory as labels say. */
export function productOf(resource: string, labels: ReadonlyMap<string, string>) {
  const found = PRODUCTS.map(label => labels.get(label)).find(text => text !== undefined) ?? null;
  // A node whose GPUs are all in equal slices names the slice, too.
  const product = found === null ? null : words(found.replace(/-SHARED$|-MIG-[\w.]+(?:-SHARED)?$/, ''));
  const slice = /^nvidia\.com\/mig-(.+)$/.exec(resource)?.[1] ?? null;
  if (slice !== null) {
    const memory = /\.(\d{1,3})gb/.exec(slice)?.[1];
    const label = countOf(labels.get(`${resource}.memory`));
    const memoryMiB = label ?? (memory === undefined ? null : Number(memory) * 1024);
    return { gpu: product === null ? `MIG ${slice}` : `${product} MIG ${slice}`, memoryMiB };
  }
  const memoryMiB = MEMORY.map(label => countOf(labels.get(label))).find(amount => amount !== null) ?? null;
  return { gpu: product, memoryMiB };
}

/** `NVIDIA-H100-80GB-HBM3` as people write it. */
const words = (label: string): string => label.replaceAll(/[-_]+/g, ' ').trim();

/** Time slices and MPS: a slot is not a GPU, and its memory is not reserved. */
function sharing(resource: string, labels: ReadonlyMap<string, string>): string | null {
  const replicas = countOf(labels.get('nvidia.com/gpu.replicas'));
  const isShared = resource.endsWith('.shared') || labels.get('nvidia.com/gpu.product')?.endsWith('-SHARED');
  if (!resource.startsWith('nvidia.com/gpu') || (!isShared && (replicas ?? 1) < 2)) return null;
  return replicas === null ? 'slots that share GPUs' : `slots: ${replicas} share the memory of a GPU`;
}

function whyClosed(node: JsonRecord): string | null {
  if (valueAt(node, 'spec', 'unschedulable') === true) return 'cordoned';
  const ready = recordsAt(node, 'status', 'conditions').find(({ type }) => type === 'Ready');
  return ready?.['status'] === 'True' ? null : 'not ready';
}

function taintNote(node: JsonRecord): string | null {
  const taints = recordsAt(node, 'spec', 'taints').flatMap(({ key, value, effect }) => {
    const name = textIn(key);
    if (name === null || USUAL_TAINT.test(name) || effect === 'PreferNoSchedule') return [];
    return [textIn(value) === null ? name : `${name}=${String(value)}`];
  });
  return taints.length === 0 ? null : `taint ${taints.join(', ')}`;
}

const notes = (all: readonly (string | null)[]): string | null =>
  all.filter(one => one !== null).join('; ') || null;
