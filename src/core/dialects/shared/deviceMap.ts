import type { Quantity } from '../../spec/quantity';
import type { DeviceMapSettings } from '../../spec/values';
import type { Rule } from '../dialect';
import type { RunReader } from '../engine/runReader';
import type { Plain } from '../../yaml/scalars';
import { ownOf } from '../../yaml/tables';

const STRATEGIES = ['auto', 'balanced', 'balanced_low_0', 'sequential'] as const;

const UNITS: Readonly<Record<string, number>> = {
  GIB: 2 ** 30,
  MIB: 2 ** 20,
  KIB: 2 ** 10,
  GB: 1e9,
  MB: 1e6,
  KB: 1e3,
};

/** `20GiB`, `14GB`; a lower-case b means bits (accelerate 1.15, utils/modeling.py, convert_file_size_to_int). */
function memoryOf(value: Plain): number | null {
  if (typeof value === 'number') return value;
  const [, number = '', unit = ''] =
    /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*$/.exec(typeof value === 'string' ? value : '') ?? [];
  const each = ownOf(UNITS, unit.toUpperCase());
  if (each === undefined) return null;
  const bits = each % 1000 === 0 && unit.endsWith('b');
  return Math.floor((Number(number) * each) / (bits ? 8 : 1));
}

type Rooms = NonNullable<DeviceMapSettings['maxMemory']>;

/** GPUs first, then the host, then the disk, whatever the order of the keys. */
function roomsOf(value: Plain): Rooms | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const rooms = Object.entries<Plain>(value).flatMap(([key, limit]): Rooms => {
    const bytes = memoryOf(limit);
    const device = /^\d+$/.test(key) ? Number(key) : key;
    const isDevice = typeof device === 'number' || device === 'cpu' || device === 'disk';
    return bytes === null || !isDevice ? [] : [{ device, bytes }];
  });
  const gpus = rooms
    .filter(({ device }) => typeof device === 'number')
    .toSorted((a, b) => Number(a.device) - Number(b.device));
  const others = ['cpu', 'disk'].flatMap(name => rooms.filter(({ device }) => device === name));
  return [...gpus, ...others];
}

/** `device_map` with `max_memory`, as for from_pretrained, with any of these prefixes. */
export const deviceMapAt =
  (...prefixes: readonly string[]): Rule<DeviceMapSettings> =>
  run => {
    for (const prefix of prefixes) {
      const found = deviceMapIn(run, prefix);
      if (found) return found;
    }
    return run.none('transformers modeling_utils.py: device_map is None');
  };

function deviceMapIn(run: RunReader, prefix: string): Quantity<DeviceMapSettings> | null {
  const [map, memory] = [`${prefix}device_map`, `${prefix}max_memory`];
  const strategy = STRATEGIES.find(name => name === run.value(map));
  if (strategy === undefined) return null;
  return run.at(run.has(memory) ? [map, memory] : map, { strategy, maxMemory: roomsOf(run.value(memory)) });
}

/**
 * Axolotl fills GPUs in order if a limit is set (src/axolotl/loaders/model.py, _set_device_map_config). A map by
 * name only applies with a single process, which a config cannot state.
 */
export function axolotlDeviceMap(run: RunReader): Quantity<DeviceMapSettings> {
  if (run.has('max_memory')) {
    return run.at('max_memory', { strategy: 'sequential', maxMemory: roomsOf(run.value('max_memory')) });
  }
  const limit = run.value('gpu_memory_limit');
  const gpus = run.get('gpus').value;
  if (limit === null) return run.none('loaders/model.py: device_map is that of the process');
  const bytes = memoryOf(typeof limit === 'number' ? `${limit}GiB` : limit);
  if (bytes === null || gpus === null) {
    return run.unknown('gpu_memory_limit is for each GPU, whose number is not in the files.');
  }
  const each = Array.from({ length: gpus }, (_, device) => ({ device, bytes }));
  const maxMemory = [...each, { device: 'cpu' as const, bytes: 256 * 2 ** 30 }];
  return run.at('gpu_memory_limit', { strategy: 'sequential', maxMemory });
}
