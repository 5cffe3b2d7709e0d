import { isRecord, textIn, valueAt } from '../../core/text/json';
import type { JsonRecord } from '../../core/text/json';

/** Resources of device plugins that are GPUs or parts of GPUs. */
const GPU_RESOURCE =
  /^(?:nvidia\.com\/(?:gpu|gpu\.shared|mig-[\w.-]{1,40})|amd\.com\/(?:gpu|cpx_nps4)|gpu\.intel\.com\/(?:i915|xe))$/;

const isGpuResource = (name: string): boolean => GPU_RESOURCE.test(name);

/** Amounts of GPU resources by name. */
type Amounts = ReadonlyMap<string, number>;

/** The GPU resources in a map of Kubernetes' quantities; device plugins only have whole numbers. */
export function gpusIn(quantities: unknown): Amounts {
  if (!isRecord(quantities)) return new Map();
  return new Map(
    Object.entries(quantities).flatMap(([name, quantity]) => {
      const amount = Number(quantity);
      const isOne = isGpuResource(name) && quantity !== '' && Number.isInteger(amount) && amount >= 0;
      return isOne ? [[name, amount] as const] : [];
    }),
  );
}

/** What a pod takes of the GPUs of its node: its containers at the same time, or its largest init container. */
export function gpusOfPod(pod: JsonRecord): Amounts {
  const together = new Map<string, number>();
  for (const container of recordsAt(pod, 'spec', 'containers')) add(together, gpusOfContainer(container));
  const largest = new Map<string, number>();
  // A sidecar runs from its start on, next to later init containers and the containers.
  const sidecars = new Map<string, number>();
  for (const container of recordsAt(pod, 'spec', 'initContainers')) {
    const own = gpusOfContainer(container);
    if (container['restartPolicy'] === 'Always') {
      add(sidecars, own);
      continue;
    }
    for (const [name, amount] of own) {
      largest.set(name, Math.max(largest.get(name) ?? 0, amount + (sidecars.get(name) ?? 0)));
    }
  }
  add(together, sidecars);
  const names = new Set([...together.keys(), ...largest.keys()]);
  return new Map(
    [...names].map(name => [name, Math.max(together.get(name) ?? 0, largest.get(name) ?? 0)] as const),
  );
}

/** Of extended resources, requests and limits are equal; either may be left out. */
function gpusOfContainer(container: JsonRecord): Amounts {
  const limits = gpusIn(valueAt(container, 'resources', 'limits'));
  return limits.size > 0 ? limits : gpusIn(valueAt(container, 'resources', 'requests'));
}

function add(to: Map<string, number>, more: Amounts): void {
  for (const [name, amount] of more) to.set(name, (to.get(name) ?? 0) + amount);
}

/** The objects of a list in a JSON value. */
export function recordsAt(value: unknown, ...keys: readonly string[]): readonly JsonRecord[] {
  const list = valueAt(value, ...keys);
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** The texts of a map in an object: labels, annotations. */
export function textsAt(value: unknown, ...keys: readonly string[]): ReadonlyMap<string, string> {
  const map = valueAt(value, ...keys);
  if (!isRecord(map)) return new Map();
  return new Map(
    Object.entries(map).flatMap(([key, text]) =>
      textIn(text) === null ? [] : [[key, String(text)] as const],
    ),
  );
}

/** `namespace/name`. */
export const nameOf = (object: JsonRecord): string =>
  [valueAt(object, 'metadata', 'namespace'), valueAt(object, 'metadata', 'name')]
    .flatMap(part => textIn(part) ?? [])
    .join('/');
