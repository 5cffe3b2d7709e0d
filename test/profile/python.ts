import { mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { dryRun } from '../../src/profile/dryRun';
import type { DryRunRequest, DryRunResult } from '../../src/profile/request';
import type { Interpreter } from '../../src/profile/script';

export const NEVER = { aborted: false };

/** The Python that scripts/profile.mjs found or created, and the scripts from the sources. */
export const interpreter = (): Interpreter => ({
  executable: process.env['HEADROOM_TEST_PYTHON'] ?? 'python3',
  script: resolve('src/python/start.py'),
});

/** Helpers are compiled once for all tests of a process. */
export const cacheFolder = mkdtempSync(join(tmpdir(), 'headroom-dry-run-'));

export const runDry = (request: DryRunRequest, folder: string | null = null): Promise<DryRunResult> =>
  dryRun(interpreter(), request, { timeoutMs: 240_000, folder, progress: () => undefined }, NEVER);

const PROGRAMS_OF_NODE = new Set(['node', 'nodejs', 'npm', 'npx', 'corepack', 'headroom']);

/** All of this system's programs except Node's. */
export function toolsWithoutNode(folder: string): string {
  mkdirSync(folder);
  for (const name of readdirSync('/usr/bin')) {
    if (!PROGRAMS_OF_NODE.has(name)) symlinkSync(join('/usr/bin', name), join(folder, name));
  }
  return folder;
}
