import { countOf } from '../parse/amount';
import { isRecord, numberIn, parsedJson, textIn } from '../../core/text/json';
import type { JsonRecord } from '../../core/text/json';
import { textsAt } from './resources';

/** A GPU that HAMi shares among pods by memory. */
export interface HamiGpu {
  readonly uuid: string;
  readonly memoryMiB: number;
  readonly type: string;
  readonly isHealthy: boolean;
}

const REGISTERED = 'hami.io/node-nvidia-register';
const ALLOCATED = ['hami.io/vgpu-devices-allocated', 'hami.io/vgpu-devices-to-allocate'];

/**
 * The GPUs of a node as HAMi registers them in an annotation: a JSON list, or `UUID,SLOTS,MIB,CORES,TYPE,NUMA,HEALTHY…`
 * with a colon after each. Empty: HAMi does not share its GPUs.
 */
export function hamiGpus(node: JsonRecord): readonly HamiGpu[] {
  const text = textsAt(node, 'metadata', 'annotations').get(REGISTERED)?.slice(0, 100_000) ?? '';
  const list = text.trimStart().startsWith('[') ? parsedJson(text) : null;
  if (Array.isArray(list)) return list.filter(isRecord).flatMap(fromJson);
  return text.split(':').flatMap(fromText);
}

function fromJson(one: JsonRecord): readonly HamiGpu[] {
  const [uuid, memoryMiB] = [textIn(one['id']), numberIn(one['devmem'])];
  if (uuid === null || memoryMiB === null || memoryMiB <= 0) return [];
  return [{ uuid, memoryMiB, type: textIn(one['type']) ?? '', isHealthy: one['health'] !== false }];
}

function fromText(text: string): readonly HamiGpu[] {
  const [uuid = '', , memory, , type = '', , healthy] = text.split(',');
  const memoryMiB = countOf(memory);
  if (!/^[\w-]{4,100}$/.test(uuid) || memoryMiB === null || memoryMiB <= 0) return [];
  return [{ uuid, memoryMiB, type, isHealthy: healthy !== 'false' }];
}

/** MiB that a pod holds of each GPU: `UUID,NVIDIA,MIB,CORES:` for each GPU, a semicolon after each container. */
export function hamiHeld(pod: JsonRecord): ReadonlyMap<string, number> {
  const annotations = textsAt(pod, 'metadata', 'annotations');
  const text = ALLOCATED.map(key => annotations.get(key)).find(one => one !== undefined) ?? '';
  const held = new Map<string, number>();
  for (const part of text.slice(0, 100_000).split(/[:;]/)) {
    const [uuid = '', , memory] = part.split(',');
    const memoryMiB = countOf(memory);
    if (uuid !== '' && memoryMiB !== null) held.set(uuid, (held.get(uuid) ?? 0) + memoryMiB);
  }
  return held;
}
