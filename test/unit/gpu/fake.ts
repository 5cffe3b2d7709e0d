import type { Child, ChildEnd, Launch } from '../../../src/gpu/launch';
import type { Timers } from '../../../src/gpu/timers';

/** A clock that stands still until the test advances it. */
export class FakeTimers implements Timers {
  private time = 0;
  private waiting: { at: number; call: () => void }[] = [];

  now(): number {
    return this.time;
  }

  after(ms: number, call: () => void): () => void {
    const entry = { at: this.time + ms, call };
    this.waiting.push(entry);
    return () => {
      this.waiting = this.waiting.filter(one => one !== entry);
    };
  }

  /** Advances the time, runs everything that falls due, and its consequences. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    await settled();
    for (;;) {
      const [next] = this.waiting.filter(one => one.at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.waiting = this.waiting.filter(one => one !== next);
      this.time = next.at;
      next.call();
      await settled();
    }
    this.time = end;
  }
}

/** Runs everything that does not wait for a timer. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 20; round++) await Promise.resolve();
}

/** A child process that the test plays. */
class FakeChild implements Child {
  isStopped = false;
  private text: (stream: 'stdout' | 'stderr', text: string) => void = () => undefined;
  private ended: (end: ChildEnd) => void = () => undefined;

  constructor(
    readonly executable: string,
    readonly args: readonly string[],
    private readonly isStubborn: boolean,
  ) {}

  onText(listener: (stream: 'stdout' | 'stderr', text: string) => void): void {
    this.text = listener;
  }

  onEnd(listener: (end: ChildEnd) => void): void {
    this.ended = listener;
  }

  stop(): void {
    this.isStopped = true;
    if (!this.isStubborn) this.end(null);
  }

  say(text: string): void {
    this.text('stdout', text);
  }

  complain(text: string): void {
    this.text('stderr', text);
  }

  end(exitCode: number | null, failure: ChildEnd['failure'] = null): void {
    const { ended } = this;
    this.ended = () => undefined;
    ended({ exitCode, failure });
  }
}

/** Keeps every started child; `isStubborn`: they do not end when asked. */
export class FakeLaunch {
  readonly children: FakeChild[] = [];

  constructor(public isStubborn = false) {}

  readonly launch: Launch = (executable, args) => {
    const child = new FakeChild(executable, args, this.isStubborn);
    this.children.push(child);
    return child;
  };

  get last(): FakeChild {
    const child = this.children.at(-1);
    if (!child) throw new Error('Nothing was started.');
    return child;
  }
}
