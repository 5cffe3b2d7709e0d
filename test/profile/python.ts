import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { dryRun } from '../../src/profile/dryRun';
import type { DryRunRequest, DryRunResult } from '../../src/profile/request';
import type { Interpreter } from '../../src/profile/script';
import type { ProgramResult } from '../../src/profile/program/result';

export const NEVER = { aborted: false };

/** The Python that scripts/profile.mjs found or created, and the scripts from the sources. */
export const interpreter = (): Interpreter => ({
  executable: process.env['HEADROOM_TEST_PYTHON'] ?? 'python3',
  script: resolve('src/python/start.py'),
});

/** Helpers are compiled once for all tests of a process. */
export const cacheFolder = mkdtempSync(join(tmpdir(), 'headroom-dry-run-'));

/** What every dry run imports, by and by: fake tensors alone bring nine hundred modules with them. */
const OF_ALL = [
  ...['headroom_python.guard', 'headroom_python.steps', 'headroom_python.kernels'],
  ...['torch.fx.experimental.symbolic_shapes', 'torch._dynamo'],
];

type WarmKind = DryRunRequest['model']['kind'] | 'program';

/** What dry runs import, by the kind of their model. */
const MODULES: Readonly<Record<WarmKind, readonly string[]>> = {
  program: [
    ...['torch._dynamo', 'torch._subclasses.fake_tensor', 'torch.nn.attention.flex_attention'],
    ...['torch.testing._internal.distributed.fake_pg', 'torch.distributed.fsdp'],
    ...['transformers.models.llama.modeling_llama', 'transformers.trainer'],
  ],
  entry: OF_ALL,
  transformers: [
    ...OF_ALL,
    ...['headroom_python.library_models', 'transformers.models.auto.modeling_auto'],
    ...['transformers.modeling_utils', 'transformers.models.llama.modeling_llama', 'peft'],
  ],
};

interface Warm {
  readonly server: ChildProcess;
  readonly socket: string;
}

const warm = new Map<string, Promise<Warm>>();

/** A Python that has these modules, and forks a process for each dry run; it ends with its standard input. */
async function warmed(kind: WarmKind): Promise<Warm> {
  const { executable, script } = interpreter();
  const socket = join(cacheFolder, `${kind}.sock`);
  const words = [resolve('test/profile/warm.py'), 'serve', socket, script];
  const first = kind === 'program' ? 'headroom_python.program.run' : 'headroom_python.dry_run';
  const modules = [first, ...MODULES[kind]];
  const server = spawn(executable, [...words, ...modules], { stdio: ['pipe', 'pipe', 'inherit'] });
  await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
  if (server.exitCode !== null) throw new Error(`the warm Python ended with ${server.exitCode}`);
  return { server, socket };
}

after(async () => {
  for (const one of warm.values()) {
    const { server } = await one;
    const ended = once(server, 'exit');
    server.stdin?.end();
    await ended;
  }
  rmSync(cacheFolder, { recursive: true, force: true });
});

const run = (python: Interpreter, request: DryRunRequest, folder: string | null): Promise<DryRunResult> =>
  dryRun(python, request, { timeoutMs: 240_000, folder, progress: () => undefined }, NEVER);

/** A dry run in a process of its own from its first import, as users have it. */
export const runDryAlone = (request: DryRunRequest, folder: string | null = null): Promise<DryRunResult> =>
  run(interpreter(), request, folder);

const results = new Map<string, Promise<DryRunResult>>();

/**
 * A dry run in a fork of a Python that has imported torch, because importing takes as long as most runs. The same
 * request is run once in a process.
 */
export function runDry(request: DryRunRequest, folder: string | null = null): Promise<DryRunResult> {
  const key = JSON.stringify([request, folder]);
  const result = results.get(key) ?? runForked(request, folder);
  results.set(key, result);
  return result;
}

async function runForked(request: DryRunRequest, folder: string | null): Promise<DryRunResult> {
  // Only systems that fork, and pass open files to other processes.
  if (process.platform === 'win32') return runDryAlone(request, folder);
  return run(await warmPython(request.model.kind), request, folder);
}

/** An interpreter that answers from a fork of a Python that has imported what this kind needs. */
export async function warmPython(kind: WarmKind): Promise<Interpreter> {
  const found = warm.get(kind) ?? warmed(kind);
  warm.set(kind, found);
  const { socket } = await found;
  // The client is `python warm.py` with this variable.
  process.env['HEADROOM_WARM'] = socket;
  return { executable: interpreter().executable, script: resolve('test/profile/warm.py') };
}

const PROGRAMS_OF_NODE = new Set(['node', 'nodejs', 'npm', 'npx', 'corepack', 'headroom']);

/** All of this system's programs except Node's. */
export function toolsWithoutNode(folder: string): string {
  mkdirSync(folder);
  for (const name of readdirSync('/usr/bin')) {
    if (!PROGRAMS_OF_NODE.has(name)) symlinkSync(join('/usr/bin', name), join(folder, name));
  }
  return folder;
}

/** Fails unless the dry run says that something stood in for what it names. */
export const standsIn = (result: ProgramResult, what: RegExp): void =>
  assert.ok(
    result.standIns.some(one => what.test(one)),
    `${String(what)} in ${result.standIns.join('; ')}`,
  );
