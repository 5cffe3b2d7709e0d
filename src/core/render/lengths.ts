import { counted as countOf, grouped } from '../units';
import type { DataLengths } from '../learn/dataLengths';
import { percentile, rowsIn } from '../lengths/counts';
import type { Bins } from '../lengths/counts';
import { toTokens, isWhole, longestRow, meanTokens, tokenBins } from '../lengths/record';
import type { LengthRecord } from '../lengths/record';
import { lines } from '../text/terminal';
import type { TerminalText } from '../text/terminal';
import type { Json } from '../text/json';
import { formatBytes, formatRange } from '../units';
import { VERDICT_WORDS } from '../memory/words';

const percent = (share: number): string =>
  share > 0 && share < 0.001 ? 'less than 0.1 %' : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

/** The counted lengths in a sentence. */
export function describeRecord(record: LengthRecord): string {
  const bins = tokenBins(record);
  const { low, expected, high } = toTokens(record, record.longest);
  const longest =
    low === high ? grouped(expected) : `about ${grouped(expected)} (${grouped(low)} to ${grouped(high)})`;
  const about = record.tokenizer === null ? 'about ' : '';
  return (
    `${grouped(record.rows)} ${record.rows === 1 ? 'row' : 'rows'} of ${record.name}: mean ${about}${grouped(meanTokens(record))} tokens, ` +
    `median ${about}${grouped(percentile(bins, 0.5))}, 95 % within ${grouped(percentile(bins, 0.95))}, longest ${longest}.`
  );
}

/** Sentences about how reliable the count is. */
export function countedHow(record: LengthRecord): readonly string[] {
  const { tokenizer, left } = record;
  const by =
    tokenizer === null
      ? "The model's tokenizer isn't on this machine: token counts assume 4 bytes per token (2 to 5 in the interval)."
      : `Tokenized with ${tokenizer}${messagesHow(record)}.`;
  return [by, ...sampledHow(record), ...left.map(one => `Not counted: ${one}.`)];
}

function messagesHow({ marks, template }: LengthRecord): string {
  const { rendered = 0, refused = 0, why = null } = template ?? {};
  const because = why === null ? '' : ` (${why})`;
  if (marks === null) return rendered === 0 ? '' : ', messages formatted with its chat template';
  if (rendered > 0) {
    const others = refused > 0 ? `${grouped(refused)} that it rejects${because}` : 'others';
    return `, messages formatted with its chat template, ${others} in ${marks} format`;
  }
  const failed = refused > 0 ? `; its chat template failed${because}` : '';
  return `, messages in ${marks} format; text that the chat template adds isn't counted${failed}`;
}

function sampledHow(record: LengthRecord): readonly string[] {
  const { rows, counted, scanned, untokenisedBytes } = record;
  if (isWhole(record) || (scanned && rows === counted)) return [];
  const sample = `Tokenized ${grouped(counted)} of ${grouped(rows)} rows: an even sample and the longest ones`;
  const { high } = longestRow(record);
  if (scanned && high !== null) {
    return [
      `${sample}. All others have at most ${grouped(untokenisedBytes)} bytes: at most ${grouped(high)} tokens at the density of the longest rows.`,
    ];
  }
  // If none of n drawn rows was longer, fewer than 3 in n are with 95 % certainty (rule of three).
  return [
    `${sample}. The files have more rows that were not read: up to 1 row in ${grouped(counted / 3)} may be longer (95 %).`,
  ];
}

/** Sentences about what the lengths mean for the run. */
export function describeDataLengths(data: DataLengths): readonly string[] {
  if (data.isStale) {
    return [`The data changed after the count of ${data.record.at.slice(0, 10)}. Count it again.`];
  }
  return [...useSentences(data), ...cutSentences(data)];
}

function useSentences(data: DataLengths): readonly string[] {
  const { use, limit, longest, paddingShare } = data;
  const padding = paddingShare === null ? '' : ` ${percent(paddingShare)} of a batch is padding.`;
  switch (use) {
    case 'prompts':
      return ['These are the prompts. Completions are as long as the config allows.'];
    case 'packed':
      return limit === null ? [] : [describePacked(data, limit)];
    case 'fixed':
      return limit === null ? [] : [`Every batch is padded to ${grouped(limit)} tokens.${padding}`];
    case 'longest':
      return longest === null ? [] : [longestSentence(data, longest) + padding];
  }
}

function describePacked({ record }: DataLengths, limit: number): string {
  const tokens = meanTokens(record) * record.rows;
  return `Packed: about ${countOf(Math.max(1, Math.round(tokens / limit)), 'row')} of ${grouped(limit)} tokens.`;
}

