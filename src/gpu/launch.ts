import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

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

/** A child that is spoken to: its standard input stays open until it is stopped. */
export interface TalkingChild extends Child {
  write(text: string): void;
}

export type TalkingLaunch = (executable: string, args: readonly string[]) => TalkingChild;

export type Launch = (executable: string, args: readonly string[]) => Child;

/** Numbers with a point as decimal sign, and lines as they come from tools that are written in Python. */
const PLAIN = { LC_ALL: 'C', PYTHONUNBUFFERED: '1' };

/** Starts programs by argv, never through a shell, with nothing on stdin, and without keeping this process alive. */
export const nodeLaunch: Launch = (executable, args) => {
  try {
    return asChild(
      spawn(executable, args, {
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
        shell: false,
        env: { ...process.env, ...PLAIN },
      }),
    );
  } catch {
    return NOT_STARTED;
  }
};

/** The same with an open standard input, whose end tells the other side that nobody is there any more. */
export const nodeTalk: TalkingLaunch = (executable, args) => {
  try {
    const process = spawn(executable, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      shell: false,
    });
    // One that has ended cannot be written to, and says so by its end.
    process.stdin.on('error', () => undefined);
    const child = asChild(process);
    return {
      ...child,
      write: text => void process.stdin.write(text),
      stop() {
        process.stdin.destroy();
        child.stop();
      },
    };
  } catch {
    return { ...NOT_STARTED, write: () => undefined };
  }
};

function asChild(child: ChildProcessByStdio<Writable | null, Readable, Readable>): Child {
  let failure: ChildEnd['failure'] = null;
  child.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code === 'ENOENT' ? 'not-found' : 'not-started';
  });
  return {
    onText(listener) {
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].setEncoding('utf8');
        child[name].on('data', (text: string) => listener(name, text));
        child[name].on('error', () => undefined);
      }
    },
    onEnd(listener) {
      child.once('close', exitCode => listener({ exitCode: failure === null ? exitCode : null, failure }));
    },
    stop() {
      // Not SIGKILL: killing a process inside the driver has frozen GPUs.
      child.kill('SIGTERM');
      // One that stays must not keep this process from ending.
      child.stdout.destroy();
      child.stderr.destroy();
      child.unref();
    },
  };
}

/** Arguments that no program can be given (a NUL in a path): there never was a process. */
export const NOT_STARTED: Child = {
  onText: () => undefined,
  onEnd: listener => queueMicrotask(() => listener({ exitCode: null, failure: 'not-started' })),
  stop: () => undefined,
};
