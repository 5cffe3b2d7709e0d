import { json } from '../../../core/text/terminal';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Embedding } from '../../../embed/chunk';
import { isJobId } from '../../../jobs/id';
import type { Jobs } from '../../../jobs/jobs';
import { JOB_MARK } from '../../../jobs/processes/processes';
import { PartsFile } from '../../../jobs/shards/partsFile';
import { newShards } from '../../../jobs/shards/schedule';
import type { Shard } from '../../../jobs/shards/schedule';
import { ShardRun } from '../../../jobs/shards/shardRun';
import type { ShardRunView } from '../../../jobs/shards/shardRun';
import { jobPaths, stateFolder } from '../../../jobs/stateFolder';
import { quotedText } from '../../../remote/words';
import { SSH_DEFAULTS, sshArguments, sshEnvironment } from '../../../remote/sshArguments';
import { nodeTalk } from '../../../remote/talk';
import { EXIT } from '../../exit';
import type { ExitCode } from '../../exit';
import { openJobsHere } from '../../jobs/open';
import { BadInput, terminalOutput } from '../../output';
import type { Output } from '../../output';
import { optionsOfConfig } from '../config';
import { withEngineErrors } from '../load';
import { count, duration, ProgressReporter } from '../progress';
import type { ProgressReport } from '../progress';
import { openRunner } from './openRunner';
import type { SpreadOptions } from './openRunner';
import { partName } from './partRunner';
import type { PartRunner } from './partRunner';
import { pathExists, writeState, partsFolder, readState } from './state';
import type { SpreadState } from './state';
import { partWords } from './words';

const MISSING = 'headroom-program-missing';

/**
 * Whether a job on a host would find a program. A host that does not answer counts as having it: the next step
 * reports the error.
 */
function hasProgram(alias: string, program: string, configFile: string | null): Promise<boolean> {
  const ssh = { ...SSH_DEFAULTS, configFile };
  const talk = nodeTalk(ssh.path, sshArguments(ssh, alias, process.platform), {
    env: sshEnvironment(process.env),
  });
  return new Promise(resolve => {
    let output = '';
    talk.listen(
      bytes => (output += bytes.toString()),
      () => resolve(!output.includes(MISSING)),
    );
    void talk
      .write(`command -v ${quotedText(program) ?? "''"} >/dev/null 2>&1 || echo ${MISSING}\n`)
      .then(() => talk.end());
  });
}

/**
 * `headroom embed FILE --out DIR --hosts a,b`, `--slurm`, `--ray`, `--gpus all`: in parts, merged and verified
 * here.
 */
export async function spread(file: string | undefined, given: SpreadOptions): Promise<void> {
  const isConfig = file !== undefined && /\.ya?ml$/i.test(file);
  const options = isConfig ? { ...given, ...(await optionsOfConfig(file, given)) } : given;
  const input = isConfig ? options.input : (file ?? options.input);
  if (input === undefined || input === '-') {
    throw new BadInput('Missing input. Parts need a text file.');
  }
  const { out } = options;
  if (out === undefined) throw new BadInput('Missing output folder. Set it with --out.');
  if (await pathExists(out)) throw new BadInput(`${out} already exists; choose a new folder.`);
  if (!(await pathExists(input))) throw new BadInput(`${input}: no such file.`);
  const output = terminalOutput(options);
  await withEngineErrors(embedding =>
    new Spread(embedding, resolve(input), resolve(out), options, output).run(),
  );
}

class Spread {
  private readonly jobs: Jobs;
  private state: SpreadState;
  private reporter: ProgressReporter | null = null;

  constructor(
    private readonly embedding: Embedding,
    private readonly input: string,
    private readonly out: string,
    private readonly options: SpreadOptions,
    private readonly output: Output,
  ) {
    this.jobs = openJobsHere(options);
    const words = partWords(options, options.model);
    this.state = { schema: 'headroom-parts/1', input, words, folders: {}, shards: [] };
  }

  async run(): Promise<ExitCode> {
    const { embedding, jobs, input, options } = this;
    const runner = await openRunner(options, {
      ...{ embedding, jobs, input, options, parts: partsFolder(this.out) },
      of: () => this.state.shards.length,
      folders: () => this.state.folders,
      keepFolder: (host, folder) => this.saveState({ folders: { ...this.state.folders, [host]: folder } }),
      begun: usual => this.begin(usual),
      hasProgram: (host, program) =>
        hasProgram(host, program, options.sshConfig === undefined ? null : resolve(options.sshConfig)),
      say: text => this.output.err(text),
    });
    await runner.prepare();
    await this.saveState({ shards: await runner.begin(this.state.shards) });
    const shards = this.state.shards;
    this.output.err(`${shards.length} parts on ${namesOf(runner)}`);
    const run = new ShardRun(shards, runner.slots, {
      start: (shard, slot) => runner.start(shard, slot),
      look: job => runner.look(job),
      read: (job, offset) => runner.read(job, offset),
      collect: shard => runner.collect(shard),
      stop: job => runner.stop(job),
      keep: shards => this.saveState({ shards }),
      tell: text => {
        this.reporter?.clear();
        this.output.err(text);
      },
    });
    try {
      return (await this.followed(run)) ? await this.finish(runner) : EXIT.undecided;
    } finally {
      this.jobs.dispose();
    }
  }

