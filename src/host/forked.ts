import { fork } from 'node:child_process';
import { LimitError } from './worker';
import type { FromWorker, StartWorker } from './worker';

interface ForkOptions {
  /** A program that ends in `workOn`, and what it is given. */
  readonly script: string;
  readonly args: readonly string[];
  readonly heapMiB: number;
}

const MOST_STDERR = 4000;

/**
 * Starts workers as processes. They are processes and not threads because V8 ends the whole process where a thread's heap is
 * full (an array that grows, say).
 */
export const forked =
  ({ script, args, heapMiB }: ForkOptions): StartWorker =>
  events => {
    const child = fork(script, [...args], {
      execArgv: [`--max-old-space-size=${heapMiB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: environment(),
    });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MOST_STDERR);
    });
    child.on('message', (message: FromWorker) => events.message(message));
    child.on('error', error => events.ended(error));
    child.on('close', (code, signal) => events.ended(whyEnded(code ?? signal, stderr, heapMiB)));
    return {
      // If the process has just ended, `close` reports it.
      send: message => void (child.connected && child.send(message, () => undefined)),
      kill: () => void child.kill('SIGKILL'),
    };
  };

const whyEnded = (how: number | string | null, stderr: string, heapMiB: number): Error =>
  /heap|memory|Allocation failed|invalid (?:array|table|size)/i.test(stderr)
    ? new LimitError('memory', `it needed more than ${heapMiB} MiB of memory`)
    : new Error(`the worker ended early (${how}): ${stderr.trim().slice(0, 200)}`);

/** Node's own options are for this process; what VS Code sets for its processes, too. Electron is Node where it is told so. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('VSCODE_'),
  );
  return {
    ...Object.fromEntries(kept),
    ...('electron' in process.versions && { ELECTRON_RUN_AS_NODE: '1' }),
  };
}
