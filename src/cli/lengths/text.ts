import type { DataLengths } from '../../core/learn/dataLengths';
import type { LengthRecord } from '../../core/lengths/record';
import { countedHow, dataInWords, lengthChart, recordInWords } from '../../core/render/lengths';
import type { Paint } from '../../core/render/text';

/** What was counted, as a person reads it. */
export function countedText(
  title: string,
  record: LengthRecord,
  data: DataLengths | null,
  limit: number | null,
  paint: Paint,
): string {
  const said = data ? dataInWords(data) : [];
  return [
    `${paint.bold(title)}\n${recordInWords(record)}`,
    lengthChart(record, limit),
    ...(said.length > 0 ? [said.join('\n')] : []),
    paint.dim(countedHow(record).join('\n')),
  ].join('\n\n');
}
