/**
 * Reads recorded outputs of GPU tools and compares them with what must be read from them:
 * `npm run --silent telemetry -- --index FILE --json`. FILE is a table of JSON lines beside the recordings: `file`,
 * `command`, `exitCode`, `stream`, `expected`. Prints `{samples, right, fields, fieldsRight, wrong, unread, unreadFiles}`:
 * recordings of formats that a reader exists for, those read right in every field, all fields and those read right, what
 * was not, and how many recordings have no reader.
 */
import { dirname, join } from 'node:path';
import { jsonLines, runTool, textOf } from '../toolArguments';
import type { Given } from '../toolArguments';
import { compare } from './compare';
import type { Wrong } from './compare';
import { readRecording } from './recording';
import type { Recording } from './recording';

interface Summary {
  readonly samples: number;
  readonly right: number;
  readonly fields: number;
  readonly fieldsRight: number;
  readonly wrong: readonly Wrong[];
  /** Recordings whose tool or format has no reader. */
  readonly unread: number;
  readonly unreadFiles: readonly string[];
}

function summarise(indexes: readonly string[]): Summary {
  const unread: string[] = [];
  const wrong: Wrong[] = [];
  const wrongFiles = new Set<string>();
  let recordings = 0;
  let fields = 0;
  for (const index of indexes) {
    for (const recording of jsonLines(index) as readonly Recording[]) {
      const path = join(dirname(index), recording.file);
      const reading = readRecording(recording, textOf(path));
      const compared = reading ? compare(recording, reading) : { fields: 0, wrong: [] };
      const mistakes = compared.wrong;
      fields += compared.fields;
      recordings += 1;
      if (!reading) unread.push(recording.file);
      if (mistakes.length > 0) wrongFiles.add(path);
      wrong.push(...mistakes);
    }
  }
  const samples = recordings - unread.length;
  const right = samples - wrongFiles.size;
  const fieldsRight = fields - wrong.length;
  return { samples, right, fields, fieldsRight, wrong, unread: unread.length, unreadFiles: unread };
}

function main(given: Given): number {
  const summary = summarise(given.paths('index', 'file'));
  if (given.has('json')) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else {
    process.stdout.write(
      `${summary.right} of ${summary.samples} recordings right, ${summary.fieldsRight} of ${summary.fields} fields, ${summary.unread} unread\n`,
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
