import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { median, rounded } from './bench';
import type { Bench } from './bench';
import { ROOT, shortConfig } from './inputs';

const CONFIGS = 2000;

/** Wall milliseconds of one process. */
function wall(args: readonly string[]): number {
  const begin = performance.now();
  const run = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: ROOT });
  const took = performance.now() - begin;
  if (run.status === 3 || run.status === null) throw new Error(String(run.stderr));
  return took;
}

const medianWall = (runs: number, args: readonly string[]): number =>
  median(Array.from({ length: runs }, () => wall(args)));

/** `headroom check` on a folder of real configs: configs per second after the start. */
export const checkFiles: Bench = {
  name: 'check-files',
  run() {
    const folder = mkdtempSync(join(tmpdir(), 'headroom-bench-'));
    try {
      const config = shortConfig();
      mkdirSync(join(folder, 'one'));
      mkdirSync(join(folder, 'many'));
      writeFileSync(join(folder, 'one/0.yaml'), config);
      for (let i = 0; i < CONFIGS; i++) {
        writeFileSync(
          join(folder, `many/${i}.yaml`),
          config.replace(/^micro_batch_size: \d+/m, `micro_batch_size: ${(i % 8) + 1}`),
        );
      }
      const check = (name: string): string[] => [
        join(ROOT, 'dist/cli.js'),
        'check',
        join(folder, name),
        '--gpu',
        'RTX 4090',
        '--json',
      ];
      const start = medianWall(7, check('one'));
      const all = medianWall(3, check('many'));
      const node = medianWall(7, ['-e', '0']);
      const value = Math.round(((CONFIGS - 1) / (all - start)) * 1000);
      const detail = { startMs: rounded(start, 0), nodeAloneMs: rounded(node, 0), configs: CONFIGS };
      return Promise.resolve({ value, unit: 'configs/s', runs: 3, detail });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** What must be read from disk before the first config is seen, minified as it ships. */
export const bundle: Bench = {
  name: 'bundle',
  run() {
    const sizeOf = (entry: string): number => {
      const { outputFiles } = buildSync({
        entryPoints: [join(ROOT, entry)],
        bundle: true,
        minify: true,
        platform: 'node',
        format: 'cjs',
        target: 'node20',
        write: false,
        external: ['vscode', './recognise', './analysisChunk', './analysisWorker', '*/recognise', '*/open'],
      });
      return outputFiles[0]?.contents.length ?? 0;
    };
    return Promise.resolve({ value: rounded(sizeOf('src/extension.ts') / 1000, 1), unit: 'kB', runs: 1 });
  },
};
