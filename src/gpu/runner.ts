import type { Child, Launch } from './launch';
import { Lines, plainOutput, plainText } from './parse/text';
import type { Timers } from './timers';
import type { ToolOutput } from './tool';

/** How a run of a tool came out. */
export type ToolRun =
  | { readonly ok: true; readonly output: ToolOutput }
  /** `busy`: an earlier run was given up but is still there; a second would only join it. */
  | { readonly ok: false; readonly why: 'not-found' | 'not-started' | 'timed-out' | 'busy' };

/** More than any query prints (XML of 16 GPUs: 0.5 MB); what goes on is not nvidia-smi. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** A stream of lines from a running tool. */
export interface LineStream {
  stop(): void;
}

export interface LineListener {
  line(text: string): void;
  /** The last of what it printed, for finding out why it ended. */
  end(output: ToolOutput, found: boolean): void;
}

/** JSON of a tick may stand in one line. */
const MOST_IN_A_LINE = 256 * 1024;

/** How much of the end of a stream is kept. */
const TAIL_CHARACTERS = 4000;

/**
 * Runs one executable, one process at a time, and ends what it started. A process that does not end when asked (a hung
 * driver) is no longer waited for, but nothing new starts while it is there.
 */
export class ToolRunner {
  private child: Child | null = null;

  constructor(
    readonly executable: string,
    private readonly launch: Launch,
    private readonly timers: Timers,
  ) {}

  /** Whether a process of this runner is there, wanted or not. */
  get isBusy(): boolean {
    return this.child !== null;
  }

  /** Everything a run prints; after `timeoutMs` it is given up. */
  run(args: readonly string[], timeoutMs: number): Promise<ToolRun> {
    if (this.child) return Promise.resolve({ ok: false, why: 'busy' });
    const child = this.start(args);
    const text = { stdout: '', stderr: '' };
    return new Promise(resolve => {
      const giveUp = () => {
        child.stop();
        resolve({ ok: false, why: 'timed-out' });
      };
      const cancel = this.timers.after(timeoutMs, giveUp);
      child.onText((stream, more) => {
        text[stream] += more;
        if (text[stream].length > MOST_CHARACTERS) giveUp();
      });
      child.onEnd(({ exitCode, failure }) => {
        cancel();
        this.ended(child);
        resolve(
          failure ? { ok: false, why: failure } : { ok: true, output: plainOutput({ ...text, exitCode }) },
        );
      });
    });
  }

  /** Lines of stdout as they come, until the tool ends or is stopped; null while another process is there. */
  stream(args: readonly string[], listener: LineListener): LineStream | null {
    if (this.child) return null;
    const child = this.start(args);
    const lines = new Lines(MOST_IN_A_LINE, text => listener.line(plainText(text)));
    const tail = { stdout: '', stderr: '' };
    child.onText((stream, text) => {
      tail[stream] = (tail[stream] + text).slice(-TAIL_CHARACTERS);
      if (stream === 'stdout') lines.add(text);
    });
    child.onEnd(({ exitCode, failure }) => {
      this.ended(child);
      listener.end({ ...tail, exitCode }, failure !== 'not-found');
    });
    return { stop: () => child.stop() };
  }

  /** Ends what is running. */
  dispose(): void {
    this.child?.stop();
  }

  private start(args: readonly string[]): Child {
    const child = this.launch(this.executable, args);
    this.child = child;
    return child;
  }

  private ended(child: Child): void {
    if (this.child === child) this.child = null;
  }
}
