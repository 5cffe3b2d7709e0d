// npm run --silent plans -- --corpus DIR --json searches plans over real configs and checks that every promise is
// kept when the edits are made and everything is read again. `--each` prints the result for each run; `--goal
// fastest`, `--target-effective-batch 225-256` replace what each verdict suggests; `--only TEXT` selects files by
// name.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { analyze } from '../../../src/core/analyse/analyse';
import { sampleRange } from '../../../src/core/plan/batch';
import { GOALS } from '../../../src/core/plan/goals';
import { NEVER, surroundings } from '../bench/inputs';
import { quantile, rounded } from '../bench/bench';
import { UsageError, runTool } from '../toolArguments';
import type { Given } from '../toolArguments';
import { tryPlan } from './onePlan';
import type { Asked, PlanOutcome } from './onePlan';

const CHECKS = ['promiseKept', 'effectiveBatchKept', 'bytesIntact', 'undone'] as const;

async function main(given: Given): Promise<number> {
  const [corpus = ''] = given.paths('corpus', 'folder');
  const names = namesIn(corpus).filter(name => name.includes(given.one('only') ?? ''));
  const asked = askedOf(given);
  const { world, options } = await surroundings();
  const outcomes: PlanOutcome[] = [];
  const each: object[] = [];
  const wrong: { file: string; run: string; check: string }[] = [];
  for (const name of names) {
    const file = join(corpus, name);
    const { runs } = await analyze(file, readFileSync(file, 'utf8'), world, options, NEVER);
    for (const run of runs.filter(one => one.estimate !== null)) {
      const outcome = await tryPlan(run, file, world, options, asked);
      outcomes.push(outcome);
      each.push({ file: name, run: run.run.name, dialect: run.run.dialect, ...outcome.found });
      for (const check of CHECKS) if (!outcome[check]) wrong.push({ file: name, run: run.run.name, check });
    }
  }
  const planned = outcomes.filter(outcome => outcome.planned);
  const count = (check: (typeof CHECKS)[number]): number => planned.filter(outcome => outcome[check]).length;
  const times = outcomes.map(outcome => outcome.tookMs);
  const result = {
    configs: outcomes.length,
    planned: planned.length,
    promisesKept: count('promiseKept'),
    effectiveBatchKept: count('effectiveBatchKept'),
    bytesIntact: count('bytesIntact'),
    undone: count('undone'),
    medianMs: rounded(quantile(times, 0.5), 1),
    p95Ms: rounded(quantile(times, 0.95), 1),
    wrong,
    ...(given.has('each') && { each }),
  };
  process.stdout.write(`${JSON.stringify(result, null, given.has('json') ? 0 : 2)}\n`);
  return 0;
}

function askedOf(given: Given): Asked {
  const goal = GOALS.find(words => words.goal === given.one('goal'))?.goal;
  const text = given.one('target-effective-batch');
  const batch = text === null ? undefined : (sampleRange(text) ?? undefined);
  if (given.has('goal') && goal === undefined) throw new UsageError(`There is no goal ${given.one('goal')}.`);
  if (text !== null && batch === undefined) throw new UsageError(`${text} is not a batch: 256, or 225-256.`);
  return { goal, batch };
}

function namesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.ya?ml$/i.test(name))
    .sort();
  if (names.length === 0) throw new UsageError(`${folder} holds no YAML: name a folder that does.`);
  return names;
}

void runTool({ one: ['corpus', 'goal', 'target-effective-batch', 'only'], none: ['json', 'each'] }, main);
