import { unknownDevice } from '../device';
import { countOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import type { ToolReading } from '../tool';
import { MEMORY, PRODUCTS, productOf } from './nodeGpus';

/** `nvidia.com/gpu.count=8` of `kubectl describe`, `"nvidia.com/gpu": "8"` of JSON, without quotes of YAML. */
const LABEL =
  /(?<![\w./-])([a-z][\w.-]{0,60}\/[a-z][\w.-]{0,60})["']?\s{0,40}[=:]\s{0,40}["']?([\w.-]{1,80})/g;
const COUNT = /^(?:nvidia|amd)\.com\/gpu\.count$/;
const RESOURCE = /^(?:nvidia|amd)\.com\/gpu$/;

/** Parts of a pod ask for GPUs by the same names; only a node has a capacity. */
const OF_NODES = /\b(?:capacity|allocatable)\b/i;

type Labels = Map<string, string>;

/** A label that comes again is another node's; its resources are stated twice, as capacity and as allocatable. */
function nodesIn(text: string): readonly Labels[] {
  const nodes: Labels[] = [];
  for (const [, name = '', value = ''] of text.matchAll(LABEL)) {
    const isLabel = PRODUCTS.includes(name) || MEMORY.includes(name) || COUNT.test(name);
    const last = nodes.at(-1);
    if (last === undefined || (isLabel && last.has(name))) nodes.push(new Map([[name, value]]));
    else last.set(name, value);
  }
  return nodes;
}

const MOST_GPUS = 64;

/** The GPUs of the nodes that `kubectl describe node` and `kubectl get nodes -o json|yaml` print, by their labels. */
export function readNodeLabels(text: string, receivedMs: number): ToolReading {
  const hasCapacity = OF_NODES.test(text);
  const gpus = nodesIn(text).flatMap(labels => {
    const { gpu, memoryMiB } = productOf('nvidia.com/gpu', labels);
    const said = (name: RegExp) => [...labels].find(([label]) => name.test(label))?.[1];
    const count = countOf(said(COUNT) ?? (hasCapacity ? said(RESOURCE) : undefined)) ?? 0;
    return gpu === null || count > MOST_GPUS ? [] : Array.from({ length: count }, () => ({ gpu, memoryMiB }));
  });
  return readingOf(
    gpus.map(({ gpu, memoryMiB }, index) => {
      const device = unknownDevice({
        key: `node:${index}`,
        vendor: 'unknown',
        index,
        name: gpu,
        memoryTotalMiB: memoryMiB,
        memoryKind: memoryMiB === null ? 'unknown' : 'dedicated',
      });
      return shown(device, {}, receivedMs);
    }),
  );
}
