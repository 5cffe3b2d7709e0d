// Programs that never outlive this process: each runs in its own process group, which ends with this process.
import { spawn, spawnSync } from 'node:child_process';

const PARENT_POLL_MS = 500;
const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Running programs, each with the signal that ends it when this process ends. */
const running = new Map();
process.once('exit', () => running.forEach((signal, child) => signalGroup(child, signal)));

/**
 * Turns Ctrl+C, `kill` and a closed terminal into an orderly exit, so that started programs end too. Also exits
 * when npm ends: it passes a signal on to its shell, which does not pass it on to this process.
 */
export function exitOnSignals() {
  for (const [signal, code] of Object.entries(codes)) process.once(signal, () => process.exit(code));
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = () => process.ppid !== parent && process.exit(codes.SIGTERM);
  setInterval(watch, PARENT_POLL_MS).unref();
}

/** Signals a program and its descendants. */
function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F']);
    else process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

const isRunning = child => child.pid !== undefined && child.exitCode === null && child.signalCode === null;

/**
 * Starts a program by argv, without a shell and without keyboard input. `lastSignal` ends it when this process
 * ends: SIGTERM for a program that must end its own children.
 */
export function start(command, args, options = {}) {
  const { cwd, env, stdio = ['ignore', 'pipe', 'pipe'], lastSignal = 'SIGKILL' } = options;
  const detached = process.platform !== 'win32';
  const child = spawn(command, args, { cwd, env, stdio, detached, windowsHide: true });
  running.set(child, lastSignal);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Ends a program, forcibly after `graceMs`. Its group is gone when this resolves. */
export async function stop(child, graceMs = 3000) {
  if (isRunning(child)) {
    const ended = new Promise(resolve => child.once('exit', resolve));
    signalGroup(child, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
    await ended;
    clearTimeout(timer);
  }
  signalGroup(child, 'SIGKILL');
}

/**
 * Runs a program to its end. `output` is what it printed to pipes; `echo` also prints it. Never rejects: a program
 * that cannot be started has a negative status and the reason as `output`.
 */
export function run(command, args, { timeoutMs, echo = false, ...options } = {}) {
  return new Promise(resolve => {
    const child = start(command, args, options);
    let output = '';
    let timedOut = false;
    const collect = data => {
      output += String(data);
      if (echo) process.stdout.write(data);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    const timer = setTimeout(
      () => {
        timedOut = true;
        void stop(child);
      },
      timeoutMs ?? 2 ** 31 - 1,
    );
    child.once('error', error => collect(error.message));
    child.once('close', status => {
      clearTimeout(timer);
      resolve({ status, timedOut, output: output.trim() });
    });
  });
}
