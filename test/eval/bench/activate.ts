import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { median, repeated, rounded } from './bench';
import type { Bench } from './bench';
import { ROOT } from './inputs';

const RUNS = repeated(15);

/** A VS Code in which everything is there and does nothing: what remains is our own work. */
const EDITOR = `
const nothing = new Proxy(function () {}, {
  get: (_, key) => (key === 'then' ? undefined : key === Symbol.iterator ? [][key].bind([]) : key === Symbol.toPrimitive ? () => '' : nothing),
  apply: () => nothing,
  construct: () => nothing,
  has: () => true,
});
module.exports = nothing;`;

/** Prints milliseconds from the first byte of the bundle to the end of activate(). */
const MEASURE = `
const begin = performance.now();
const { activate } = require('./extension.js');
const loaded = performance.now();
const nothing = require('vscode');
const own = { subscriptions: [], asAbsolutePath: path => path };
activate(new Proxy(own, { get: (_, key) => own[key] ?? nothing }));
process.stdout.write(JSON.stringify([loaded - begin, performance.now() - loaded]));
process.exit(0);`;

/** Loading the extension's bundle and activating it, each time in a fresh process. */
export const activate: Bench = {
  name: 'activate',
  run() {
    const folder = mkdtempSync(join(tmpdir(), 'headroom-bench-'));
    try {
      mkdirSync(join(folder, 'node_modules/vscode'), { recursive: true });
      writeFileSync(join(folder, 'node_modules/vscode/index.js'), EDITOR);
      writeFileSync(join(folder, 'measure.js'), MEASURE);
      cpSync(join(ROOT, 'dist'), folder, { recursive: true, filter: path => !path.endsWith('.map') });
      minify(join(folder, 'extension.js'));
      const times = Array.from({ length: RUNS }, () => measureIn(folder));
      const total = times.map(([load, activation]) => load + activation);
      const detail = {
        loadMs: rounded(median(times.map(([load]) => load))),
        activateMs: rounded(median(times.map(([, activation]) => activation))),
      };
      return Promise.resolve({ value: rounded(median(total)), unit: 'ms', runs: RUNS, detail });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** As it ships. */
function minify(file: string): void {
  buildSync({ entryPoints: [file], outfile: file, allowOverwrite: true, minify: true });
}

function measureIn(folder: string): readonly [load: number, activation: number] {
  const run = spawnSync(process.execPath, ['measure.js'], { cwd: folder, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as [number, number];
}
