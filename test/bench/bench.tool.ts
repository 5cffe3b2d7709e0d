import { parseArgs } from 'node:util';
import { activate } from './activate';
import type { Bench } from './bench';
import { estimate, search } from './memory';
import { bundle, checkFiles } from './processes';
import { analyseBench, edit, parse } from './reading';

const all: readonly Bench[] = [parse, analyseBench, edit, checkFiles, activate, estimate, search, bundle];

/** `npm run --silent bench -- [NAME…] --json`: medians over enough runs to be steady. */
async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' } },
  });
  const unknown = positionals.filter(name => !all.some(bench => bench.name === name));
  if (unknown.length > 0) {
    process.stderr.write(
      `No benchmark ${unknown.join(', ')}; there are ${all.map(bench => bench.name).join(', ')}.\n`,
    );
    process.exitCode = 3;
    return;
  }
  const results: Record<string, unknown> = {};
  for (const bench of all) {
    if (positionals.length > 0 && !positionals.includes(bench.name)) continue;
    process.stderr.write(`${bench.name} …\n`);
    results[bench.name] = await bench.run();
  }
  process.stdout.write(`${JSON.stringify(results, null, values.json ? 0 : 2)}\n`);
}

void main();
