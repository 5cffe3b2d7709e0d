import { unknownDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { csvCells } from '../parse/text';
import { isList, isObject, leafText, valueAt } from '../parse/json';
import type { Json } from '../parse/json';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import type { ToolReading } from '../tool';

/** Facts of one device by their JSON names, in any output format. */
type Facts = ReadonlyMap<string, string>;

/** Names in the table and the CSV that differ from the JSON's. */
const NAMES: Readonly<Record<string, string>> = {
  'device id': 'device_id',
  'device name': 'device_name',
  uuid: 'uuid',
  'soc uuid': 'uuid',
  'pci bdf address': 'pci_bdf_address',
  'driver version': 'driver_version',
  'memory physical size': 'memory_physical_size',
  'number of tiles': 'number_of_tiles',
  'number of eus': 'number_of_eus',
};

/** Output of `xpu-smi discovery -j`, for one device or all. */
export function readDiscoveryJson(values: readonly Json[], receivedMs: number): ToolReading {
  const devices = values.flatMap(value => {
    const list = valueAt(value, 'device_list');
    return isList(list) ? list : [value];
  });
  const all = devices.flatMap(device => {
    if (!isObject(device) || valueAt(device, 'device_name') === undefined) return [];
    const facts = Object.entries(device).map(([key, value]) => [key, leafText(value) ?? ''] as const);
    return shownOf(new Map(facts), receivedMs);
  });
  return readingOf(all);
}

/** Output of `xpu-smi discovery`: a table with a `key: value` per line. */
export function readDiscoveryTable(text: string, receivedMs: number): ToolReading {
  const all: Map<string, string>[] = [];
  let isLost = false;
  for (const line of text.split(/\r?\n/)) {
    const [, id = '', key, value] = /^\|([\d\s]*)\|([^:|]+):(.*)\|\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    if (id.trim() !== '') {
      all.push(new Map([['device_id', id.trim()]]));
      isLost = false;
    }
    const name = NAMES[key.trim().toLowerCase()] ?? key.trim();
    // A repeated key without a device number: the line that started the next device is missing.
    if (all.at(-1)?.has(name)) isLost = true;
    if (!isLost) all.at(-1)?.set(name, value.trim());
  }
  return readingOf(all.flatMap(facts => shownOf(facts, receivedMs)));
}

/** Output of `xpu-smi discovery --dump`: CSV with quotes. */
export function readDiscoveryCsv(text: string, receivedMs: number): ToolReading {
  const lines = text.split(/\r?\n/);
  const at = lines.findIndex(line => line.startsWith('Device ID,'));
  const names = csvCells(lines[at] ?? '').map(name => NAMES[name.toLowerCase()] ?? name);
  const all = lines.slice(at + 1).flatMap(line => {
    const cells = csvCells(line);
    if (at < 0 || cells.length !== names.length) return [];
    return shownOf(new Map(names.map((name, column) => [name, cells[column] ?? ''])), receivedMs);
  });
  return readingOf(all);
}

function shownOf(facts: Facts, receivedMs: number): readonly Shown[] {
  const index = countOf(facts.get('device_id'));
  if (index === null) return [];
  const words = (key: string): string | null => wordsOf(facts.get(key));
  const total = memoryOf(facts);
  const free = amountOf(facts.get('memory_free_size_byte') ?? '', 'MiB', 'B');
  const uuid = words('uuid');
  const pciBusId = words('pci_bdf_address');
  const device = unknownDevice({
    key: uuid ?? pciBusId ?? `intel:${index}`,
    vendor: 'intel',
    index,
    uuid,
    pciBusId,
    name: words('device_name'),
    memoryTotalMiB: total,
    memoryKind: total === null ? 'unknown' : 'dedicated',
    driverVersion: words('driver_version'),
    tileCount: countOf(facts.get('number_of_tiles')),
    coreCount: countOf(facts.get('number_of_eus')),
  });
  const used =
    total === null || free === null || free > total ? {} : { memoryUsedMiB: [String(total - free)] };
  return [shown(device, used, receivedMs)];
}

/** In bytes in the JSON, with a unit in the table. An integrated GPU has no memory of its own. */
function memoryOf(facts: Facts): number | null {
  const bytes = facts.get('memory_physical_size_byte');
  const total =
    bytes === undefined
      ? amountOf(facts.get('memory_physical_size') ?? '', 'MiB')
      : amountOf(bytes, 'MiB', 'B');
  return total === 0 ? null : total;
}
