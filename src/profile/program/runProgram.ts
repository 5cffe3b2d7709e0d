import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Signal } from '../../core/signal';
import { converse } from '../script';
import type { Interpreter } from '../script';
import { programRequest } from './request';
import type { ProgramCommand } from './request';
import { programResult } from './result';
import type { ProgramResult } from './result';

/** The program ends itself at its limit and reports what it saw; this ends it when it does not. */
const GRACE_SECONDS = 20;
/** On a busy machine its limit is longer, up to this many times (MOST_STRETCH of program/run.py). */
const MOST_STRETCH = 4;

/** When a program is ended from outside that may take so many seconds. */
export const limitSeconds = (seconds: number): number => seconds * MOST_STRETCH + GRACE_SECONDS;

interface ProgramOptions {
  readonly cacheFolder: string;
  readonly progress: (text: string) => void;
}

/**
 * Runs a training command, unmodified, on a GPU that is not there. What it writes goes to a folder that is removed.
 * Every failure is a ProfileError.
 */
export async function runProgram(
  interpreter: Interpreter,
  program: ProgramCommand,
  { cacheFolder, progress }: ProgramOptions,
  signal: Signal,
): Promise<ProgramResult> {
  const scratch = await mkdtemp(join(tmpdir(), 'headroom-program-'));
  try {
    const { folder, seconds } = program;
    const request = { ...programRequest(program), scratch, cacheFolder, script: interpreter.script };
    const timeoutMs = limitSeconds(seconds) * 1000;
    return programResult(await converse(interpreter, { request, folder, timeoutMs, progress }, signal));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
