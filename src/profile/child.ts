import { spawn } from 'node:child_process';
import type { Signal } from '../core/signal';

/** How a process with one request ended. */
export interface Ended {
  readonly why: 'exited' | 'not-found' | 'not-started' | 'timed-out' | 'aborted';
  readonly exitCode: number | null;
  /** What killed it from outside: `SIGKILL` …; null: nothing. */
  readonly signal: string | null;
  /** The end of its stderr. */
  readonly stderr: string;
}

interface ChildRequest {
  readonly executable: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly folder: string | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Receives stderr line by line; absent: only its end is kept. */
  readonly stderrLine?: (text: string) => void;
}

/** How long a process has to end by itself after it was asked to. */
const GRACE_MS = 3_000;
/** Polling interval, because core's signal has no events. */
const LOOK_MS = 100;
const MOST_STDERR = 8_192;

/**
 * Runs a program to its end: argv without a shell, one line on stdin, lines of stdout as they arrive. On abort or
 * timeout, ends it with all of its child processes.
 */
export function ask(request: ChildRequest, signal: Signal, line: (text: string) => void): Promise<Ended> {
  return new Promise(resolve => {
    const own = process.platform !== 'win32';
    const child = spawn(request.executable, request.args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      shell: false,
      detached: own,
      ...(request.folder === null ? {} : { cwd: request.folder }),
      env: { ...process.env, ...request.environment, PYTHONUNBUFFERED: '1', PYTHONIOENCODING: 'utf-8' },
    });
    let [rest, stderr, errors] = ['', '', ''];
    let why: Ended['why'] = 'exited';
    const end = (reason: Ended['why']): void => {
      if (why === 'exited') why = reason;
      stop(child.pid, own, 'SIGTERM');
      setTimeout(() => stop(child.pid, own, 'SIGKILL'), GRACE_MS).unref();
    };
    const late = setTimeout(() => end('timed-out'), request.timeoutMs);
    const looks = setInterval(() => {
      if (signal.aborted && why === 'exited') end('aborted');
    }, LOOK_MS);
    child.on('error', (error: NodeJS.ErrnoException) => {
      why = error.code === 'ENOENT' ? 'not-found' : 'not-started';
    });
    child.stdin.on('error', () => undefined);
    // Left open: if this program dies for any reason, the child sees stdin close and exits too.
    child.stdin.write(`${request.input}\n`);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      rest = linesOf(rest + text, one => {
        if (why === 'exited') line(one);
      });
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MOST_STDERR);
      if (request.stderrLine) errors = linesOf(errors + text, request.stderrLine);
    });
    child.once('close', (exitCode, killedBy) => {
      clearTimeout(late);
      clearInterval(looks);
      if (rest !== '' && why === 'exited') line(rest);
      resolve({ why, exitCode, signal: killedBy, stderr });
    });
  });
}

/** Emits complete lines; returns the incomplete rest. */
function linesOf(text: string, line: (text: string) => void): string {
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  lines.forEach(line);
  return rest;
}

/** Signals the process group if the system has groups; ignores one that is already gone. */
function stop(pid: number | undefined, group: boolean, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(group ? -pid : pid, signal);
  } catch {
    return;
  }
}
