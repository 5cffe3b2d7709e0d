import type { Child, Launch } from './launch';
import { Lines, plainOutput, plainText } from './parse/text';
import type { Timers } from './timers';
import type { ToolOutput } from './tool';

/** The result of running a tool. */
export type ToolRun =
  | { readonly ok: true; readonly output: ToolOutput }
  /** `busy`: an earlier run was abandoned but still exists; a second one would hang, too. */
  | { readonly ok: false; readonly why: 'not-found' | 'not-started' | 'timed-out' | 'busy' };

/** More than any query prints (XML of 16 GPUs: 0.5 MB); longer output is not from nvidia-smi. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** A stream of lines from a running tool. */
export interface LineStream {
  stop(): void;
}

interface LineListener {
  line(text: string): void;
  /** The end of its output, for finding out why it ended. */
  end(output: ToolOutput, found: boolean): void;
}

/** A tick's JSON may be in one line. */
const MOST_IN_A_LINE = 256 * 1024;

/** The length of a stream's end to keep. */
const TAIL_CHARACTERS = 4000;

/**
 * Runs one executable, one process at a time, and ends what it started. A process that does not end when asked (a
 * hung driver) is abandoned, but nothing new starts while it exists.
 */
export class ToolRunner {
  private child: Child | null = null;

  constructor(
    readonly executable: string,
    private readonly launch: Launch,
    private readonly timers: Timers,
  ) {}

  /** Whether a process of this runner exists, wanted or abandoned. */
  get isBusy(): boolean {
    return this.child !== null;
  }

  /** Returns all output of a run; abandons it after `timeoutMs`. */
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

  /** Emits lines of stdout as they arrive, until the tool ends or is stopped; null while another process exists. */
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

  /** Ends the running process. */
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
