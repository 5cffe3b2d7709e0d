import type { Child, ChildEnd } from '../launch';

/** What a remote child needs from its connection. */
interface RemoteControl {
  own(pid: string): void;
  gone(pid: string, job: string): void;
  stop(pid: string): void;
}

/** A shell's status if its command is missing or not executable. */
const NOT_FOUND = '127';
const NOT_RUNNABLE = '126';

/** A tool that runs on the other side; its output arrives through the connection's lines. */
export class RemoteChild implements Child {
  private readonly listeners: ((stream: 'stdout' | 'stderr', text: string) => void)[] = [];
  private ended: ((end: ChildEnd) => void)[] = [];
  private pid: string | null = null;
  private job = '';
  private isWanted = true;

  constructor(private readonly control: RemoteControl) {}

  onText(listener: (stream: 'stdout' | 'stderr', text: string) => void): void {
    this.listeners.push(listener);
  }

  onEnd(listener: (end: ChildEnd) => void): void {
    this.ended.push(listener);
  }

  stop(): void {
    this.isWanted = false;
    if (this.pid !== null) this.control.stop(this.pid);
  }

  /** Handles one line about this child; true if it was the last. */
  receive(kind: string, rest: string): boolean {
    switch (kind) {
      case 'o':
        this.emitLine('stdout', rest);
        return false;
      case 'e':
        this.emitLine('stderr', rest);
        return false;
      case 'j':
        this.job = digits(rest);
        return false;
      case 'p':
        this.begin(digits(rest));
        return false;
      case 'x':
        this.finish(rest);
        return true;
      default:
        return false;
    }
  }

  /** The connection is gone, and the child with it. */
  lost(): void {
    this.end({ exitCode: null, failure: null });
  }

  private begin(pid: string): void {
    if (pid === '') return;
    this.pid = pid;
    this.control.own(pid);
    if (!this.isWanted) this.control.stop(pid);
  }

  private finish(status: string): void {
    if (this.pid !== null) this.control.gone(this.pid, this.job);
    if (status === NOT_FOUND) this.end({ exitCode: null, failure: 'not-found' });
    else if (status === NOT_RUNNABLE) this.end({ exitCode: null, failure: 'not-started' });
    else this.end({ exitCode: /^\d+$/.test(status) ? Number(status) : null, failure: null });
  }

  private emitLine(stream: 'stdout' | 'stderr', line: string): void {
    for (const listener of this.listeners) listener(stream, `${line}\n`);
  }

  private end(end: ChildEnd): void {
    const listeners = this.ended;
    this.ended = [];
    for (const listener of listeners) listener(end);
  }
}

/** Only digits of the other side's output may be put into a command. */
const digits = (text: string): string => (/^\d+$/.test(text) ? text : '');
