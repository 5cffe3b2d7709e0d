import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { median, repeated, rounded } from './bench';
import type { Bench } from './bench';
import { ROOT } from './inputs';

const RUNS = repeated(15);

/** A fake VS Code whose functions do nothing, so that only our own work remains. */
const EDITOR = `
const nothing = new Proxy(function () {}, {
  get: (_, key) => (key === 'then' ? undefined : key === Symbol.iterator ? [][key].bind([]) : key === Symbol.toPrimitive ? () => '' : nothing),
  apply: () => nothing,
  construct: () => nothing,
  has: () => true,
});
module.exports = nothing;`;

/** Prints milliseconds from the first byte of the bundle to the end of activate(), and which of our files it has loaded. */
const MEASURE = `
const path = require('node:path');
const begin = performance.now();
const { activate } = require('./extension.js');
const loaded = performance.now();
const nothing = require('vscode');
const context = { subscriptions: [], asAbsolutePath: path => path };
activate(new Proxy(context, { get: (_, key) => context[key] ?? nothing }));
const times = { loadMs: loaded - begin, activateMs: performance.now() - loaded };
const own = file => path.dirname(file) === __dirname && file !== __filename;
const files = Object.keys(require.cache).filter(own).map(file => path.basename(file));
process.stdout.write(JSON.stringify({ ...times, files }));
process.exit(0);`;

/** Loads the extension's bundle and activates it, each time in a fresh process. */
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
      const total = times.map(({ loadMs, activateMs }) => loadMs + activateMs);
      const detail = {
        loadMs: rounded(median(times.map(({ loadMs }) => loadMs))),
        activateMs: rounded(median(times.map(({ activateMs }) => activateMs))),
        files: [...new Set(times.flatMap(({ files }) => files))].join(' '),
      };
      return Promise.resolve({ value: rounded(median(total)), unit: 'ms', runs: RUNS, detail });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** As shipped. */
function minify(file: string): void {
  buildSync({ entryPoints: [file], outfile: file, allowOverwrite: true, minify: true });
}

interface Activation {
  readonly loadMs: number;
  readonly activateMs: number;
  readonly files: readonly string[];
}

function measureIn(folder: string): Activation {
  const run = spawnSync(process.execPath, ['measure.js'], { cwd: folder, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Activation;
}
