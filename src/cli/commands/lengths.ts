import { dataLengths } from '../../core/learn/dataLengths';
import type { DataLengths } from '../../core/learn/dataLengths';
import { ofLength } from '../../core/learn/dataLengths';
import type { LengthRecord } from '../../core/lengths/record';
import type { Json } from '../../core/render/json';
import { dataAsJson, dataInWords, recordAsJson, recordInWords } from '../../core/render/lengths';
import { countedNow } from '../lengths/counting';
import type { LengthsOptions } from '../lengths/options';
import { countedText } from '../lengths/text';
import { subjectsOf } from '../lengths/subject';
import type { Subject } from '../lengths/subject';
import { EXIT } from '../exit';
import { terminalOutput } from '../output';
import type { Output } from '../output';

const NO_DATA =
  'it sets no dataset that Headroom can find; give the data file itself (headroom lengths FILE)';

/** `headroom lengths PATH`: how long the rows of the data are, and what that means for the run. */
export async function lengths(path: string, options: LengthsOptions): Promise<void> {
  const output = terminalOutput(options);
  const told: Json[] = [];
  for (const subject of await subjectsOf(path, options)) told.push(await one(path, subject, options, output));
  if (options.json === true) {
    output.out(JSON.stringify({ schema: 'headroom-lengths/1', file: path, runs: told }, null, 2));
  }
}

async function one(path: string, subject: Subject, options: LengthsOptions, output: Output): Promise<Json> {
  const name = subject.run?.run.name ?? '';
  const { record, why } =
    subject.datasets.length === 0
      ? { record: null, why: [NO_DATA] }
      : (known(subject, options) ?? (await countedNow(path, subject, options, output)));
  const title = [path, name].filter(part => part !== '').join(' · ');
  if (record === null) {
    process.exitCode = EXIT.undecided;
    if (options.json !== true) {
      output.out(`${output.paint.bold(title)}: couldn't count tokens: ${why.join('; ')}.`);
    }
    return { name, refused: [...why] };
  }
  const data = decided(subject, options, record);
  if (options.json !== true) output.out(countedText(title, record, data, subject.limit, output.paint));
  const json = data ? dataAsJson(data) : recordAsJson(record);
  const says = [recordInWords(record), ...(data ? dataInWords(data) : [])];
  return { name, says, ...(json as Readonly<Record<string, Json>>) };
}

interface Answer {
  readonly record: LengthRecord | null;
  /** Without a record: what was in the way. */
  readonly why: readonly string[];
}

/** What was counted before, where the files are the same and nobody wants more of it. */
function known({ run }: Subject, { again, all, tokenizer, column }: LengthsOptions): Answer | null {
  const data = run?.data;
  if (!data || data.isStale || again === true || tokenizer !== undefined || column !== undefined) return null;
  return all === true && data.record.counted < data.record.rows ? null : { record: data.record, why: [] };
}

function decided({ run }: Subject, { limit }: LengthsOptions, record: LengthRecord): DataLengths | null {
  if (!run) return null;
  const asked = limit === undefined ? run.run : ofLength(run.run, limit);
  return dataLengths(asked, run, { record, isStale: false });
}
