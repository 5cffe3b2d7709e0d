import { UsageError, runTool } from '../toolArguments';
import type { Given } from '../toolArguments';
import { activate } from './activate';
import type { Bench } from './bench';
import { embed, embedBenches } from './embed';
import { embedParts } from './embedParts';
import { estimate, search } from './memory';
import { panel } from './panel';
import { bundle, checkFiles } from './processes';
import { analyseBench, edit, parse } from './reading';
import { sample } from './sample';

const all: readonly Bench[] = [
  parse,
  analyseBench,
  edit,
  checkFiles,
  activate,
  estimate,
  search,
  sample,
  embed,
  ...embedBenches,
  embedParts,
  bundle,
  panel,
];

/** `npm run --silent bench -- [NAME…] --json`: medians over enough runs to be steady. Long ones run when they are named. */
async function main(given: Given): Promise<number> {
  const names = given.words;
  const unknown = names.filter(name => !all.some(bench => bench.name === name));
  if (unknown.length > 0) {
    throw new UsageError(
      `No benchmark ${unknown.join(', ')}; there are ${all.map(bench => bench.name).join(', ')}.`,
    );
  }
  const results: Record<string, unknown> = {};
  for (const bench of all) {
    if (names.length > 0 ? !names.includes(bench.name) : bench.isLong) continue;
    process.stderr.write(`${bench.name} …\n`);
    results[bench.name] = await bench.run();
  }
  process.stdout.write(`${JSON.stringify(results, null, given.has('json') ? 0 : 2)}\n`);
  return 0;
}

void runTool({ words: true, none: ['json'] }, main);
