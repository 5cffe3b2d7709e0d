import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, repeated, rounded } from './bench';
import type { Bench } from './bench';
import { distinctConfig, ROOT, sweptConfig } from './inputs';

const CONFIGS = repeated(2000, 3);
const CLI = join(ROOT, 'dist/cli.js');

/** Wall milliseconds of one process. */
function wall(args: readonly string[]): number {
  const begin = performance.now();
  const run = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: ROOT });
  const took = performance.now() - begin;
  if (run.status === 3 || run.status === null) throw new Error(String(run.stderr));
  return took;
}

const medianWall = (runs: number, args: readonly string[]): number =>
  median(Array.from({ length: repeated(runs) }, () => wall(args)));

/** Configs per second of `headroom check FOLDER`, without the start. */
function rateOf(folder: string, startMs: number, args: readonly string[] = []): number {
  const all = medianWall(3, [CLI, 'check', folder, '--gpu', 'RTX 4090', ...args]);
  return Math.round(((CONFIGS - 1) / (all - startMs)) * 1000);
}

/** A folder of 2,000 configs that a function writes by number. */
function filled(parent: string, name: string, write: (n: number) => string): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  for (let i = 0; i < CONFIGS; i++) writeFileSync(join(folder, `${i}.yaml`), write(i));
  return folder;
}

/**
 * `headroom check` on a sweep, as one command: configs per second without the start. `detail` also has the worst
 * case, configs of which no two need the same memory, and both as JSON, which computes every remedy.
 */
export const checkFiles: Bench = {
  name: 'check-files',
  run() {
    const parent = mkdtempSync(join(tmpdir(), 'headroom-bench-'));
    try {
      const one = join(parent, 'one.yaml');
      writeFileSync(one, sweptConfig(0));
      const start = medianWall(9, [CLI, 'check', one, '--gpu', 'RTX 4090']);
      const sweep = filled(parent, 'sweep', sweptConfig);
      const distinct = filled(parent, 'distinct', distinctConfig);
      const detail = {
        startMs: rounded(start, 0),
        nodeAloneMs: rounded(medianWall(9, ['-e', '0']), 0),
        configs: CONFIGS,
        sweepAsJson: rateOf(sweep, start, ['--json']),
        distinct: rateOf(distinct, start),
        distinctAsJson: rateOf(distinct, start, ['--json']),
      };
      const value = rateOf(sweep, start);
      return Promise.resolve({ value, unit: 'configs/s', runs: 3, detail });
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  },
};

/** What VS Code loads for a file that is not a config, minified as shipped. */
export const bundle: Bench = {
  name: 'bundle',
  run() {
    const parts = ['extension', 'recognise'];
    const dist = mkdtempSync(join(tmpdir(), 'headroom-bundle-'));
    try {
      const flags = ['--production', `--only=${parts.join(',')}`, `--dist=${dist}`];
      const run = spawnSync(process.execPath, ['esbuild.mjs', ...flags], { cwd: ROOT, encoding: 'utf8' });
      if (run.status !== 0) throw new Error(run.stderr);
      const bytes = parts.reduce((sum, part) => sum + statSync(join(dist, `${part}.js`)).size, 0);
      return Promise.resolve({ value: rounded(bytes / 1000, 1), unit: 'kB', runs: 1 });
    } finally {
      rmSync(dist, { recursive: true, force: true });
    }
  },
};
