import { randomBytes } from 'node:crypto';
import { AnswerReader } from './answers';
import type { Answer } from './answers';
import callsSh from './calls.sh';
import { quotedText } from './words';
import { scriptOf } from './script';
import type { SshEnd } from './sshTroubles';
import type { Talk, TalkEnd } from './talk';
import type { Signal } from '../core/signal';

/** The other side gave no answer. `wasSent`: it may still have done what it was asked. */
export class NoAnswer extends Error {
  constructor(
    readonly why: 'ended' | 'timed-out' | 'aborted',
    readonly wasSent: boolean,
    readonly end: SshEnd | null,
  ) {
    super(`No answer: ${why}`);
  }
}

/** How long a login may take: ssh's own limit does not cover it. */
const HELLO_MS = 30_000;

/** How often to check whether an answer is still wanted. */
const WANTED_MS = 50;

interface Waiting {
  readonly line: string;
  readonly timeoutMs: number;
  readonly done: (answer: Answer) => void;
  readonly failed: (error: NoAnswer) => void;
  isWanted: boolean;
}

/**
 * A shell that receives functions and calls them one after the other over a single connection, which opens on the
 * first call and closes after an idle period. It does not keep the process alive while nothing is pending.
 */
export class Calls {
  private talk: Talk | null = null;
  private reader: AnswerReader | null = null;
  private line: Waiting[] = [];
  private pending: Waiting | null = null;
  private isReady = false;
  private lastId = 0;
  private wasSilent = false;
  private connecting = false;
  private timer: NodeJS.Timeout | null = null;

  /** `start` may have to queue; `functions` are constant. */
  constructor(
    private readonly start: () => Promise<{ readonly talk: Talk; readonly isIn: () => void }>,
    private readonly functions: string,
    private readonly lingerMs: number,
  ) {}

  /** Runs a function of the script with these arguments. Throws NoAnswer. */
  call(words: readonly string[], timeoutMs: number, signal: Signal): Promise<Answer> {
    const all = words.map(quotedText);
    if (all.includes(null)) throw new RangeError('Arguments cannot contain NUL characters.');
    if (signal.aborted) return Promise.reject(new NoAnswer('aborted', false, null));
    return new Promise((resolve, reject) => {
      const over = () => clearInterval(watch);
      const waiting: Waiting = {
        line: all.join(' '),
        timeoutMs,
        done(answer) {
          over();
          resolve(answer);
        },
        failed(error) {
          over();
          reject(error);
        },
        isWanted: true,
      };
      const watch = setInterval(() => {
        if (signal.aborted) this.drop(waiting);
      }, WANTED_MS);
      this.line.push(waiting);
      this.next();
    });
  }

  /** Ends the connection and rejects pending calls. */
  dispose(): void {
    this.lost({ exitCode: null, failure: null, stderr: '' });
  }

  private next(): void {
    if (this.talk === null) {
      if (this.line.length > 0) void this.connect();
      return;
    }
    if (!this.isReady || this.pending !== null) return;
    const waiting = this.line.shift();
    if (waiting === undefined) {
      this.rest();
      return;
    }
    this.pending = waiting;
    this.lastId += 1;
    this.talk.keep(true);
    this.limit(waiting.timeoutMs, () => this.silent());
    // In braces, so that nothing of a truncated line is run.
    void this.talk.write(`{ ask ${this.lastId} ${waiting.line}; }\n`);
  }

  /** Nothing to ask: the connection stays open for a while without keeping the process alive. */
  private rest(): void {
    this.talk?.keep(false);
    this.limit(this.lingerMs, () => this.dispose());
    this.timer?.unref();
  }

  private async connect(): Promise<void> {
    if (this.connecting) return;
    this.connecting = true;
    const { talk, isIn } = await this.start();
    this.connecting = false;
    if (this.line.length === 0) {
      isIn();
      talk.stop();
      return;
    }
    const nonce = randomBytes(8).toString('hex');
    this.talk = talk;
    this.wasSilent = false;
    this.reader = new AnswerReader(nonce, {
      hello: () => {
        isIn();
        this.isReady = true;
        this.next();
      },
      answer: (id, answer) => this.onAnswer(id, answer),
    });
    const { reader } = this;
    talk.listen(
      bytes => reader.add(bytes),
      end => {
        isIn();
        if (this.talk === talk) this.lost(end);
      },
    );
    this.limit(HELLO_MS, () => this.silent());
    void talk.write(`N=${nonce}\n${scriptOf(callsSh).trimStart()}${this.functions}say hello\n`);
  }

  private onAnswer(id: string, answer: Answer): void {
    const { pending } = this;
    if (pending === null || id !== String(this.lastId)) return;
    this.pending = null;
    pending.done(answer);
    this.next();
  }

  private silent(): void {
    this.wasSilent = true;
    this.lost({ exitCode: null, failure: null, stderr: '' });
  }

  private lost(end: TalkEnd): void {
    const { talk, pending, line, wasSilent } = this;
    const noise = this.reader?.noise ?? '';
    if (this.timer !== null) clearTimeout(this.timer);
    this.talk = null;
    this.reader = null;
    this.pending = null;
    this.isReady = false;
    this.line = [];
    this.timer = null;
    talk?.keep(false);
    talk?.stop();
    const why = wasSilent ? 'timed-out' : 'ended';
    pending?.failed(new NoAnswer(why, true, { ...end, noise, wasSilent }));
    for (const waiting of line) waiting.failed(new NoAnswer(why, false, { ...end, noise, wasSilent }));
  }

  /** The answer still arrives, and is ignored. */
  private drop(waiting: Waiting): void {
    if (!waiting.isWanted) return;
    waiting.isWanted = false;
    this.line = this.line.filter(other => other !== waiting);
    if (waiting === this.pending) {
      this.talk?.keep(false);
      this.timer?.unref();
    }
    waiting.failed(new NoAnswer('aborted', waiting === this.pending, null));
  }

  private limit(ms: number, then: () => void): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(then, ms);
  }
}
