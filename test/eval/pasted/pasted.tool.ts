/**
 * Frames recorded outputs in each of the ways in which people paste them, and counts the readings that differ from
 * the plain one: `npm run --silent pasted -- --index FILE --oom FILE --progress FILE --json`. Prints `{outputs,
 * frames, readings, differ, byFrame: {NAME: {readings, differ, which}}}`.
 */
import { dirname, join } from 'node:path';
import { jsonLines, runTool, textOf, UsageError } from '../toolArguments';
import type { Given } from '../toolArguments';
import type { Recording } from '../telemetry/recording';
import { differing, logOutputs, telemetryOutputs } from './readings';
import type { Output } from './readings';
import { framings } from './frames';

interface OfFrame {
  readonly readings: number;
  readonly differ: number;
  readonly which: readonly string[];
}

interface Summary {
  readonly outputs: number;
  readonly frames: number;
  readonly readings: number;
  readonly differ: number;
  readonly byFrame: Readonly<Record<string, OfFrame>>;
}

function outputsOf(given: Given): readonly Output[] {
  const indexes = given
    .all('index')
    .flatMap(index =>
      telemetryOutputs(jsonLines(index) as readonly Recording[], file => textOf(join(dirname(index), file))),
    );
  const records = (flag: string) => given.all(flag).flatMap(jsonLines) as { id: string; text: string }[];
  const all = [
    ...indexes,
    ...logOutputs('oom', records('oom')),
    ...logOutputs('progress', records('progress')),
  ];
  if (all.length === 0) throw new UsageError('--index, --oom or --progress is missing: each takes a file.');
  return all;
}

function summaryOf(outputs: readonly Output[], only: string | null): Summary {
  const chosen = framings.filter(({ name }) => only === null || name === only);
  const byFrame = Object.fromEntries(
    chosen.map(framing => {
      const which = differing(framing, outputs);
      return [framing.name, { readings: outputs.length, differ: which.length, which }];
    }),
  );
  const differ = Object.values(byFrame).reduce((sum, one) => sum + one.differ, 0);
  return {
    outputs: outputs.length,
    frames: chosen.length,
    readings: outputs.length * chosen.length,
    differ,
    byFrame,
  };
}

void runTool({ many: ['index', 'oom', 'progress'], one: ['only'], none: ['json'] }, given => {
  const summary = summaryOf(outputsOf(given), given.one('only'));
  if (given.has('json')) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else {
    const rows = Object.entries(summary.byFrame).filter(([, { differ }]) => differ > 0);
    for (const [name, { differ, which }] of rows.sort((a, b) => b[1].differ - a[1].differ)) {
      process.stdout.write(`${name}: ${differ} (${which.join(' ')})\n`);
    }
    process.stdout.write(`${summary.differ} of ${summary.readings} readings differ\n`);
  }
  return summary.differ === 0 ? 0 : 1;
});
