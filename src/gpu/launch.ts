import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';

/** How a child process ended. */
export interface ChildEnd {
  readonly exitCode: number | null;
  /** Set when it could not be started. */
  readonly failure: 'not-found' | 'not-started' | null;
}

/** A running child process as this room uses one. */
export interface Child {
  /** Listeners get text as it arrives. To be set at once: nothing is kept for later. */
  onText(listener: (stream: 'stdout' | 'stderr', text: string) => void): void;
  /** Called once, when the process and its pipes are gone. */
  onEnd(listener: (end: ChildEnd) => void): void;
  /** Asks it to end. It may not: a process stuck in the driver ignores every signal. */
  stop(): void;
}

export type Launch = (executable: string, args: readonly string[]) => Child;

/** Starts programs by argv, never through a shell, with nothing on stdin, and without keeping this process alive. */
export const nodeLaunch: Launch = (executable, args) => {
  try {
    return asChild(
      spawn(executable, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, shell: false }),
    );
  } catch {
    return NOT_STARTED;
  }
};

function asChild(process: ChildProcessByStdio<null, Readable, Readable>): Child {
  let failure: ChildEnd['failure'] = null;
  process.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code === 'ENOENT' ? 'not-found' : 'not-started';
  });
  return {
    onText(listener) {
      for (const name of ['stdout', 'stderr'] as const) {
        process[name].setEncoding('utf8');
        process[name].on('data', (text: string) => listener(name, text));
        process[name].on('error', () => undefined);
      }
    },
    onEnd(listener) {
      process.once('close', exitCode => listener({ exitCode: failure === null ? exitCode : null, failure }));
    },
    stop() {
      // Not SIGKILL: killing a process inside the driver has frozen GPUs.
      process.kill('SIGTERM');
      // One that stays must not keep this process from ending.
      process.stdout.destroy();
      process.stderr.destroy();
      process.unref();
    },
  };
}

/** Arguments that no program can be given (a NUL in a path): there never was a process. */
const NOT_STARTED: Child = {
  onText: () => undefined,
  onEnd: listener => queueMicrotask(() => listener({ exitCode: null, failure: 'not-started' })),
  stop: () => undefined,
};
