/**
 * Reads recorded outputs of GPU tools and compares them with what must be read from them:
 * `npm run --silent telemetry -- --index FILE --json`. FILE is a table of JSON lines beside the recordings: `file`,
 * `command`, `exitCode`, `stream`, `expected`. Prints `{samples, right, wrong, unread, unreadFiles}`: recordings
 * of formats that a reader exists for, those read right in every field, what was not, and how many have no reader.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compare } from './compare';
import type { Wrong } from './compare';
import { readRecording } from './recording';
import type { Recording } from './recording';

interface Summary {
  readonly samples: number;
  readonly right: number;
  readonly wrong: readonly Wrong[];
  /** Recordings whose tool or format has no reader. */
  readonly unread: number;
  readonly unreadFiles: readonly string[];
}

function summarise(index: string): Summary {
  const recordings = readFileSync(index, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Recording);
  const unread: string[] = [];
  const wrong: Wrong[] = [];
  for (const recording of recordings) {
    const reading = readRecording(recording, readFileSync(join(dirname(index), recording.file), 'utf8'));
    if (reading) wrong.push(...compare(recording, reading));
    else unread.push(recording.file);
  }
  const samples = recordings.length - unread.length;
  return {
    samples,
    right: samples - new Set(wrong.map(one => one.file)).size,
    wrong,
    unread: unread.length,
    unreadFiles: unread,
  };
}

function main(argv: readonly string[]): number {
  const index = argv[argv.indexOf('--index') + 1];
  if (!argv.includes('--index') || index === undefined) {
    process.stderr.write('usage: npm run --silent telemetry -- --index FILE [--json]\n');
    return 3;
  }
  let summary: Summary;
  try {
    summary = summarise(index);
  } catch (error) {
    process.stderr.write(`${index} cannot be read as an index of recordings: ${String(error)}\n`);
    return 3;
  }
  if (argv.includes('--json')) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else {
    process.stdout.write(`${summary.right} of ${summary.samples} right, ${summary.unread} unread\n`);
    for (const { file, field, expected, got } of summary.wrong) {
      process.stdout.write(
        `${file} ${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}\n`,
      );
    }
  }
  return summary.wrong.length === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
