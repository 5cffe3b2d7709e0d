/**
 * Sends a signal to a process, or to a group by its negative number. Throws where there is none: a number that was
 * read before it was written would be 0, which means this process's own group.
 */
export function signalTo(pid: number, signal: NodeJS.Signals): void {
  const isProcess = Number.isSafeInteger(pid) && Math.abs(pid) > 1;
  if (!isProcess) throw new Error(`There is no process ${pid} to signal.`);
  process.kill(pid, signal);
}

/** The same for one that may have ended meanwhile. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    signalTo(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
