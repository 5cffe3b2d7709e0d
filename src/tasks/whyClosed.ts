import { TerminalExitReason, window } from 'vscode';
import type { JobRecord } from '../jobs/job';

/** Who closed a terminal: its user, ending its task, or the window. */
type Closer = 'user' | 'task' | 'window';

/** VS Code fires the event right after the close, or never if the window closes. */
const PATIENCE_MS = 2000;

const CLOSERS: ReadonlyMap<TerminalExitReason, Closer> = new Map([
  [TerminalExitReason.User, 'user'],
  [TerminalExitReason.Extension, 'task'],
  // Ending a task disposes of its terminal without a reason.
  [TerminalExitReason.Unknown, 'task'],
]);

/** Why a job's terminal was just closed. Its name contains the end of the job's id. */
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
