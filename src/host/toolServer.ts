import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';

/** What a tool answered, for the model that called it. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** Decides on a question of the server before it changes something. */
export type Decide = (question: string) => boolean;

export interface ServerProgram {
  readonly argv: readonly [program: string, ...args: readonly string[]];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A message of JSON-RPC, as far as it is used here. */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly message?: string };
  readonly result?: { readonly content?: readonly { readonly text?: string }[]; readonly isError?: boolean };
  readonly error?: { readonly message?: string };
}

/** What a start of a job may take, and a minute more. */
const LIMIT_MS = 130_000;
const PROTOCOL = '2025-06-18';

/**
 * One process of `headroom mcp` that answers one call after another, so that a question belongs to the call that runs. It
 * speaks the Model Context Protocol's lines itself: the SDK's client is larger than all that VS Code loads at its start.
 */
export class ToolServer {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly waiting = new Map<number | string, (message: Message) => void>();
  private decide: Decide = () => false;
  private last: Promise<unknown>;
  private lastId = 0;
  private ended: Error | null = null;

  constructor(
    { argv: [program, ...args], folder, environment }: ServerProgram,
    private readonly whenEnded: () => void,
  ) {
    const env = { ...process.env, ...environment };
    this.child = spawn(program, args, { cwd: folder, env, windowsHide: true });
    this.child.on('error', error => this.end(error));
    this.child.on('close', () => this.end(new Error('the tool server ended')));
    this.child.stdin.on('error', error => this.end(error));
    this.child.stderr.resume();
    createInterface({ input: this.child.stdout }).on('line', line => this.receive(line));
    this.last = this.greet();
    this.last.catch(() => undefined);
  }

  /** Calls a tool after the calls before it; rejects if the server ends or takes too long. */
  call(name: string, input: object, decide: Decide): Promise<ToolAnswer> {
    const answer = this.last.then(async () => {
      this.decide = decide;
      const { content = [], isError = false } = await this.ask('tools/call', { name, arguments: input });
      return { text: content.map(({ text }) => text ?? '').join('\n'), isError };
    });
    this.last = answer.catch(() => undefined);
    return answer;
  }

  dispose(): void {
    this.end(new Error('the tool server was ended'));
  }

  private async greet(): Promise<void> {
    await this.ask('initialize', {
      protocolVersion: PROTOCOL,
      capabilities: { elicitation: {} },
      clientInfo: { name: 'vscode-headroom', version: '1' },
    });
    this.send({ method: 'notifications/initialized' });
  }

  private ask(method: string, params: object): Promise<NonNullable<Message['result']>> {
    if (this.ended) return Promise.reject(this.ended);
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => this.end(new Error(`${method} took too long`)), LIMIT_MS);
      this.waiting.set(id, ({ result, error }) => {
        clearTimeout(late);
        this.waiting.delete(id);
        if (result) resolve(result);
        else reject(new Error(error?.message ?? 'no answer'));
      });
      this.send({ id, method, params });
    });
  }

  private send(message: object): void {
    if (!this.ended) this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  private receive(line: string): void {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      return;
    }
    const { id, method, params } = message;
    if (id === undefined) return;
    if (method === undefined) this.waiting.get(id)?.(message);
    else if (method === 'elicitation/create') {
      const action = this.decide(params?.message ?? '') ? 'accept' : 'decline';
      this.send({ id, result: { action, ...(action === 'accept' && { content: {} }) } });
    } else this.send({ id, error: { code: -32_601, message: `no ${method} here` } });
  }

  private end(why: Error): void {
    if (this.ended) return;
    this.ended = why;
    this.child.kill();
    for (const answer of [...this.waiting.values()]) answer({ error: why });
    this.whenEnded();
  }
}
