// npm run --silent pairs -- --dir DIR --json
// Real files with measured numbers: each goes the way of `headroom check FILE --gpu GPU --gpus N` on a machine with the GPUs
// of its pair, and the estimate is compared with the number, by set and metric. `--only TEXT` takes the pairs whose set or
// id has it, `--worst N` lists more of the worst. Numbers that a set marks as suspect count for nothing.
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Catalogs } from '../../../src/world/catalogs';
import { corePath } from '../../../src/world/environment';
import { ROOT } from '../bench/inputs';
import { UsageError, runTool } from '../toolArguments';
import type { Given } from '../toolArguments';
import { Checker, worldFor } from './checker';
import { isOfMemory, outcomeOf, pairsIn } from './pair';
import type { Outcome } from './pair';
import { scoreOf } from './score';
import type { SetScore } from './score';

async function main(given: Given): Promise<number> {
  const [dir = ''] = given.paths('dir', 'folder');
  const only = given.one('only') ?? '';
  const worst = Number(given.one('worst') ?? 10);
  if (!Number.isInteger(worst) || worst < 0) throw new UsageError('--worst takes how many to list.');
  const sets = readdirSync(dir).filter(name => existsSync(join(dir, name, 'truth.jsonl')));
  if (sets.length === 0) throw new UsageError(`${dir} holds no folder with a truth.jsonl.`);
  const catalogs = new Catalogs(corePath(join(ROOT, 'dist/data')));
  const gpus = await catalogs.gpus();
  const scores: Record<string, SetScore> = {};
  for (const set of sets.toSorted()) {
    const pairs = pairsIn(join(dir, set, 'truth.jsonl')).filter(
      pair => isOfMemory(pair) && pair.suspect !== true && `${set}/${pair.id}`.includes(only),
    );
    if (pairs.length === 0) continue;
    const checker = new Checker(resolve(dir, set, 'files'), worldFor(catalogs, gpus), gpus);
    const outcomes: Outcome[] = [];
    for (const pair of pairs) outcomes.push(outcomeOf(pair, await checker.runsFor(pair)));
    scores[set] = scoreOf(outcomes, checker.read, worst);
  }
  process.stdout.write(`${JSON.stringify(scores, null, given.has('json') ? 0 : 2)}\n`);
  return 0;
}

void runTool({ one: ['dir', 'only', 'worst'], none: ['json'] }, main);
