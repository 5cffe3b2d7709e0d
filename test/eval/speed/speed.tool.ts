// npm run --silent speed -- --dir DIR [--set NAME,…] [--json] [--worst N] [--shipped] [--write] [--questions FILE] [--peers FILE]
// Measured speeds of real files: each goes the way of `headroom check FILE --gpu GPU --gpus N`, and the step's time is compared
// with the measured one. Each source is scored with constants that were fitted on the others, beside the rule of 50 % of the
// GPU's published rate. `--shipped` scores with the constants that ship instead, for runs that none was learned from. `--write` puts the constants of all sources in src/core/speed/fitted.json, and the page docs/speed.md.
// `--questions` writes what peers.py asks other tools, and `--peers` takes their answers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { corePath } from '../../../src/world/environment';
import { Catalogs } from '../../../src/world/catalogs';
import { ROOT } from '../bench/inputs';
import { UsageError, runTool } from '../toolArguments';
import type { Given } from '../toolArguments';
import { pageOf } from './page';
import { rowsIn } from './rows';
import { scoresOf } from './score';

async function main(given: Given): Promise<number> {
  const [dir = ''] = given.paths('dir', 'folder');
  const worst = Number(given.one('worst') ?? 10);
  if (!Number.isInteger(worst) || worst < 0) throw new UsageError('--worst takes how many to list.');
  const sets = given.one('set')?.split(',') ?? [];
  const rows = await rowsIn(dir, sets, new Catalogs(corePath(join(ROOT, 'dist/data'))));
  const questions = given.one('questions');
  if (questions !== null) {
    const asked = rows.rows.flatMap(({ question }) => question ?? []);
    writeFileSync(questions, asked.map(question => `${JSON.stringify(question)}\n`).join(''));
  }
  const peers = given.has('peers') ? (given.paths('peers', 'file')[0] ?? null) : null;
  const scores = scoresOf(rows, { worst, shipped: given.has('shipped'), peers });
  if (given.has('write')) {
    writeFileSync(join(ROOT, 'src/core/speed/fitted.json'), `${JSON.stringify(scores.fitted, null, 2)}\n`);
    writeFileSync(join(ROOT, 'docs/speed.md'), pageOf(scores));
  }
  process.stdout.write(`${JSON.stringify(scores, null, given.has('json') ? 0 : 2)}\n`);
  return 0;
}

void runTool(
  { one: ['dir', 'worst', 'set', 'questions', 'peers'], none: ['json', 'shipped', 'write'] },
  main,
);
