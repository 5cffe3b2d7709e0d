import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Written } from './oneInput';

/** What an input may take. */
export const LIMITS = {
  /** Processor time where the system tells of it, else time. */
  hangMs: 2000,
  /** Time for an input that takes no processor time: it waits for something that does not come. */
  waitMs: 120_000,
  heapMB: 400,
  residentMB: 512,
} as const;

/** What a process answers for each input. */
interface Answer {
  readonly problems: readonly string[];
  readonly cpuMs: number;
  readonly residentMB: number;
}

/** Takes inputs one after the other, in a process of its own: one that hangs or aborts is one finding, and the next begins anew. */
export class Looker {
  private child: ChildProcess | null = null;

  constructor(
    /** Answers messages: see `serve`. */
    private readonly program: string,
    private readonly args: readonly string[],
  ) {}

  async look(input: Written): Promise<Answer | { readonly problem: string }> {
    const child = await this.started();
    const before = cpuMsOf(child);
    const begunMs = Date.now();
    const watching = new AbortController();
    const answered = once(child, 'message', { signal: watching.signal }).then(([answer]) => answer as Answer);
    const ended = once(child, 'exit', { signal: watching.signal }).then(([code, signal]) => ({
      problem: `abort: the process ended (${String(signal ?? code)})`,
    }));
    const late = this.late(child, before, begunMs, watching.signal);
    child.send(input);
    try {
      const found = await Promise.race([answered, ended, late]);
      if ('problem' in found) this.end();
      return found;
    } finally {
      watching.abort();
      for (const one of [answered, ended, late]) one.catch(() => undefined);
    }
  }

  end(): void {
    this.child?.kill('SIGKILL');
    this.child = null;
  }

  private async started(): Promise<ChildProcess> {
    if (this.child?.connected) return this.child;
    const execArgv = [`--max-old-space-size=${LIMITS.heapMB}`, '--enable-source-maps'];
    const env = { ...process.env, HEADROOM_DEBUG: '1' };
    const child = fork(this.program, this.args, {
      env,
      execArgv,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.child = child;
    await once(child, 'message');
    return child;
  }

  private async late(
    child: ChildProcess,
    before: number | null,
    begunMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly problem: string }> {
    while (!signal.aborted) {
      await new Promise(done => setTimeout(done, 100));
      const waitedMs = Date.now() - begunMs;
      const now = cpuMsOf(child);
      const workedMs = before === null || now === null ? waitedMs : now - before;
      if (workedMs > LIMITS.hangMs) return { problem: `hang: more than ${LIMITS.hangMs / 1000} s` };
      if (waitedMs > LIMITS.waitMs) return { problem: `hang: no answer after ${LIMITS.waitMs / 1000} s` };
    }
    throw new Error('nobody waits');
  }
}

const TICK_MS = 10;

/** Processor time of a process: others take turns on a machine that is busy. Null where the system does not tell. */
function cpuMsOf({ pid }: ChildProcess): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return null;
  }
}
