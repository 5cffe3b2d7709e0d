/**
 * Damages recorded outputs of GPU tools in each of the ways in which pages and terminals do, and counts how they are
 * read: `npm run --silent damaged -- --index FILE --json`. Prints `{outputs, byDamage: {NAME: {same, less, unread,
 * wrong, which}}}`; `which` names the outputs that are unread or wrong.
 */
import { dirname, resolve } from 'node:path';
import { jsonLines, runTool, textOf } from '../toolArguments';
import type { Recording } from '../telemetry/recording';
import { damages } from './damages';
import { survival } from './readings';
import type { Survival } from './readings';

interface OfDamage extends Record<Survival, number> {
  readonly which: readonly string[];
}

function ofDamage(damage: (typeof damages)[number], files: ReadonlyMap<string, string>): OfDamage {
  const counts: Record<Survival, number> = { same: 0, less: 0, unread: 0, wrong: 0 };
  const which: string[] = [];
  for (const [file, text] of files) {
    const found = survival(damage, text);
    if (!found) continue;
    counts[found.is] += 1;
    if (found.is === 'unread') which.push(`${file}: unread`);
    if (found.is === 'wrong') which.push(`${file}: ${found.lies.slice(0, 4).join(' · ')}`);
  }
  return { ...counts, which };
}

void runTool({ many: ['index'], one: ['only'], none: ['json'] }, given => {
  const files = new Map(
    given
      .paths('index', 'file')
      .flatMap(index =>
        (jsonLines(index) as readonly Recording[]).map(
          ({ file }) => [file, textOf(resolve(dirname(index), file))] as const,
        ),
      ),
  );
  const only = given.one('only');
  const chosen = damages.filter(({ name }) => only === null || name === only);
  const byDamage = Object.fromEntries(chosen.map(damage => [damage.name, ofDamage(damage, files)]));
  if (given.has('json')) process.stdout.write(`${JSON.stringify({ outputs: files.size, byDamage })}\n`);
  else {
    for (const [name, { same, less, unread, wrong, which }] of Object.entries(byDamage)) {
      process.stdout.write(`${name}: ${same} same, ${less} less, ${unread} unread, ${wrong} wrong\n`);
      if (only !== null) process.stdout.write(which.map(one => `  ${one}\n`).join(''));
    }
  }
  return Object.values(byDamage).some(({ wrong }) => wrong > 0) ? 1 : 0;
});
