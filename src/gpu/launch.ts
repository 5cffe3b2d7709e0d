import { spawn } from 'node:child_process';
import { sshEnvironment } from '../remote/sshArguments';
import type { ChildProcess, ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** How a child process ended. */
export interface ChildEnd {
  readonly exitCode: number | null;
  /** Set if it could not be started. */
  readonly failure: 'not-found' | 'not-started' | null;
}

/** A running child process. */
export interface Child {
  /** Listeners receive text as it arrives. Set them immediately: nothing is buffered. */
  onText(listener: (stream: 'stdout' | 'stderr', text: string) => void): void;
  /** Called once, when the process and its pipes have ended. */
  onEnd(listener: (end: ChildEnd) => void): void;
  /** Asks it to end. It may not: a process stuck in the driver ignores every signal. */
  stop(): void;
}

/** A child with an open standard input until it is stopped. */
export interface TalkingChild extends Child {
  write(text: string): void;
}

export type TalkingLaunch = (executable: string, args: readonly string[]) => TalkingChild;

export type Launch = (executable: string, args: readonly string[]) => Child;

/** Decimal points in numbers, and unbuffered lines from tools that are written in Python. */
const PLAIN = { LC_ALL: 'C', PYTHONUNBUFFERED: '1' };

/** Starts programs by argv, never through a shell, with nothing on stdin, and without keeping this process alive. */
export const nodeLaunch: Launch = (executable, args) => {
  if (isMissing(executable)) return NOT_FOUND;
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

/** The same with an open standard input; closing it tells the other side that no one is listening. */
export const nodeTalk: TalkingLaunch = (executable, args) => {
  try {
    const talking = spawn(executable, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      shell: false,
      env: sshEnvironment(process.env),
    });
    // Writing to an ended process fails silently; its end reports it.
    talking.stdin.on('error', () => undefined);
    const child = asChild(talking);
    return {
      ...child,
      write: text => void talking.stdin.write(text),
      stop() {
        talking.stdin.destroy();
        child.stop();
      },
    };
  } catch {
    return { ...NOT_STARTED, write: () => undefined };
  }
};

/**
 * Most machines have one of ten GPU tools, and a failing start takes milliseconds. Windows finds programs in more
 * ways.
 */
function isMissing(executable: string): boolean {
  if (process.platform === 'win32' || executable.includes('\0')) return false;
  if (isAbsolute(executable)) return !existsSync(executable);
  const path = process.env['PATH'];
  if (executable.includes('/') || path === undefined) return false;
  return !path.split(delimiter).some(folder => existsSync(join(folder, executable)));
}

/** How long a tool has to end by itself before it is killed. */
const GRACE_MS = 2000;

/** Tools that were asked to end and have not: none is left behind when this process exits for any reason. */
const unresponsive = new Set<ChildProcess>();

const killDeaf = (): void => {
  for (const child of unresponsive) child.kill('SIGKILL');
};

function killLater(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (unresponsive.has(child)) return;
  if (unresponsive.size === 0) process.once('exit', killDeaf);
  unresponsive.add(child);
  // The timer keeps this process alive until the tool has ended or is killed.
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  child.once('exit', () => {
    clearTimeout(timer);
    unresponsive.delete(child);
    if (unresponsive.size === 0) process.off('exit', killDeaf);
  });
}

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
      // SIGTERM first: killing a process inside the driver has frozen GPUs.
      child.kill('SIGTERM');
      killLater(child);
      // A tool that does not end must not keep this process alive.
      child.stdout.destroy();
      child.stderr.destroy();
      child.unref();
    },
  };
}

const withoutProcess = (failure: ChildEnd['failure']): Child => ({
  onText: () => undefined,
  onEnd: listener => queueMicrotask(() => listener({ exitCode: null, failure })),
  stop: () => undefined,
});

const NOT_FOUND = withoutProcess('not-found');

/** For arguments that cannot be passed to any program (a NUL in a path): no process was started. */
export const NOT_STARTED = withoutProcess('not-started');
