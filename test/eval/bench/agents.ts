import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, quantile, repeated, rounded } from './bench';
import type { Bench } from './bench';
import { distinctConfig, ROOT, sweptConfig } from './inputs';

const CLI = join(ROOT, 'dist/cli.js');

function wall(args: readonly string[], folder: string): number {
  const begin = performance.now();
  const run = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder });
  const took = performance.now() - begin;
  if (run.status === 3 || run.status === null) throw new Error(String(run.stderr));
  return took;
}

function inFolder<T>(work: (folder: string) => T): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-bench-'));
  try {
    return Promise.resolve(work(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>];

/** What an agent asks, each with a config of its own, so that nothing is an answer kept from before. */
const callsOn = (n: number): readonly Call[] => [
  ['check', { path: `${n}.yaml`, gpu: '24GB' }],
  ['check', { command: `vllm serve Qwen/Qwen3-8B --max-model-len ${4096 + n}`, gpu: '24GB' }],
  ['explain', { path: `${n}.yaml`, gpu: '24GB' }],
  ['plan', { path: `${n}.yaml`, gpu: '24GB' }],
  ['where', { path: `${n}.yaml`, gpu: 'H100 80GB' }],
];

async function mcpTimes(folder: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const client = new Client({ name: 'bench', version: '1' }, { capabilities: {} });
  const env = { PATH: '', HOME: folder };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp'], cwd: folder, env }),
  );
  const times = new Map<string, number[]>();
  try {
    for (let n = 0; n < repeated(24); n++) {
      for (const [name, args] of callsOn(n)) {
        const begin = performance.now();
        await client.callTool({ name, arguments: { ...args } });
        const took = performance.now() - begin;
        // The first rounds load what the others use.
        const isWarm = n >= Math.min(4, repeated(24) - 1);
        if (isWarm) times.set(name, [...(times.get(name) ?? []), took]);
      }
    }
  } finally {
    await client.close();
  }
  return times;
}

/** `headroom mcp`: 95 % of the answers to a warm server come within so many milliseconds. */
export const mcp: Bench = {
  name: 'mcp',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'headroom-bench-'));
    try {
      for (let n = 0; n < repeated(24); n++) writeFileSync(join(folder, `${n}.yaml`), distinctConfig(n));
      const times = await mcpTimes(folder);
      const all = [...times.values()].flat();
      const detail = Object.fromEntries(
        [...times].map(([name, ms]) => [`${name}P95Ms`, rounded(quantile(ms, 0.95), 0)]),
      );
      const own = { medianMs: rounded(median(all), 0), ...detail };
      return { value: rounded(quantile(all, 0.95), 0), unit: 'ms (p95)', runs: all.length, detail: own };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** `headroom guard -- COMMAND` as a process, beside Node alone. */
export const guard: Bench = {
  name: 'guard',
  run: () =>
    inFolder(folder => {
      writeFileSync(join(folder, 'a.yaml'), sweptConfig(0));
      const of = (...command: readonly string[]) =>
        median(
          Array.from({ length: repeated(15) }, () =>
            wall([CLI, 'guard', '--gpu', '24GB', '--', ...command], folder),
          ),
        );
      const [run, other] = [of('axolotl', 'train', 'a.yaml'), of('ls', '-la')];
      const alone = median(Array.from({ length: repeated(15) }, () => wall(['-e', '0'], folder)));
      return {
        value: rounded(run, 0),
        unit: 'ms',
        runs: repeated(15),
        peer: { name: 'node alone', value: rounded(alone, 0) },
        ratio: rounded(run / alone, 2),
        detail: { noRunMs: rounded(other, 0) },
      };
    }),
};

const CONFIGS = repeated(1000, 3);

/** `headroom diff` of two folders of 1,000 configs, of which each differs, from a cold start. */
export const diff: Bench = {
  name: 'diff',
  run: () =>
    inFolder(folder => {
      for (const side of ['base', 'head']) {
        mkdirSync(join(folder, side));
        for (let n = 0; n < CONFIGS; n++) {
          const text = distinctConfig(n);
          const changed = text.replace(/(micro_batch_size:) (\d+)/, (_, key: string, size: string) =>
            side === 'head' ? `${key} ${Number(size) + 1}` : `${key} ${size}`,
          );
          writeFileSync(join(folder, side, `${n}.yaml`), changed);
        }
      }
      const took = median(
        Array.from({ length: repeated(3) }, () =>
          wall([CLI, 'diff', 'base', 'head', '--gpu', '24GB', '--markdown'], folder),
        ),
      );
      return { value: rounded(took / 1000, 1), unit: 's', runs: repeated(3), detail: { configs: CONFIGS } };
    }),
};
