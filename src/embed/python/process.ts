import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { EmbedError } from '../errors';
import { OutOfMemory } from '../engine/workers';

/** The user's Python, and Headroom's scripts for it. */
export interface Interpreter {
  readonly executable: string;
  /** The path of `start.py` of `src/python`. */
  readonly script: string;
}

export type Fields = Readonly<Record<string, unknown>>;

interface Waiting {
  readonly resolve: (fields: Fields) => void;
  readonly reject: (error: Error) => void;
}

const MOST_STDERR = 8192;
/** How long it has to end after its stdin closes. */
const GRACE_MS = 2000;

/**
 * Headroom's scripts in the user's Python, for many requests. They end with this process, because their stdin
 * closes.
 */
export class PythonProcess {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly waiting = new Map<number, Waiting>();
  private readonly ended: Promise<void>;
  private next = 1;
  private failure: Error | null = null;
  private stderr = '';
  /** Its response to the request. */
  readonly ready: Promise<Fields>;

  constructor(
    private readonly interpreter: Interpreter,
    request: object,
  ) {
    // In its own process group: Ctrl+C in a terminal reaches only this process, and current batches are completed.
    this.child = spawn(interpreter.executable, [interpreter.script], {
      windowsHide: true,
      detached: process.platform !== 'win32',
      env: { ...process.env, PYTHONUNBUFFERED: '1', PYTHONIOENCODING: 'utf-8' },
    });
    this.ready = new Promise((resolve, reject) => this.waiting.set(0, { resolve, reject }));
    this.ready.catch(() => undefined);
    this.ended = new Promise(resolve => this.child.once('close', () => resolve()));
    this.listen();
    this.child.stdin.write(`${JSON.stringify(request)}\n`);
  }

  ask(ask: 'sizes' | 'vectors', texts: readonly string[]): Promise<Fields> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      if (this.failure) {
        reject(this.failure);
        return;
      }
      this.waiting.set(id, { resolve, reject });
      this.child.stdin.write(`${JSON.stringify({ ask, id, texts })}\n`);
    });
  }

  async stop(): Promise<void> {
    this.fail(new EmbedError('engine', 'The engine was stopped.'));
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), GRACE_MS);
    await this.ended;
    clearTimeout(timer);
  }

  private listen(): void {
    const { child } = this;
    child.on('error', () => {
      this.fail(
        new EmbedError(
          'engine',
          `Couldn't start ${this.interpreter.executable}. Choose a Python with --python PATH.`,
        ),
      );
    });
    child.stdin.on('error', () => undefined);
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (this.stderr = (this.stderr + text).slice(-MOST_STDERR)));
    createInterface(child.stdout).on('line', line => this.onLine(line));
    child.once('close', (code, signal) => this.fail(this.silence(code ?? signal)));
  }

  private onLine(line: string): void {
    const { kind, id, ...fields } = answerOf(line);
    if (kind === 'refused') this.fail(new EmbedError('bad-model', refusal(fields)));
    else if (kind === 'failed') {
      this.fail(new EmbedError('engine', `The Python worker failed: ${textOf(fields['error'])}.`));
    } else if (kind === 'ready') this.answer(0, fields);
    else if (kind === 'unanswered') this.refuse(Number(id), fields);
    else if (typeof id === 'number') this.answer(id, fields);
  }

  private answer(id: number, fields: Fields): void {
    this.waiting.get(id)?.resolve(fields);
    this.waiting.delete(id);
  }

  private refuse(id: number, { error, outOfMemory }: Fields): void {
    const why = textOf(error);
    const fault = outOfMemory === true ? new OutOfMemory(why) : new EmbedError('engine', `Python: ${why}.`);
    this.waiting.get(id)?.reject(fault);
    this.waiting.delete(id);
  }

  private silence(code: number | string | null): Error {
    const last = this.stderr.trim().split('\n').at(-1) ?? '';
    const detail = last === '' ? '' : `: ${last.slice(0, 300)}`;
    return new EmbedError(
      'engine',
      `The Python worker (${this.interpreter.executable}) ended without an answer (${code ?? 'no code'})${detail}.`,
    );
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
  }
}

function answerOf(line: string): Fields {
  try {
    const answer: unknown = JSON.parse(line);
    return typeof answer === 'object' && answer !== null ? (answer as Fields) : {};
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Why it cannot run there, with the command for the user to run: Headroom installs nothing. */
function refusal(fields: Fields): string {
  const missing = Array.isArray(fields['missing']) ? fields['missing'].map(textOf) : [];
  const python = textOf(fields['executable']) || 'python';
  const quoted = /\s/.test(python) ? `"${python}"` : python;
  const how =
    missing.length === 0
      ? ''
      : ` Install it there: ${quoted} -m pip install ${missing.join(' ')}; or name another with --python.`;
  return `${textOf(fields['sentence'])}.${how}`;
}
