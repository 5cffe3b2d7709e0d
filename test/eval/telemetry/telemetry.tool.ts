/**
 * Reads recorded outputs of GPU tools and compares them with the expected readings: `npm run --silent telemetry --
 * --index FILE --json`. FILE is a table of JSON lines next to the recordings: `file`, `command`, `exitCode`,
 * `stream`, `expected`. Prints `{samples, right, fields, fieldsRight, wrong}`: recordings and those read right in
 * every field, fields and those read right, and what was not.
 */
import { dirname, join } from 'node:path';
import { jsonLines, runTool, textOf } from '../toolArguments';
import type { Given } from '../toolArguments';
import { compare } from './compare';
import type { Compared, Wrong } from './compare';
import { readRecording } from './recording';
import type { Recording } from './recording';

interface Summary {
  readonly samples: number;
  /** Recordings that were read right in every field. */
  readonly right: number;
  readonly fields: number;
  readonly fieldsRight: number;
  readonly wrong: readonly Wrong[];
}

function summarise(indexes: readonly string[]): Summary {
  const wrong: Wrong[] = [];
  let samples = 0;
  let right = 0;
  let fields = 0;
  for (const index of indexes) {
    for (const recording of jsonLines(index) as readonly Recording[]) {
      const reading = readRecording(recording, textOf(join(dirname(index), recording.file)));
      const compared = reading ? compare(recording, reading) : unread(recording.file);
      samples += 1;
      fields += compared.fields;
      if (compared.wrong.length === 0) right += 1;
      wrong.push(...compared.wrong);
    }
  }
  return { samples, right, fields, fieldsRight: fields - wrong.length, wrong };
}

/** A recording without a reader is wrong in at least one field. */
const unread = (file: string): Compared => ({
  fields: 1,
  wrong: [{ file, field: 'format', expected: 'read', got: null }],
});

function main(given: Given): number {
  const summary = summarise(given.paths('index', 'file'));
  if (given.has('json')) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else {
    process.stdout.write(
      `${summary.right} of ${summary.samples} recordings right, ${summary.fieldsRight} of ${summary.fields} fields\n`,
    );
    for (const { file, field, expected, got } of summary.wrong) {
      process.stdout.write(
        `${file} ${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}\n`,
      );
    }
  }
  return summary.wrong.length === 0 ? 0 : 1;
}

void runTool({ many: ['index'], none: ['json'] }, main);
