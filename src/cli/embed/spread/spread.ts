import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Embedding } from '../../../embed/chunk';
import type { JobPlace, JobRequest } from '../../../jobs/job';
import type { Jobs } from '../../../jobs/jobs';
import { newShards } from '../../../jobs/shards/schedule';
import type { Shard } from '../../../jobs/shards/schedule';
import { ShardRun } from '../../../jobs/shards/shardRun';
import { slotsOf } from '../../../jobs/shards/slots';
import type { Slot, SlotHost } from '../../../jobs/shards/slots';
import { EXIT } from '../../exit';
import type { ExitCode } from '../../exit';
import { openJobsHere } from '../../jobs/open';
import { BadInput, terminalOutput } from '../../output';
import type { Output } from '../../output';
import { withSentences } from '../load';
import type { EmbedOptions } from '../options';
import { count, duration } from '../progress';
import { spreadHosts } from './hosts';
import type { SpreadHosts } from './hosts';
import { keepState, partsFolder, readState } from './state';
import type { SpreadState } from './state';
import { partWords } from './words';

export interface SpreadOptions extends EmbedOptions, SpreadHosts {
  readonly parts?: number;
  readonly hostCommand?: readonly string[];
}

const TELL_MS = 10_000;
const NEVER = { aborted: false };

/** `headroom embed FILE --out DIR --hosts a,b`: one part a GPU, on several hosts, merged and verified here. */
export async function spread(file: string | undefined, options: SpreadOptions): Promise<void> {
  const input = file ?? options.input;
  if (input === undefined || input === '-') {
    throw new BadInput('Which texts? Parts on several hosts need a file.');
  }
  const { out } = options;
  if (out === undefined) throw new BadInput('Where to? Name a folder for the vectors with --out.');
  if (await isThere(out)) throw new BadInput(`${out}: there is something already; name a new folder.`);
  if (!(await isThere(input))) throw new BadInput(`${input}: there is no such file.`);
  const output = terminalOutput(options);
  await withSentences(embedding =>
    new Spread(embedding, resolve(input), resolve(out), options, output).run(),
  );
}

class Spread {
  private readonly jobs: Jobs;
  private readonly folder: string;
  private readonly words: readonly string[];
  private state: SpreadState;

  constructor(
    private readonly embedding: Embedding,
    private readonly input: string,
    private readonly out: string,
    private readonly options: SpreadOptions,
    private readonly output: Output,
  ) {
    this.jobs = openJobsHere(options);
    this.folder = dirname(input);
    this.words = partWords(options, this.modelThere());
    this.state = { schema: 'headroom-parts/1', input, words: this.words, folders: {}, shards: [] };
  }

  async run(): Promise<ExitCode> {
    const hosts = await spreadHosts(this.options);
    const slots = slotsOf(hosts);
    await this.begin(slots);
    for (const host of hosts) await this.bring(host);
    const shards = this.state.shards;
    this.output.err(`${shards.length} parts on ${slots.map(({ name }) => name).join(', ')}`);
    const run = new ShardRun(shards, slots, {
      start: (shard, slot) => this.start(shard, slot),
      look: async job => (await this.jobs.get(job)) ?? { state: 'lost', message: null },
      read: async (job, offset) => (await this.jobs.output(job, offset, NEVER)).bytes,
      collect: shard => this.collect(shard),
      stop: async job => {
        await this.jobs.stop(job, NEVER);
      },
      keep: shards => this.keep({ shards }),
      say: text => this.output.err(text),
    });
    const isDone = await this.followed(run);
    this.jobs.dispose();
    return isDone ? this.finish() : EXIT.undecided;
  }

  /** What an earlier start of the same command left is gone on with; parts that failed have another chance. */
  private async begin(slots: readonly Slot[]): Promise<void> {
    const before = await readState(this.out);
    if (before === null) {
      return this.keep({ shards: newShards(this.options.parts ?? slots.length) });
    }
    const isSame = before.input === this.input && String(before.words) === String(this.words);
    if (!isSame || (this.options.parts ?? before.shards.length) !== before.shards.length) {
      throw new BadInput(
        `${partsFolder(this.out)} has parts of another run: name another --out, or remove it.`,
      );
    }
    const shards = before.shards.map(shard =>
      shard.state === 'failed' ? { ...shard, state: 'waiting' as const, failures: [] } : shard,
    );
    this.state = { ...before, shards };
  }

  private async followed(run: ShardRun): Promise<boolean> {
    const leave = new AbortController();
    const end = (): void => leave.abort();
    process.once('SIGINT', end).once('SIGTERM', end);
    const timer = setInterval(() => this.tell(run), TELL_MS);
    try {
      return await run.run(leave.signal);
    } finally {
      clearInterval(timer);
      process.off('SIGINT', end).off('SIGTERM', end);
      this.tell(run);
      if (leave.signal.aborted) {
        this.output.err(
          'The parts go on where they run; the same command goes on with them. headroom jobs lists them.',
        );
      }
    }
  }

