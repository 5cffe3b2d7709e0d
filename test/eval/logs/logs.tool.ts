/**
 * Classifies out-of-memory texts and reads training logs: `npm run --silent logs -- --oom FILE --progress FILE
 * --json`. Each FILE has a JSON object per line, with a `text` and what a person read from it (`expected`). Prints
 * `{oom: {texts, kindRight, numbersRight, numbers, falseAlarms, missed, wrong}, progress: {excerpts, fields, right,
 * wrong}}`, with the requested parts.
 */
import { jsonLines, runTool, UsageError } from '../toolArguments';
import type { Given } from '../toolArguments';
import { compareOom } from './oom';
import type { OomRecord, OomSummary } from './oom';
import { compareProgress } from './progress';
import type { ProgressRecord, ProgressSummary, Wrong } from './progress';

interface Summary {
  readonly oom?: OomSummary;
  readonly progress?: ProgressSummary;
}

const recordsIn = (given: Given, flag: string): readonly unknown[] =>
  given.paths(flag, 'file').flatMap(jsonLines);

function summaryOf(given: Given): Summary {
  if (!given.has('oom') && !given.has('progress')) {
    throw new UsageError('--oom or --progress is missing: each takes a file of JSON lines.');
  }
  return {
    ...(given.has('oom') && { oom: compareOom(recordsIn(given, 'oom') as readonly OomRecord[]) }),
    ...(given.has('progress') && {
      progress: compareProgress(recordsIn(given, 'progress') as readonly ProgressRecord[]),
    }),
  };
}

const wrongLines = (wrong: readonly Wrong[]): string =>
  wrong
    .map(
      ({ id, field, expected, got }) =>
        `${id} ${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}\n`,
    )
    .join('');

function printed({ oom, progress }: Summary): string {
  const ofOom = oom
    ? `${oom.kindRight} of ${oom.texts} kinds and ${oom.numbersRight} of ${oom.numbers} numbers right, ${oom.falseAlarms} false alarms, ${oom.missed} missed\n${wrongLines(oom.wrong)}`
    : '';
  const ofProgress = progress
    ? `${progress.right} of ${progress.fields} fields of ${progress.excerpts} excerpts right\n${wrongLines(progress.wrong)}`
    : '';
  return ofOom + ofProgress;
}

void runTool({ many: ['oom', 'progress'], none: ['json'] }, given => {
  const summary = summaryOf(given);
  process.stdout.write(given.has('json') ? `${JSON.stringify(summary)}\n` : printed(summary));
  return (summary.oom?.wrong.length ?? 0) + (summary.progress?.wrong.length ?? 0) === 0 ? 0 : 1;
});
