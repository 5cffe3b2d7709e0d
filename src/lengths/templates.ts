import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { chatTemplateIn } from '../core/lengths/chatTemplate';
import type { Turn } from '../core/lengths/rowText';
import type { Rendered } from './jinja';
import type { TemplateTask } from './templateWorker';

/** Renders conversations with the chat template of a tokenizer. */
export interface Renderer {
  /** One result per row; or why rendering has failed for good: the end of a sentence. */
  render(rows: readonly (readonly Turn[])[]): Promise<readonly Rendered[] | { readonly why: string }>;
  stop(): Promise<unknown>;
}

/** The thread's program, the current time, and the thread's limits. */
export interface RendererSetup {
  readonly workerFile: string;
  readonly nowMs: number;
  readonly limitMs?: number;
  readonly mostHeapMb?: number;
}

/** Rows take milliseconds, so a template that takes this long does not end. */
const LIMIT_MS = 10_000;
const MOST_HEAP_MB = 512;
/** Some files list a hundred thousand tokens next to their template. */
const MOST_BYTES = 16 << 20;

/** The chat template next to a `tokenizer.json`; null: it has none. */
export async function openRenderer(tokenizer: string, setup: RendererSetup): Promise<Renderer | null> {
  const sibling = (name: string) => textOf(join(dirname(tokenizer), name));
  const template = chatTemplateIn({
    config: await sibling('tokenizer_config.json'),
    special: await sibling('special_tokens_map.json'),
    template: await sibling('chat_template.jinja'),
  });
  return template && new TemplateThread({ template, nowMs: setup.nowMs }, setup);
}

/** A string says what went wrong. */
type Answer = readonly Rendered[] | string;

/** One thread, started on first use. */
class TemplateThread implements Renderer {
  private worker: Worker | null = null;
  private lost: string | null = null;
  private end: (answer: Answer) => void = () => undefined;

  constructor(
    private readonly task: TemplateTask,
    private readonly setup: RendererSetup,
  ) {}

  async render(rows: readonly (readonly Turn[])[]): Promise<readonly Rendered[] | { readonly why: string }> {
    if (this.lost !== null) return { why: this.lost };
    const answer = await this.ask(rows);
    if (typeof answer !== 'string') return answer;
    this.lost = answer;
    await this.stop();
    return { why: answer };
  }

  stop(): Promise<unknown> {
    const { worker } = this;
    this.worker = null;
    return worker?.terminate() ?? Promise.resolve();
  }

  private ask(rows: readonly (readonly Turn[])[]): Promise<Answer> {
    this.worker ??= this.started();
    this.worker.postMessage(rows);
    return new Promise(resolve => {
      const late = setTimeout(() => this.end('it does not end'), this.setup.limitMs ?? LIMIT_MS);
      this.end = answer => {
        clearTimeout(late);
        resolve(answer);
      };
    });
  }

  private started(): Worker {
    const worker = new Worker(this.setup.workerFile, {
      workerData: this.task,
      resourceLimits: { maxOldGenerationSizeMb: this.setup.mostHeapMb ?? MOST_HEAP_MB },
    });
    worker.on('message', (answer: readonly Rendered[]) => this.end(answer));
    worker.on('error', ({ message }) => this.end(message.replace(/\.$/, '')));
    worker.on('exit', code => this.end(`its thread left with ${code}`));
    return worker;
  }
}

/** Null if the file is missing or unsuitable. */
async function textOf(path: string): Promise<string | null> {
  const file = await open(path).catch(() => null);
  try {
    const size = (await file?.stat())?.size ?? Infinity;
    return file && size <= MOST_BYTES ? await file.readFile('utf8') : null;
  } catch {
    return null;
  } finally {
    await file?.close();
  }
}
