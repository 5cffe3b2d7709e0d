import { TerminalExitReason, window } from 'vscode';
import type { JobRecord } from '../jobs/job';

/** Who closed a terminal: its user, someone who ended its task, or a window that goes. */
export type Closer = 'user' | 'task' | 'window';

/** VS Code tells right after, or, when the window goes, not at all. */
const PATIENCE_MS = 2000;

const CLOSERS: ReadonlyMap<TerminalExitReason, Closer> = new Map([
  [TerminalExitReason.User, 'user'],
  [TerminalExitReason.Extension, 'task'],
  // What ends a task disposes of its terminal, and gives no reason.
  [TerminalExitReason.Unknown, 'task'],
]);

/** Why the terminal of a job was closed just now. Its task's name ends with the end of the job's id. */
export function whyClosed({ id }: JobRecord): Promise<Closer> {
  return new Promise(resolve => {
    const timer = setTimeout(() => end('window'), PATIENCE_MS);
    const listener = window.onDidCloseTerminal(({ name, exitStatus }) => {
      if (name.includes(id.slice(-6))) {
        end((exitStatus && CLOSERS.get(exitStatus.reason)) ?? 'window');
      }
    });
    function end(closer: Closer): void {
      clearTimeout(timer);
      listener.dispose();
      resolve(closer);
    }
  });
}
