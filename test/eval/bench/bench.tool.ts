import { UsageError, runTool } from '../toolArguments';
import type { Given } from '../toolArguments';
import { activate } from './activate';
import { diff, guard, mcp } from './agents';
import type { Bench } from './bench';
import { embed, embedBenches } from './embed';
import { embedParts } from './embedParts';
import { estimate, search } from './memory';
import { panel } from './panel';
import { bundle, checkFiles } from './processes';
import { ownEdit, pythonEdit, pythonScan, shellEdit } from './programs';
import { analyzeBench, edit, parse } from './reading';
import { sample } from './sample';

const all: readonly Bench[] = [
  parse,
  analyzeBench,
  edit,
  pythonEdit,
  pythonScan,
  shellEdit,
  ownEdit,
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
  mcp,
  guard,
  diff,
];

/**
 * `npm run --silent bench -- [NAME…] --json`: medians over enough runs to be stable. Long benchmarks run only by
 * name. A failed one prints why instead of its figures, and the exit code is 1. `--once`: everything at minimum
 * size.
 */
async function main(given: Given): Promise<number> {
  const names = given.words;
  const unknown = names.filter(name => !all.some(bench => bench.name === name));
  if (unknown.length > 0) {
    throw new UsageError(
      `No benchmark ${unknown.join(', ')}; there are ${all.map(bench => bench.name).join(', ')}.`,
    );
  }
  const results: Record<string, unknown> = {};
  let failed = 0;
  for (const bench of all) {
    if (names.length > 0 ? !names.includes(bench.name) : bench.isLong) continue;
    process.stderr.write(`${bench.name} …\n`);
    try {
      results[bench.name] = await bench.run();
    } catch (error) {
      failed += 1;
      results[bench.name] = { error: error instanceof Error ? error.message : String(error) };
    }
  }
  process.stdout.write(`${JSON.stringify(results, null, given.has('json') ? 0 : 2)}\n`);
  return failed > 0 ? 1 : 0;
}

void runTool({ words: true, none: ['json', 'once'] }, main);
