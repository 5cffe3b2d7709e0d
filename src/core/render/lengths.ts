import type { DataLengths } from '../learn/dataLengths';
import { percentile, rowsIn } from '../lengths/counts';
import type { Bins } from '../lengths/counts';
import { toTokens, isWhole, longestRow, meanTokens, tokenBins } from '../lengths/record';
import type { LengthRecord } from '../lengths/record';
import { lines } from '../text/terminal';
import type { TerminalText } from '../text/terminal';
import type { Json } from '../text/json';
import { formatBytes, formatRange, groupDigits, grouped } from '../units';
import { verdictWord } from '../memory/words';
import { english } from '../text/say';
import { commas } from '../text/lists';
import type { Say } from '../text/say';

const percent = (say: Say, share: number): string =>
  share > 0 && share < 0.001 ? say('less than 0.1 %') : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

/** The counted lengths in a sentence. */
export function describeRecord(say: Say, record: LengthRecord): string {
  const bins = tokenBins(record);
  const { low, expected, high } = toTokens(record, record.longest);
  const longest =
    low === high
      ? grouped(expected)
      : say('about {0} ({1} to {2})', grouped(expected), grouped(low), grouped(high));
  const about = (tokens: number): string =>
    record.tokenizer === null ? say('about {0}', grouped(tokens)) : grouped(tokens);
  const rows =
    record.rows === 1
      ? say('{0} row of {1}', grouped(record.rows), record.name)
      : say('{0} rows of {1}', grouped(record.rows), record.name);
  return say(
    '{0}: mean {1} tokens, median {2}, 95 % within {3}, longest {4}.',
    rows,
    about(meanTokens(record)),
    about(percentile(bins, 0.5)),
    grouped(percentile(bins, 0.95)),
    longest,
  );
}

/** Sentences about how reliable the count is. */
export function countedHow(say: Say, record: LengthRecord): readonly string[] {
  const { tokenizer, left } = record;
  const by =
    tokenizer === null
      ? say(
          "The model's tokenizer isn't on this machine: token counts assume 4 bytes per token (2 to 5 in the interval).",
        )
      : messagesHow(say, tokenizer, record);
  return [by, ...sampledHow(say, record), ...left.map(one => say('Not counted: {0}.', one))];
}

function messagesHow(say: Say, tokenizer: string, { marks, template }: LengthRecord): string {
  const { rendered = 0, refused = 0, why = null } = template ?? {};
  const because = why === null ? '' : ` (${why})`;
  if (marks === null) {
    return rendered === 0
      ? say('Tokenized with {0}.', tokenizer)
      : say('Tokenized with {0}, messages formatted with its chat template.', tokenizer);
  }
  if (rendered > 0) {
    const others = refused > 0 ? say('{0} that it rejects{1}', grouped(refused), because) : say('others');
    return say(
      'Tokenized with {0}, messages formatted with its chat template, {1} in {2} format.',
      tokenizer,
      others,
      marks,
    );
  }
  return refused > 0
    ? say(
        "Tokenized with {0}, messages in {1} format; text that the chat template adds isn't counted; its chat template failed{2}.",
        tokenizer,
        marks,
        because,
      )
    : say(
        "Tokenized with {0}, messages in {1} format; text that the chat template adds isn't counted.",
        tokenizer,
        marks,
      );
}

function sampledHow(say: Say, record: LengthRecord): readonly string[] {
  const { rows, counted, scanned, untokenisedBytes } = record;
  if (isWhole(record) || (scanned && rows === counted)) return [];
  const sample = say(
    'Tokenized {0} of {1} rows: an even sample and the longest ones.',
    grouped(counted),
    grouped(rows),
  );
  const { high } = longestRow(record);
  if (scanned && high !== null) {
    return [
      sample,
      say(
        'All others have at most {0} bytes: at most {1} tokens at the density of the longest rows.',
        grouped(untokenisedBytes),
        grouped(high),
      ),
    ];
  }
  // If none of n drawn rows was longer, fewer than 3 in n are with 95 % certainty (rule of three).
  return [
    sample,
    say(
      'The files have more rows that were not read: up to 1 row in {0} may be longer (95 %).',
      grouped(counted / 3),
    ),
  ];
}

/** Sentences about what the lengths mean for the run. */
export function describeDataLengths(say: Say, data: DataLengths): readonly string[] {
  if (data.isStale) {
    return [say('The data changed after the count of {0}. Count it again.', data.record.at.slice(0, 10))];
  }
  return [...useSentences(say, data), ...cutSentences(say, data)];
}

function useSentences(say: Say, data: DataLengths): readonly string[] {
  const { use, limit, longest, paddingShare } = data;
  const padding =
    paddingShare === null ? [] : [say('{0} of a batch is padding.', percent(say, paddingShare))];
  switch (use) {
    case 'prompts':
      return [say('These are the prompts. Completions are as long as the config allows.')];
    case 'packed':
      return limit === null ? [] : [describePacked(say, data, limit)];
    case 'fixed':
      return limit === null ? [] : [say('Every batch is padded to {0} tokens.', grouped(limit)), ...padding];
    case 'longest':
      return longest === null ? [] : [longestSentence(say, data, longest), ...padding];
  }
}

function describePacked(say: Say, { record }: DataLengths, limit: number): string {
  const rows = Math.max(1, Math.round((meanTokens(record) * record.rows) / limit));
  return rows === 1
    ? say('Packed: about 1 row of {0} tokens.', grouped(limit))
    : say('Packed: about {0} rows of {1} tokens.', groupDigits(rows), grouped(limit));
}

function longestSentence(say: Say, { estimate, limit, record }: DataLengths, longest: number): string {
  const device = estimate?.devices[0];
  if (limit !== null && longest >= limit) {
    return say("The longest batch sets the peak: rows reach the config's {0} tokens.", grouped(limit));
  }
  const sure = record.scanned
    ? say('No row is longer than {0} tokens', grouped(longest))
    : say('No row read is longer than {0} tokens', grouped(longest));
  if (!device) return say('{0}; the longest batch sets the peak.', sure);
  const { low, expected, high } = device.device;
  const amount = `≈ ${formatBytes(expected)} (${formatRange(low, high)})`;
  const judged =
    device.capacityBytes === null ? amount : commas(say, [amount, verdictWord(say, device.verdict)]);
  return limit === null
    ? say('{0}, and the longest batch sets the peak: with this data {1}.', sure, judged)
    : say(
        '{0}, and the longest batch sets the peak: with this data {1}; the estimate for the limit of {2} tokens holds for any data.',
        sure,
        judged,
        grouped(limit),
      );
}

function cutSentences(say: Say, { cutShare, limit, use }: DataLengths): readonly string[] {
  if (limit === null || cutShare <= 0 || use === 'prompts') return [];
  return [
    say('{0} of the rows are longer than the limit of {1} tokens.', percent(say, cutShare), grouped(limit)),
  ];
}

/** ` · your data ≈ 18.0 GB`, if the data change the estimate. */
export function dataWord(say: Say, data: DataLengths | null | undefined, expected: number): string {
  const device = data?.estimate?.devices[0];
  if (!data || !device || device.device.expected > expected * MENTION_BELOW_RATIO) return '';
  return data.limit === null ? '' : ` · ${say('your data ≈ {0}', formatBytes(device.device.expected))}`;
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
      return `  ≤ ${grouped(upTo).padStart(width)}  ${bar} ${share === 0 ? '' : percent(english, share)}${mark}`.trimEnd();
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
