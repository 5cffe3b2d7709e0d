import { json as asJson, lines, paragraphs, terminal } from '../../core/text/terminal';
import type { Command } from 'commander';
import { dataLengths, withRowLimit } from '../../core/learn/dataLengths';
import type { DataLengths } from '../../core/learn/dataLengths';
import type { LengthRecord } from '../../core/lengths/record';
import type { Json } from '../../core/text/json';
import {
  countedHow,
  dataAsJson,
  describeDataLengths,
  lengthChart,
  recordAsJson,
  describeRecord,
} from '../../core/render/lengths';
import type { Paint, TerminalText } from '../../core/text/terminal';
import { EXIT } from '../exit';
import { terminalOutput } from '../output';
import type { Output } from '../output';
import { countedNow } from './counting';
import { subjectsOf } from './subject';
import type { LengthsOptions, Subject } from './subject';
import { english } from '../../core/text/say';

/** The counts as text. */
function countedText(
  title: string,
  record: LengthRecord,
  data: DataLengths | null,
  limit: number | null,
  paint: Paint,
): TerminalText {
  const dataLines = data ? describeDataLengths(english, data) : [];
  return paragraphs([
    lines([paint.bold(title), describeRecord(english, record)]),
    lengthChart(record, limit),
    ...(dataLines.length > 0 ? [lines(dataLines)] : []),
    paint.dim(lines(countedHow(english, record))),
  ]);
}

const NO_DATA =
  'it sets no dataset that Headroom can find; give the data file itself (headroom lengths FILE)';

/** `headroom lengths PATH`: the lengths of the data's rows, and what they mean for the run. */
async function lengths(path: string, options: LengthsOptions): Promise<void> {
  const output = terminalOutput(options);
  const documents: Json[] = [];
  for (const subject of await subjectsOf(path, options)) {
    documents.push(await one(path, subject, options, output));
  }
  if (options.json === true) {
    output.out(asJson({ schema: 'headroom-lengths/1', file: path, runs: documents }, 2));
  }
}

async function one(path: string, subject: Subject, options: LengthsOptions, output: Output): Promise<Json> {
  const name = subject.run?.run.name ?? '';
  const { record, why } =
    subject.datasets.length === 0
      ? { record: null, why: [NO_DATA] }
      : (earlierRecord(subject, options) ?? (await countedNow(path, subject, options, output)));
  const title = [path, name].filter(part => part !== '').join(' · ');
  if (record === null) {
    process.exitCode = EXIT.undecided;
    if (options.json !== true) {
      output.out(terminal`${output.paint.bold(title)}: couldn't count tokens: ${why.join('; ')}.`);
    }
    return { name, refused: [...why] };
  }
  const data = decided(subject, options, record);
  if (options.json !== true) output.out(countedText(title, record, data, subject.limit, output.paint));
  const json = data ? dataAsJson(data) : recordAsJson(record);
  const says = [describeRecord(english, record), ...(data ? describeDataLengths(english, data) : [])];
  return { name, says, ...(json as Readonly<Record<string, Json>>) };
}

interface Answer {
  readonly record: LengthRecord | null;
  /** Why there is no record. */
  readonly why: readonly string[];
}

/** The earlier record, if the files are unchanged and the options request no more. */
function earlierRecord({ run }: Subject, { again, all, tokenizer, column }: LengthsOptions): Answer | null {
  const data = run?.data;
  if (!data || data.isStale || again === true || tokenizer !== undefined || column !== undefined) return null;
  return all === true && data.record.counted < data.record.rows ? null : { record: data.record, why: [] };
}

function decided({ run }: Subject, { limit }: LengthsOptions, record: LengthRecord): DataLengths | null {
  if (!run) return null;
  const limited = limit === undefined ? run.run : withRowLimit(run.run, limit);
  return dataLengths(limited, run, { record, isStale: false });
}

/**
 * The number of rows to tokenize if there are more: then the 99th percentile is precise to a few rows per thousand.
 */
const SAMPLES = 20_000;

/** Adds `headroom lengths` and its options to a command with target options. */
export function lengthsOptions(command: Command, wholeNumber: (text: string) => number): Command {
  return command
    .description('count the tokens of the training data, and show what they mean for the run')
    .argument('<path>', 'config, or data file or folder: jsonl, json, csv, tsv, txt or parquet')
    .option('--run <name>', 'run to use, if the file has several')
    .option(
      '--tokenizer <model>',
      'tokenizer: a folder, a tokenizer.json, or a model in the Hugging Face cache',
    )
    .option('--column <name>', 'text column')
    .option('--limit <n>', "sequence length to compare with (default: the config's)", wholeNumber)
    .option(
      '--samples <n>',
      'rows to tokenize of large data, in addition to the longest',
      wholeNumber,
      SAMPLES,
    )
    .option('--all', 'tokenize every row')
    .option('--again', 'count again, even if the data was counted before')
    .option('--no-keep', "don't store the result in .headroom/lengths.jsonl")
    .option('--json', 'print as JSON')
    .action(lengths);
}
