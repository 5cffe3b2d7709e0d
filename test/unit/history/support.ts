import { factsIn, pastRuns } from '../../../src/core/history/collect';
import type { PastRun } from '../../../src/core/history/collect';
import type { LogFacts, LogFiles } from '../../../src/core/history/logs';
import { dirname } from '../../../src/core/text/paths';
import { PbfWriter } from 'pbf';

type Content = string | Uint8Array;

/** The runs in folders of files that exist only here. */
export async function runsOf(contents: Readonly<Record<string, Content>>): Promise<readonly PastRun[]> {
  const folders = new Map<string, Set<string>>();
  for (const path of Object.keys(contents)) {
    for (let at = path; at !== ''; at = dirname(at)) {
      const above = dirname(at);
      const names = folders.get(above) ?? new Set();
      folders.set(above, names.add(at.slice(above === '' ? 0 : above.length + 1)));
    }
  }
  const names = (folder: string): readonly string[] => [...(folders.get(folder) ?? [])].sort();
  const files: LogFiles = {
    text: path => Promise.resolve(asText(contents[path])),
    bytes: path => Promise.resolve(asBytes(contents[path])),
    names: folder => Promise.resolve(names(folder)),
  };
  const facts: LogFacts[] = [];
  for (const path of [...folders.keys()].sort()) {
    facts.push(...(await factsIn({ path: path || '.', names: names(path) }, files)));
  }
  return pastRuns(facts);
}

const asText = (content: Content | undefined): string | null =>
  typeof content === 'string' ? content : null;
const asBytes = (content: Content | undefined): Uint8Array | null =>
  content === undefined ? null : typeof content === 'string' ? Buffer.from(content) : content;

/** TFRecords without checksums, which nothing here verifies. */
export function tfRecordsOf(records: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(
    records.map(record => {
      const head = Buffer.alloc(12);
      head.writeUInt32LE(record.length, 0);
      return Buffer.concat([head, record, Buffer.alloc(4)]);
    }),
  );
}

/** A TensorBoard event with scalars, or with texts. */
export function eventOf(
  wallSeconds: number,
  step: number,
  values: Readonly<Record<string, number | string>>,
): Uint8Array {
  const event = new PbfWriter();
  event.writeDoubleField(1, wallSeconds);
  event.writeVarintField(2, step);
  const summary = new PbfWriter();
  for (const [tag, value] of Object.entries(values)) summary.writeBytesField(1, valueOf(tag, value));
  event.writeBytesField(5, summary.finish());
  return event.finish();
}

function valueOf(tag: string, value: number | string): Uint8Array {
  const out = new PbfWriter();
  out.writeStringField(1, tag);
  if (typeof value === 'number') out.writeFloatField(2, value);
  else {
    const tensor = new PbfWriter();
    tensor.writeVarintField(1, 7);
    tensor.writeStringField(8, value);
    out.writeBytesField(8, tensor.finish());
  }
  return out.finish();
}

/** A `.wandb` file with one record of the system's statistics, or of the history, for each item, in LevelDB's blocks. */
export function wandbLogOf(
  stats: readonly Readonly<Record<string, number>>[],
  pad = 0,
  kind: 'stats' | 'history' = 'stats',
): Uint8Array {
  const parts: Buffer[] = [Buffer.from([0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0])];
  let at = 7;
  const piece = (data: Uint8Array, kind: number): void => {
    const head = Buffer.alloc(7);
    head.writeUInt16LE(data.length, 4);
    head.writeUInt8(kind, 6);
    parts.push(head, Buffer.from(data));
    at += 7 + data.length;
  };
  for (const one of stats) {
    let data = recordOf(one, pad, kind);
    for (let isFirst = true; ; isFirst = false) {
      let left = 32_768 - (at % 32_768);
      if (left < 7) {
        parts.push(Buffer.alloc(left));
        at += left;
        left = 32_768;
      }
      const isLast = data.length <= left - 7;
      piece(data.subarray(0, left - 7), isLast ? (isFirst ? 1 : 4) : isFirst ? 2 : 3);
      if (isLast) break;
      data = data.subarray(left - 7);
    }
  }
  return Buffer.concat(parts);
}

function recordOf(
  stats: Readonly<Record<string, number>>,
  pad: number,
  kind: 'stats' | 'history',
): Uint8Array {
  const items = new PbfWriter();
  for (const [name, value] of Object.entries({ ...stats })) {
    const item = new PbfWriter();
    item.writeStringField(1, name);
    item.writeStringField(16, JSON.stringify(value) + ' '.repeat(pad));
    items.writeBytesField(kind === 'stats' ? 3 : 1, item.finish());
  }
  const record = new PbfWriter();
  record.writeBytesField(kind === 'stats' ? 7 : 2, items.finish());
  return record.finish();
}
