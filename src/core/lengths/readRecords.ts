import type { Bins } from './counts';
import type { CountedFile, LengthRecord, TemplateUse } from './record';

type Loose = Readonly<Record<string, unknown>>;

/** The counts of a file, oldest first. A truncated line only loses itself. */
export function readRecords(text: string): readonly LengthRecord[] {
  return text
    .split('\n')
    .map(recordOf)
    .filter(found => found !== null);
}

/** A line of the file. */
export const recordLine = (record: LengthRecord): string => `${JSON.stringify(record)}\n`;

function recordOf(line: string): LengthRecord | null {
  const value = parsed(line);
  if (value?.['schema'] !== 'headroom-lengths/1') return null;
  const { key } = value;
  const bins = binsOf(value['bins']);
  const files = filesOf(value['files']);
  const amounts = amountsIn(value);
  if (!bins || !files || !amounts || typeof key !== 'string') return null;
  const least = value['leastBytesPerToken'];
  const template = templateOf(value['template']);
  return {
    schema: 'headroom-lengths/1',
    at: textOf(value['at']) ?? '',
    by: textOf(value['by']) ?? '',
    key,
    name: textOf(value['name']) ?? '',
    files,
    left: textsIn(value['left']),
    tokenizer: textOf(value['tokenizer']),
    marks: textOf(value['marks']),
    ...(template && { template }),
    scanned: value['scanned'] === true,
    bins,
    ...amounts,
    leastBytesPerToken: isAmount(least) && least > 0 ? least : null,
  };
}

type Amounts = Pick<LengthRecord, 'rows' | 'counted' | 'sum' | 'longest' | 'untokenisedBytes'>;

function amountsIn({ rows, counted, sum, longest, untokenisedBytes }: Loose): Amounts | null {
  if (!isAmount(rows) || !isAmount(counted) || !isAmount(sum)) return null;
  return isAmount(longest) && isAmount(untokenisedBytes)
    ? { rows, counted, sum, longest, untokenisedBytes }
    : null;
}

function binsOf(value: unknown): Bins | null {
  if (!Array.isArray(value)) return null;
  const bins = value.flatMap((bin: unknown) => {
    const [upTo, rows] = Array.isArray(bin) ? (bin as readonly unknown[]) : [];
    return isAmount(upTo) && isAmount(rows) && rows > 0 ? [[upTo, rows] as const] : [];
  });
  return bins.length === value.length && bins.length > 0 ? bins.toSorted(([a], [b]) => a - b) : null;
}

function templateOf(value: unknown): TemplateUse | null {
  const { rendered, refused, why } = (value ?? {}) as Loose;
  return isAmount(rendered) && isAmount(refused) ? { rendered, refused, why: textOf(why) } : null;
}

function filesOf(value: unknown): readonly CountedFile[] | null {
  if (!Array.isArray(value)) return null;
  return value.flatMap((file: unknown) => {
    const { path, bytes, modifiedMs } = (file ?? {}) as Loose;
    return typeof path === 'string' && isAmount(bytes) && isAmount(modifiedMs)
      ? [{ path, bytes, modifiedMs }]
      : [];
  });
}

function parsed(line: string): Loose | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : null;
  } catch {
    return null;
  }
}

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(one => typeof one === 'string') : [];

const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
