import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TalkingChild } from '../../../src/gpu/launch';
import { ROOT } from './inputs';

const GPUS_A_HOST = 8;
const recording = (name: string) => readFileSync(join(ROOT, 'test/fixtures/telemetry', name), 'utf8');

/** The recording's single GPU by field, with separate units. */
const [header = '', row = ''] = recording('nv-csv-4080s-595-load.csv').split('\n');
const values = row.split(', ');
const FIELDS = new Map(
  header.split(', ').map((field, at) => [field.replace(/ \[.*\]$/, ''), values[at] ?? '[N/A]']),
);
const APPS = recording('nv-apps-4080s-595-load.csv');

/** Spellings of a field: as requested, and as recorded. */
const SPELLINGS: Readonly<Record<string, string>> = {
  'clocks.sm': 'clocks.current.sm',
  'clocks.mem': 'clocks.current.memory',
};

/** The output of `nvidia-smi --query-gpu=… --format=csv,nounits` for a machine with eight such GPUs. */
export class RecordedGpus {
  readonly header: string;
  private readonly rows: readonly (readonly string[])[];
  private readonly time: number;

  constructor(query: string) {
    const fields = query.slice(query.indexOf('=') + 1).split(',');
    this.header = fields.join(', ');
    this.time = fields.indexOf('timestamp');
    this.rows = Array.from({ length: GPUS_A_HOST }, (_, gpu) => {
      const own: Readonly<Record<string, string>> = {
        index: String(gpu),
        uuid: `GPU-00000000-0000-0000-0000-00000000000${gpu}`,
        'pci.bus_id': `00000000:0${gpu + 1}:00.0`,
      };
      const value = (field: string) => own[field] ?? FIELDS.get(SPELLINGS[field] ?? field) ?? '[N/A]';
      return fields.map(field => value(field).replace(/ (?:MiB|%|W|MHz|us)$/, ''));
    });
  }

  /** The rows of one tick. */
  tick(second: number): readonly string[] {
    const time = new Date(second * 1000)
      .toISOString()
      .replace('T', ' ')
      .replace('Z', '')
      .replaceAll('-', '/');
    return this.rows.map(cells => cells.map((cell, at) => (at === this.time ? time : cell)).join(', '));
  }
}

/** The other side of an SSH connection, in memory: speaks the script's protocol, and has a recorded nvidia-smi. */
export class FarSide implements TalkingChild {
  private say: (stream: 'stdout' | 'stderr', text: string) => void = () => undefined;
  private prefix = '';
  private stream: { readonly id: string; readonly gpus: RecordedGpus } | null = null;
  private pids = 1000;

  onText(listener: (stream: 'stdout' | 'stderr', text: string) => void): void {
    this.say = listener;
  }

  onEnd(): void {
    // It stays until the benchmark ends.
  }

  stop(): void {
    this.stream = null;
  }

  write(text: string): void {
    const nonce = /^N=(\w+)/.exec(text)?.[1];
    if (nonce !== undefined) {
      this.prefix = `@${nonce} `;
      queueMicrotask(() => this.tell(['hello Linux node']));
      return;
    }
    for (const line of text.split('\n').filter(Boolean)) this.obey(line.split(' '));
  }

  /** Eight rows at once, as from a pipe. */
  tick(second: number): void {
    const { stream } = this;
    if (stream) this.tell(stream.gpus.tick(second).map(text => `${stream.id} o ${text}`));
  }

  get isStreaming(): boolean {
    return this.stream !== null;
  }

  private obey([verb, id = '', program = '', ...args]: readonly string[]): void {
    if (verb === 'load') {
      const memory = ['MemTotal:  24731708 kB', 'MemAvailable:  12365854 kB'].map(line => `${id} m ${line}`);
      this.later([`${id} s cpu  100 0 100 700 100 0 0 0 0 0`, ...memory, `${id} l`]);
    }
    if (verb === 'run') this.run(id, program, args);
  }

  private run(id: string, program: string, args: readonly string[]): void {
    this.pids += 1;
    const begin = [`${id} j ${this.pids}`, `${id} p ${this.pids}`];
    const query = args.find(arg => arg.startsWith('--query-gpu='));
    if (program !== 'nvidia-smi') this.later([...begin, `${id} x 127`]);
    else if (query !== undefined && (args.includes('-l') || args.includes('-lms'))) {
      this.stream = { id, gpus: new RecordedGpus(query) };
      this.later([...begin, `${id} o ${this.stream.gpus.header}`]);
    } else {
      const gpus = query === undefined ? null : new RecordedGpus(query);
      const lines = gpus === null ? APPS.trimEnd().split('\n') : [gpus.header, ...gpus.tick(0)];
      this.later([...begin, ...lines.map(line => `${id} o ${line}`), `${id} x 0`]);
    }
  }

  private later(lines: readonly string[]): void {
    queueMicrotask(() => this.tell(lines));
  }

  private tell(lines: readonly string[]): void {
    this.say('stdout', lines.map(line => `${this.prefix}${line}\n`).join(''));
  }
}