  private tell(run: ShardRun): void {
    if (this.options.quiet) return;
    const { shards, progress } = run.view();
    const done = shards.filter(({ state }) => state === 'done').length;
    const running = shards.filter(({ state }) => state === 'running').length;
    const { rows, rowsTotal, rowsPerS, tokensPerS, etaS } = progress;
    const document = { event: 'embed-parts', parts: shards.length, done, running, ...progress };
    const left = etaS === null ? '' : ` · ${duration(etaS)} left`;
    const text = `${count(rows)} of ${rowsTotal === null ? '?' : count(rowsTotal)} rows · ${done} of ${shards.length} parts done, ${running} run · ${count(Math.round(rowsPerS))} rows/s, ${count(Math.round(tokensPerS))} tokens/s${left}`;
    this.output.err(this.options.progress === 'json' ? JSON.stringify(document) : text);
  }

  private async bring({ name, place }: SlotHost): Promise<void> {
    if (this.state.folders[name] !== undefined) return;
    const files = [basename(this.input), ...(await this.modelFiles())];
    const folder = await this.jobs.bring(place, { folder: this.folder, files }, NEVER);
    await this.keep({ folders: { ...this.state.folders, [name]: folder } });
  }

  private async start(shard: Shard, slot: Slot): Promise<string> {
    const of = this.state.shards.length;
    const part = partName(shard);
    const command = this.options.hostCommand ?? ['headroom'];
    const request: JobRequest = {
      kind: 'embed',
      name: `embed ${basename(this.input)} ${shard.index + 1}/${of}`,
      config: null,
      argv: [
        ...[...command, 'embed', basename(this.input), ...this.words, '--shard', `${shard.index + 1}/${of}`],
        ...['--out', part, '--resume', '--progress', 'json'],
      ],
      folder: this.folder,
      environment: {},
      secrets: [],
      place: { ...slot.place, folder: this.state.folders[slot.host] ?? null } as JobPlace,
      gpus: { count: slot.gpu === null ? 0 : 1, uuids: slot.gpu === null ? [] : [slot.gpu], needBytes: null },
      limits: { timeMinutes: null, cpus: null, memoryMiB: null, array: null, requeue: false },
      estimate: null,
      writes: [join(this.folder, part)],
    };
    return (await this.jobs.start(request, {}, NEVER)).id;
  }

  private async collect(shard: Shard): Promise<void> {
    const parts = partsFolder(this.out);
    const folder = join(parts, partName(shard));
    await rm(folder, { recursive: true, force: true });
    await this.jobs.fetch(shard.job ?? '', parts, NEVER);
    const manifest = await this.embedding.readManifest(folder);
    if (manifest?.state !== 'complete') throw new Error('what was fetched of it is not whole');
  }

  private async finish(): Promise<ExitCode> {
    const parts = partsFolder(this.out);
    const folders = this.state.shards.map(shard => join(parts, partName(shard)));
    const { format, rowsPerShard } = this.options;
    const merged = { folders, out: this.out, format, rowsPerShard, progress: () => undefined };
    await this.embedding.merge(merged);
    const { rows, dimensions, flaws } = await this.embedding.verify(this.out, {});
    for (const flaw of flaws) this.output.err(flaw);
    if (flaws.length > 0) return EXIT.exceeds;
    await rm(parts, { recursive: true, force: true });
    const document = { folder: this.out, shape: [rows, dimensions] };
    this.output.out(
      this.options.json ? JSON.stringify(document, null, 2) : `${this.out}: (${rows}, ${dimensions ?? 0})`,
    );
    return EXIT.fits;
  }

  private keep(changes: Partial<SpreadState>): Promise<void> {
    this.state = { ...this.state, ...changes };
    return keepState(this.out, this.state);
  }

  /** A model beside the input goes along; any other is a path, or a name, of the hosts. */
  private modelThere(): string | undefined {
    const { model } = this.options;
    if (model === undefined) return undefined;
    const inside = relative(this.folder, resolve(model));
    return inside.startsWith('..') || inside === '' ? model : inside.split(sep).join('/');
  }

  private async modelFiles(): Promise<readonly string[]> {
    const { model } = this.options;
    if (model === undefined || relative(this.folder, resolve(model)).startsWith('..')) return [];
    if (!(await isThere(model))) return [];
    const entries = await readdir(model, { recursive: true, withFileTypes: true });
    const files = entries.filter(entry => entry.isFile());
    return files.map(entry => relative(this.folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  }
}

const partName = ({ index }: Shard): string => `part-${String(index + 1).padStart(3, '0')}`;

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
