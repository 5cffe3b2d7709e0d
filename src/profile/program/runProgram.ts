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
const GRACE_MS = 20_000;
/** On a busy machine its limit is longer, up to this many times (MOST_STRETCH of program/run.py). */
const MOST_STRETCH = 4;

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
    const request = programRequest(program, { scratch, cacheFolder, script: interpreter.script });
    const timeoutMs = program.seconds * MOST_STRETCH * 1000 + GRACE_MS;
    return programResult(
      await converse(interpreter, { request, folder: program.folder, timeoutMs, progress }, signal),
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
