import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultModelFolder } from '../../../src/embed/defaultModel/ensure';
import { sizesOf } from '../../../src/embed/defaultModel/build';
import { derivedModelFolder } from '../../../src/embed/defaultModel/derived';
import { bert, encodedBert } from '../../../src/embed/graph/bert';
import { blockWeights } from '../../../src/embed/graph/decode';
import { plain } from '../../../src/embed/graph/weights';
import { bertSafetensors } from '../../unit/embed/tinySafetensors';
import { median } from './bench';
import { ROOT } from './inputs';

export const PEER = '@huggingface/transformers@4.3.1';
const RUNS = 3;
const MAX_TOKENS = 256;
const LAYERS = 6;
const CLI = join(ROOT, 'dist/cli.js');

export interface Measured {
  /** From start to exit. */
  readonly cpuS: number;
  readonly wallS: number;
  readonly peakMB: number;
  /** For the texts only, if the contestant measures that itself. */
  readonly textsCpuS: number;
  readonly textsWallS: number;
  readonly tokens: number;
}

/** The resources of a process, all threads together; written as it ends. */
const HOOK = `process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
require('node:fs').writeFileSync(process.env.USAGE, JSON.stringify({ cpuS: (userCPUTime + systemCPUTime) / 1e6, peakMB: maxRSS / 1024 })); });`;

export class Contest {
  readonly folder = mkdtempSync(join(tmpdir(), 'headroom-bench-'));
  private readonly hook = join(this.folder, 'hook.cjs');
  private readonly usage = join(this.folder, 'usage.json');

  constructor(
    private readonly model: string,
    readonly peer: string | null,
    readonly python: string | null,
  ) {
    writeFileSync(this.hook, HOOK);
    if (peer !== null) cpSync(join(ROOT, 'test/eval/bench/embedPeer.mjs'), join(peer, 'embedPeer.mjs'));
  }

  texts(name: string, texts: readonly string[]): string {
    const path = join(this.folder, name);
    writeFileSync(path, texts.map((text, i) => `${JSON.stringify({ id: `t${i}`, text })}\n`).join(''));
    return path;
  }

  /**
   * Includes loading the model and writing the files; the time of the texts is what exceeds that of a single text.
   */
  ours(input: string, ...more: readonly string[]): Measured {
    const out = join(this.folder, 'out');
    rmSync(out, { recursive: true, force: true });
    const run = this.process([CLI, 'embed', input, '--out', out, '--json', '--quiet', ...more]);
    const { shards } = JSON.parse(run.out) as { readonly shards: readonly { readonly tokens: number }[] };
    const tokens = shards.reduce((sum, { tokens }) => sum + tokens, 0);
    return { ...run, tokens, textsCpuS: NaN, textsWallS: NaN };
  }

  /** The same with the peer's own file, in plain operators. */
  oursFromFile(input: string, ...more: readonly string[]): Measured {
    return this.ours(input, '--model', this.model, ...more);
  }

  theirs(input: string, batch: number, threads: number | 'all'): Measured | null {
    if (this.peer === null) return null;
    const run = this.process([
      join(this.peer, 'embedPeer.mjs'),
      this.model,
      input,
      String(batch),
      String(threads),
    ]);
    const { wallS, cpuS } = JSON.parse(run.out) as { wallS: number; cpuS: number };
    return { ...run, textsWallS: wallS, textsCpuS: cpuS, tokens: 0 };
  }

  /** sentence-transformers, which sorts by itself: only the texts, 32 per batch. */
  pythons(input: string): Measured | null {
    if (this.python === null) return null;
    const args = [join(ROOT, 'test/eval/bench/embedPeer.py'), this.model, input];
    const run = spawnSync(this.python, args, { encoding: 'utf8' });
    if (run.status !== 0) throw new Error(run.stderr);
    const { cpuS, wallS, peakMB } = JSON.parse(run.stdout) as { cpuS: number; wallS: number; peakMB: number };
    return { cpuS, wallS, peakMB, textsCpuS: cpuS, textsWallS: wallS, tokens: 0 };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private process(args: readonly string[]) {
    const begin = performance.now();
    const env = { ...process.env, USAGE: this.usage, NODE_DISABLE_COMPILE_CACHE: '1' };
    const run = spawnSync(process.execPath, ['--require', this.hook, ...args], { encoding: 'utf8', env });
    if (run.status !== 0) throw new Error(run.stderr);
    const usage = JSON.parse(readFileSync(this.usage, 'utf8')) as { cpuS: number; peakMB: number };
    return { out: run.stdout, wallS: (performance.now() - begin) / 1000, ...usage };
  }
}

/** Installs the peer in a separate folder, once; null if it is unavailable. */
export function installedPeer(): string | null {
  const folder = join(ROOT, 'out/bench-peer');
  if (existsSync(join(folder, 'node_modules/@huggingface/transformers'))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  try {
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', PEER], {
      cwd: folder,
      stdio: 'ignore',
    });
    return folder;
  } catch {
    return null;
  }
}

/**
 * The default model in its usual form, in plain operators and single precision; both truncate at its own length.
 */
export async function sharedModel(folder: string): Promise<string> {
  const small = await defaultModelFolder({
    shipped: join(ROOT, 'dist/models/all-MiniLM-L6-v2'),
    report: sentence => process.stderr.write(`${sentence}\n`),
  });
  // Created before measuring.
  for (const form of ['flat', 'flat-int8'] as const) await derivedModelFolder(small, form);
  const to = join(folder, 'model');
  cpSync(small, to, { recursive: true });
  const onnx = join(small, 'onnx/model.onnx');
  const weights = blockWeights(readFileSync(onnx), onnx);
  const json = (name: string) =>
    JSON.parse(readFileSync(join(small, name), 'utf8')) as Record<string, unknown>;
  const sizes = sizesOf(json('config.json'));
  writeFileSync(join(to, 'onnx/model.onnx'), encodedBert(bert({ sizes, weights, storage: plain })));
  writeFileSync(join(to, 'model.safetensors'), bertSafetensors(weights, LAYERS));
  const config = { ...json('tokenizer_config.json'), model_max_length: MAX_TOKENS };
  writeFileSync(join(to, 'tokenizer_config.json'), JSON.stringify(config));
  return to;
}

/**
 * A Python with sentence-transformers: the given one, or that of the suite with real Pythons; null if there is
 * none.
 */
export function pythonPeer(): string | null {
  const named = process.env['HEADROOM_TEST_EMBED_PYTHON'];
  if (named !== undefined) return named;
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'gpu-headroom');
  const folders = existsSync(cache) ? readdirSync(cache) : [];
  const found = folders.filter(
    name => name.startsWith('test-python-') && name.includes('-sentence-transformers-'),
  );
  const whole = found.find(name => existsSync(join(cache, name, 'complete')));
  return whole === undefined ? null : join(cache, whole, 'bin/python');
}

/** Runs contestants in turn, several times, so that other load affects all of them; `between` after each. */
export async function inTurn(
  contestants: Readonly<Record<string, () => Measured | null>>,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<Record<string, Measured[]>> {
  const results: Record<string, Measured[]> = {};
  for (let run = 0; run < RUNS; run++) {
    for (const [name, contestant] of Object.entries(contestants)) {
      const measured = contestant();
      if (measured) (results[name] ??= []).push(measured);
      await between();
    }
  }
  return results;
}

export const middle = (all: readonly Measured[] | undefined, name: keyof Measured): number =>
  median((all ?? []).map(each => each[name]));