  /** Continues an earlier start of the same command; failed parts are retried. */
  private async begin(usual: number | null): Promise<void> {
    const before = await readState(this.out);
    if (before === null) {
      const parts = this.options.parts ?? usual;
      if (parts === null) throw new BadInput('Missing number of parts. Set it with --parts.');
      return this.saveState({ shards: newShards(parts) });
    }
    const isSame = before.input === this.input && String(before.words) === String(this.state.words);
    if (!isSame || (this.options.parts ?? before.shards.length) !== before.shards.length) {
      throw new BadInput(
        `${partsFolder(this.out)} has parts of another run. Choose another --out, or remove it.`,
      );
    }
    const shards = await Promise.all(before.shards.map(shard => this.retry(shard)));
    this.state = { ...before, shards };
  }

  /** Retries a failed part; a part stopped with all others did not fail. */
  private async retry(shard: Shard): Promise<Shard> {
    if (shard.state === 'failed') return { ...shard, state: 'waiting', failures: [] };
    if (shard.state !== 'running' || shard.job === null) return shard;
    const record = await this.jobs.get(shard.job.split('/')[0] ?? '').catch(() => null);
    return record?.state === 'stopped' ? { ...shard, state: 'waiting', job: null } : shard;
  }

  private async followed(run: ShardRun): Promise<boolean> {
    const leave = new AbortController();
    const end = (): void => leave.abort();
    process.once('SIGINT', end).once('SIGTERM', end);
    const reporter = new ProgressReporter(
      this.options.progress,
      this.output,
      this.options.quiet === true,
      process.stderr.isTTY,
    );
    this.reporter = reporter;
    const parts = ownPartsFile();
    reporter.start(() => {
      const view = run.view();
      void parts?.put(view.parts);
      return reportOf(view);
    });
    try {
      return await run.run(leave.signal);
    } finally {
      process.off('SIGINT', end).off('SIGTERM', end);
      reporter.stop(reportOf(run.view()));
      if (leave.signal.aborted) {
        this.output.err(
          'The parts keep running. Run the same command to continue; list them with headroom jobs.',
        );
      }
    }
  }

  private async finish(runner: PartRunner): Promise<ExitCode> {
    const parts = partsFolder(this.out);
    const folders = this.state.shards.map(shard => join(parts, partName(shard)));
    const { format, rowsPerShard } = this.options;
    const merged = { folders, out: this.out, format, rowsPerShard, progress: () => undefined };
    await this.embedding.merge(merged);
    const { rows, dimensions, flaws } = await this.embedding.verify(this.out, {});
    for (const flaw of flaws) this.output.err(flaw);
    if (flaws.length > 0) return EXIT.exceeds;
    await runner.leave();
    await rm(parts, { recursive: true, force: true });
    const document = { folder: this.out, shape: [rows, dimensions] };
    this.output.out(this.options.json ? json(document, 2) : `${this.out}: (${rows}, ${dimensions ?? 0})`);
    return EXIT.fits;
  }

  private saveState(changes: Partial<SpreadState>): Promise<void> {
    this.state = { ...this.state, ...changes };
    return writeState(this.out, this.state);
  }
}

/** The parts file if this process is a job, whose card shows its parts. */
function ownPartsFile(): PartsFile | null {
  const id = process.env[JOB_MARK];
  return id !== undefined && isJobId(id) ? new PartsFile(jobPaths(stateFolder(), id).parts) : null;
}

/** Slots of a scheduler are only numbered, so they are not listed. */
const namesOf = ({ slots }: PartRunner): string => {
  const hosts = new Set(slots.map(({ host }) => host));
  return slots.some(({ gpu }) => gpu !== null) || hosts.size > 1
    ? slots.map(({ name }) => name).join(', ')
    : [...hosts].join(', ');
};

/** The progress of all parts. */
function reportOf({ shards, progress }: ShardRunView): ProgressReport {
  const done = shards.filter(({ state }) => state === 'done').length;
  const running = shards.filter(({ state }) => state === 'running').length;
  const { rows, rowsTotal, rowsPerS, tokensPerS, etaS } = progress;
  const left = etaS === null ? '' : ` · ${duration(etaS)} left`;
  return {
    text: `${count(rows)} of ${rowsTotal === null ? '?' : count(rowsTotal)} texts · ${done} of ${shards.length} parts done, ${running} run · ${count(Math.round(rowsPerS))} texts/s · ${count(Math.round(tokensPerS))} tokens/s${left}`,
    document: { event: 'embed-parts', parts: shards.length, done, running, ...progress },
  };
}
