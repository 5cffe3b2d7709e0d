import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as vscode from 'vscode';
import { openFile, until } from './ask';

const FILES = 10;
const MIB = 2 ** 20;
/** Nine more configs took 2 MiB. */
const MOST_MIB = 8;

/** Heap of the extension host in use after garbage collection. */
function heapMiB(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed / MIB;
}

/** Resident memory of the process that analyzes files; null where the system does not tell it. */
function analysisMiB(): number | null {
  if (process.platform !== 'linux') return null;
  const children = readdirSync('/proc').filter(pid => /^\d+$/.test(pid));
  for (const pid of children) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/dist/worker.js')) continue;
      const [, kib = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Number(kib) / 1024;
    } catch {
      // It has ended since.
    }
  }
  return null;
}

const config = (n: number): string =>
  [
    'base_model: NousResearch/Meta-Llama-3-8B',
    `sequence_len: ${1024 * (n + 1)}`,
    'adapter: lora',
    'lora_r: 32',
    'lora_alpha: 16',
    'lora_target_linear: true',
    'micro_batch_size: 8',
    'gradient_accumulation_steps: 4',
    '',
  ].join('\n');

async function openConfig(n: number): Promise<void> {
  const document = await openFile(`heap/${n}.yml`, config(n));
  await until(`an estimate of ${document.fileName}`, async () => {
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      1,
    );
    return lenses.length > 0 && lenses;
  });
}

describe('the heap of the extension host', () => {
  it(`grows by at most ${MOST_MIB} MiB from one open config to ${FILES}`, async function heap() {
    this.timeout(180_000);
    const empty = heapMiB();
    await openConfig(0);
    const first = heapMiB();
    for (let n = 1; n < FILES; n++) await openConfig(n);
    const all = heapMiB();
    const figures = [empty, first, all, analysisMiB() ?? 0].map(figure => figure.toFixed(1));
    console.info(`MiB of heap with 0, 1 and ${FILES} configs, and of the analysis: ${figures.join(', ')}`);
    assert.ok(all - first <= MOST_MIB, `${(all - first).toFixed(1)} MiB more`);
  });
});