function longestSentence({ estimate, limit, record }: DataLengths, longest: number): string {
  const device = estimate?.devices[0];
  if (limit !== null && longest >= limit) {
    return `The longest batch sets the peak: rows reach the config's ${grouped(limit)} tokens.`;
  }
  const sure = record.scanned
    ? `No row is longer than ${grouped(longest)} tokens`
    : `No row read is longer than ${grouped(longest)} tokens`;
  if (!device) return `${sure}; the longest batch sets the peak.`;
  const { low, expected, high } = device.device;
  const judged = device.capacityBytes === null ? '' : `, ${VERDICT_WORDS[device.verdict]}`;
  const other =
    limit === null ? '' : `; the estimate for the limit of ${grouped(limit)} tokens holds for any data`;
  return `${sure}, and the longest batch sets the peak: with this data ≈ ${formatBytes(expected)} (${formatRange(low, high)})${judged}${other}.`;
}

function cutSentences({ cutShare, limit, use }: DataLengths): readonly string[] {
  if (limit === null || cutShare <= 0 || use === 'prompts') return [];
  return [`${percent(cutShare)} of the rows are longer than the limit of ${grouped(limit)} tokens.`];
}

/** ` · your data ≈ 18.0 GB`, if the data change the estimate. */
export function dataWord(data: DataLengths | null | undefined, expected: number): string {
  const device = data?.estimate?.devices[0];
  if (!data || !device || device.device.expected > expected * MENTION_BELOW_RATIO) return '';
  return data.limit === null ? '' : ` · your data ≈ ${formatBytes(device.device.expected)}`;
}

const MENTION_BELOW_RATIO = 0.95;

/** Shares of rows by doubling length, for a terminal: `   ≤ 512 ██████ 31 %`. */
export function lengthChart(record: LengthRecord, limit: number | null): TerminalText {
  const bars = doubling(tokenBins(record), limit);
  const most = Math.max(...bars.map(({ share }) => share));
  const width = Math.max(...bars.map(({ upTo }) => grouped(upTo).length));
  return lines(
    bars.map(({ upTo, share }) => {
      const bar = '█'.repeat(Math.round((share / most) * BAR)) || (share > 0 ? '▏' : '');
      const mark = upTo === limit ? ' ◂ limit' : '';
      return `  ≤ ${grouped(upTo).padStart(width)}  ${bar} ${share === 0 ? '' : percent(share)}${mark}`.trimEnd();
    }),
  );
}

const BAR = 40;
const FIRST = 32;

/** Shares of rows by doubling length, with an edge at the limit. */
function doubling(
  bins: Bins,
  limit: number | null,
): readonly { readonly upTo: number; readonly share: number }[] {
  const longest = bins.at(-1)?.[0] ?? 0;
  const edges: number[] = [];
  for (let edge = FIRST; ; edge *= 2) {
    edges.push(edge);
    if (edge >= longest) break;
  }
  if (limit !== null && limit > FIRST && limit < longest) edges.push(limit);
  const sorted = [...new Set(edges)].toSorted((a, b) => a - b);
  const all = rowsIn(bins);
  let before = 0;
  const shares = sorted.map(upTo => {
    const rows = rowsIn(bins.filter(([bin]) => bin > before && bin <= upTo));
    before = upTo;
    return { upTo, share: all === 0 ? 0 : rows / all };
  });
  return shares.slice(shares.findIndex(({ share }) => share > 0));
}

/** The counted lengths, for `--json`. */
export function recordAsJson(record: LengthRecord): Json {
  const bins = tokenBins(record);
  const { high } = longestRow(record);
  return {
    name: record.name,
    at: record.at,
    files: record.files.map(({ path, bytes }) => ({ path, bytes })),
    left: [...record.left],
    tokenizer: record.tokenizer,
    marks: record.marks,
    template: record.template ? { ...record.template } : null,
    rows: record.rows,
    counted: record.counted,
    scanned: record.scanned,
    tokens: {
      mean: Math.round(meanTokens(record) * 10) / 10,
      percentiles: Object.fromEntries(PERCENTILES.map(p => [`p${p}`, percentile(bins, p / 100)])),
      longest: { ...toTokens(record, record.longest) },
      longestAtMost: high,
    },
    histogram: bins.map(([upTo, rows]) => [upTo, rows]),
  };
}

const PERCENTILES = [50, 75, 90, 95, 99] as const;

/** The effect of the data on a run, for `--json`. */
export function dataAsJson(data: DataLengths): Json {
  const { isStale, limit, use, longest, cutShare, paddingShare, estimate } = data;
  const device = estimate?.devices[0];
  return {
    ...(recordAsJson(data.record) as Readonly<Record<string, Json>>),
    isStale,
    limit,
    use,
    longest,
    cutShare,
    paddingShare,
    estimate: device ? { bytes: { ...device.device }, verdict: device.verdict } : null,
  };
}
