import { unknownDevice } from '../device';
import { wordsOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import type { ToolReading } from '../tool';
import { vendorOf } from './vendor';

/**
 * Output of `wmic path Win32_VideoController get /value` or of `Get-CimInstance` as a list: a block of `key=value`
 * per adapter. It is UTF-16, whose zero bytes are removed here. AdapterRAM is not used: a 32-bit number that
 * saturates at 4 GB, and for integrated GPUs the share that the driver chose.
 */
export function readAdapters(text: string, receivedMs: number): ToolReading {
  const all: Map<string, string>[] = [];
  let isOpen = false;
  for (const line of plain(text).split(/\r?\n/)) {
    const [, key, value] = /^(\w+)\s*[=:](.*)/.exec(line) ?? [];
    if (key === undefined || value === undefined) {
      isOpen &&= line.trim() !== '';
      continue;
    }
    if (!isOpen || all.at(-1)?.has(key)) all.push(new Map());
    isOpen = true;
    all.at(-1)?.set(key, value.trim());
  }
  return readingOf(
    all.filter(isAdapter).map((adapter, index) => shown(deviceOf(adapter, index), {}, receivedMs)),
  );
}

/** UTF-16 text that was read as bytes: every second byte is zero. */
const plain = (text: string): string => text.replace(/^\uFEFF|^ÿþ|^\uFFFD\uFFFD/, '').replaceAll('\0', '');

type Adapter = ReadonlyMap<string, string>;

const isAdapter = (adapter: Adapter): boolean => wordsOf(adapter.get('Name')) !== null;

function deviceOf(adapter: Adapter, index: number) {
  const name = wordsOf(adapter.get('Name'));
  const vendor = vendorOf(`${adapter.get('AdapterCompatibility') ?? ''} ${name ?? ''}`);
  return unknownDevice({
    key: `${vendor}:${index}`,
    vendor,
    index,
    name,
    driverVersion: wordsOf(adapter.get('DriverVersion')),
  });
}

/** Displays of remote desktops and virtual machines, without a GPU. */
export const isVirtual = (name: string | null): boolean =>
  /remote display|basic (?:display|render)|hyper-v|mirror driver|virtual (?:display|desktop)/i.test(
    name ?? '',
  );
