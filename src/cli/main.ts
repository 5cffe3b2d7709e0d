import { existsSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { serveChecks } from './checkThreads';
import { check } from './commands/check';
import { compare } from './commands/compare';
import { embed } from './commands/embed';
import { explain } from './commands/explain';
import { gpus } from './commands/gpus';
import { cleanJobs, fetchJob, listJobs, logs, stopJob } from './commands/jobs';
import { merge } from './commands/merge';
import { embedOptions, engineOptions, OUTPUT_FORMATS, spreadOptions } from './embed/options';
import { resume } from './commands/resume';
import { run } from './commands/run';
import { verify } from './commands/verify';
import { optimizePaths } from './commands/optimizePaths';
import { lengthsOptions } from './lengths/command';
import { profileOptions } from './profile/command';
import { GOALS } from '../core/plan/goals';
import type { BatchRule, SampleRange } from '../core/plan/remedy';
import { EXIT } from './exit';
import { BadInput, terminalOutput, whyFailed } from './output';
import { version } from '../../package.json';

const UNKNOWN_OPTION = /unknown option '([^']+)'/;

/** A file may be called like an option. */
const orFile = (said: string, name: string): string =>
  existsSync(name) ? `${said}; write ./${name} for the file of that name` : said;

/** The command line: `headroom VERB …`. Errors end as one sentence on stderr, never as a stack. */
function program(): Command {
  const root = new Command('headroom')
    .description('Know whether a training config fits the GPU before you run it.')
    .version(version)
    .configureHelp({ showGlobalOptions: true })
    // An option behind a verb is that verb's, also where the verb above it has one of the same name.
    .enablePositionalOptions()
    .configureOutput({ outputError: (text, write) => write(text.replace(UNKNOWN_OPTION, orFile)) })
    .exitOverride();
  targetOptions(root.command('check'))
    .description('every config found: dialect, verdict per run, findings')
    .argument('<path...>', 'files, folders, glob patterns')
    .addOption(
      new Option('--fail-on <verdict>', 'exit 1 from this verdict on')
        .choices(['tight', 'exceeds'])
        .default('exceeds'),
    )
    .option('--json', 'print the schema headroom/1')
    .option('--sarif', 'print SARIF 2.1.0 for code scanning')
    .action(check);
  targetOptions(root.command('explain'))
    .description('the run as read, with the origin of each quantity, and the whole estimate')
    .argument('<file>', 'a config')
    .option('--json', 'print the schema headroom/1')
    .action(explain);
  optimizeCommand(root);
  compareCommand(root);
  gpusCommand(root);
  embedCommands(root);
  runCommand(root);
  jobCommands(root);
  profileOptions(targetOptions(root.command('profile')), { wholeNumber, positiveNumber });
  lengthsOptions(targetOptions(root.command('lengths')), wholeNumber);
  return root;
}

function optimizeCommand(root: Command): void {
  targetOptions(root.command('optimize'))
    .description('plans that make the run fit, or use the memory that is spare')
    .argument('[path...]', 'a config; or several, folders, patterns: a table of what each needs')
    .option('--config-path <path>', 'the config, as an option')
    .option('--auto', 'take the GPU that is found on this machine')
    .option('--gpu-memory <GB>', 'memory of the GPU in GB', positiveNumber)
    .option(
      '--target-effective-batch <n>',
      'samples per optimizer step over all GPUs, or a range of them (225-256)',
      sampleRange,
    )
    .option('--margin <share>', 'share of usable memory a plan may take', share, 0.85)
    .addOption(
      new Option('--goal <goal>', GOALS.map(({ goal, label }) => `${goal}: ${label}`).join(' · ')).choices(
        GOALS.map(({ goal }) => goal),
      ),
    )
    .option('--keep-quality', 'only plans that leave the mathematics alone')
    .option('--keep <key...>', 'keys that have to stay as they are')
    .option('--batch <rule>', 'micro batches: "power-of-two", or multiples of a number', batchRule)
    .option('--profile', 'run its code without data first, and plan from what that finds')
    .option(
      '--python <path>',
      'the Python of --profile; else the active environment, or one beside the config',
    )
    .option('--plan <n>', 'which of the printed plans', wholeNumber, 1)
    .option('--dry-run', 'print the plan as a diff and change nothing (default)')
    .option('--apply', 'write the plan, with backups beside the files')
    .option('--undo', 'take the last applied plan back')
    .option('--json', 'print the plans as JSON')
    .action(optimizePaths);
}

function compareCommand(root: Command): void {
  common(root.command('compare'))
    .description('which GPUs can take a run: those that are here, on hosts, and types of the catalog')
    .argument('<file>', 'a config')
    .option('--gpu <name...>', 'only these types: names ("RTX 4090") or amounts of memory ("24GB")')
    .option('--gpus <n>', 'number of GPUs, when the config leaves it to the launcher', wholeNumber)
    .option('--host <name...>', 'GPUs of hosts of ~/.ssh/config, as they are now; "local" is this machine')
    .option('--slurm [login]', 'free GPUs of Slurm, here or through a login node of ~/.ssh/config')
    .option('--ssh-config <file>', 'the SSH config, where it is another than ~/.ssh/config')
    .option('--ray [address]', 'GPUs of a Ray cluster by its dashboard')
    .option('--all', 'every type of the catalog; else those that can be rented')
    .option('--margin <share>', 'share of usable memory a fix may take', share, 0.85)
    .option('--keep-quality', 'only fixes that leave the mathematics alone')
    .option('--json', 'print the schema headroom/1')
    .action(compare);
}

function mergeCommands(root: Command): void {
  common(root.command('merge'))
    .description('parts of an embedding, in order, as one')
    .argument('<folder...>', 'folders of the parts, or a folder that holds them')
    .option('-o, --out <folder>', 'a new folder; it appears when it is complete')
    .addOption(
      new Option('--format <format>', 'files of vectors (default: that of the parts)').choices(
        OUTPUT_FORMATS,
      ),
    )
    .option('--rows-per-shard <n>', 'rows of a file (default: all in one)', wholeNumber)
    .option('--json', 'print the result as JSON')
    .action(merge);
  common(root.command('verify'))
    .description('reads an embedding whole: count, shape, checksums, ids, finite, length 1')
    .argument('<folder>', 'a folder that headroom embed or merge wrote')
    .option('--shape <rows,components>', 'what it has to have, such as 250010,1024', shape)
    .option('--json', 'print the result as JSON')
    .action(verify);
}

function shape(text: string): readonly [number, number] {
  const [rows, components, ...rest] = text.split(/[,x]/).map(part => wholeNumber(part.trim()));
  if (rows === undefined || components === undefined || rest.length > 0) {
    throw new InvalidArgumentError('It is not two numbers such as 250010,1024.');
  }
  return [rows, components];
}

function embedCommands(root: Command): void {
  const embedding = common(root.command('embed'))
    .description('texts to vectors, with a model of this machine or the one that comes along')
    .argument(
      '[file]',
      'texts: jsonl, csv, tsv, txt or parquet; - is what is piped in; or a YAML with embeddings',
    );
  engineOptions(embedOptions(embedding, wholeNumber), wholeNumber);
  spreadOptions(embedding, wholeNumber).action(embed);
  mergeCommands(root);
}

function gpusCommand(root: Command): void {
  common(root.command('gpus'))
    .description('the GPUs of this machine, of hosts behind SSH, and what clusters have free')
    .option('--host <name...>', 'hosts of ~/.ssh/config; "local" is this machine')
    .option('--slurm [login]', 'free GPUs of Slurm, here or through a login node of ~/.ssh/config')
    .option('--ssh-config <file>', 'the SSH config, where it is another than ~/.ssh/config')
    .option(
      '--ray [address]',
      'GPUs of a Ray cluster by its dashboard (default: RAY_ADDRESS, else port 8265 here)',
    )
    .option('-w, --watch', 'go on until Ctrl-C')
    .option('--interval <seconds>', 'time between two readings', positiveNumber, 2)
    .option('--json', 'print as JSON; with --watch one document a line')
    .option('--record <file>', 'write what the tools said, without names, to attach to a report')
    .option('--replay <file>', 'show a recording again')
    .option('--job <job>', 'what they showed while a job ran: an id, a part of one, or "last"')
    .action(gpus);
}

function runCommand(root: Command): void {
  startOptions(root.command('run'))
    .description('start what a config describes, after one look at what that is')
    .argument('<config...>', 'configs; words behind -- are added to the command')
    .option('--gpus <n>', 'number of GPUs, when the config leaves it to the launcher', wholeNumber)
    .option('--gpu <uuid...>', 'these GPUs, by UUID; else those with enough free memory')
    .option('--run <name>', 'which run, where a config has several')
    .option('--set <word=value...>', 'words of the command that only you know')
    .option('--env <name=value...>', 'variables of the job')
    .option('--secret <name...>', 'variables of the job whose values are not shown or kept')
    .option('--host <name>', 'on a host of ~/.ssh/config')
    .option(
      '--remote-folder <path>',
      'where on that host, or behind the login node; else the folder is copied',
    )
    .option('--slurm [login]', 'by Slurm, here or through a login node of ~/.ssh/config')
    .option('--partition <name>', 'which of its partitions')
    .option('--ray [address]', 'by a Ray cluster (default: RAY_ADDRESS, else port 8265 here)')
    .option('--time <minutes>', 'longest time a scheduler gives it', wholeNumber)
    .option('--mem <GB>', 'memory of the machine (not of the GPU) that a scheduler gives it', positiveNumber)
    .option('--cpus <n>', 'processors that a scheduler gives it', wholeNumber)
    .option('--requeue', 'Slurm may put it back into the queue and begin anew')
    .option('--force', 'start what does not fit, too')
    .option('--queue', 'let it wait for its turn where not enough GPU memory is free now')
    .addOption(
      new Option('--keep-measured <for>', 'whom what it takes is kept for')
        .choices(['workspace', 'user', 'nobody'])
        .default('workspace'),
    )
    .action(run);
}

function startOptions(command: Command): Command {
  return ofJobs(command)
    .option('--dry-run', 'show what would be started, and start nothing')
    .option('--detach', 'print the job’s id and come back; else its output is followed')
    .option('--json', 'show it as JSON');
}

function jobCommands(root: Command): void {
  const listing = ofJobs(root.command('jobs').enablePositionalOptions())
    .description('jobs that run or wait, and the last that ended')
    .option('--all', 'all of them')
    .option('--json', 'print as JSON')
    .action(listJobs);
  ofJobs(listing.command('fetch'))
    .description('bring what a job wrote on a host into a folder here')
    .argument('<job>', 'an id, a part of one, or "last"')
    .option('--into <folder>', 'where to (default: headroom-ID)')
    .action(fetchJob);
  ofJobs(listing.command('clean'))
    .description('take jobs away that are over: their copies on hosts, their output and record')
    .argument('[job...]', 'ids, parts of them, or "last"')
    .option('--ended', 'all that are over')
    .option('--force', 'also those whose results on a host were not fetched')
    .action(cleanJobs);
  ofJobs(root.command('logs'))
    .description('what a job has printed')
    .argument('<job>', 'an id, a part of one, or "last"')
    .option('-f, --follow', 'go on until it is over')
    .action(logs);
  ofJobs(root.command('stop'))
    .description('interrupt a job, terminate it, kill it: whatever it takes, one after the other')
    .argument('<job>', 'an id, a part of one, or "last"')
    .action(stopJob);
  const resuming = ofJobs(root.command('resume'))
    .description('go on with a job that ended too early, or with an embedding')
    .argument('<job>', 'an id, a part of one, "last"; or the folder that headroom embed wrote into')
    .option('-i, --input <file>', 'the same texts, where they lie elsewhere by now')
    .option('--dry-run', 'show what would be started, and start nothing')
    .option('--detach', 'print the job’s id and come back')
    .option('--queue', 'let it wait for its turn where not enough GPU memory is free now');
  engineOptions(resuming, wholeNumber).action(resume);
}

/** What runs jobs, or looks for them where they run. */
function ofJobs(command: Command): Command {
  return common(command).option(
    '--ssh-config <file>',
    'the SSH config, where it is another than ~/.ssh/config',
  );
}

function common(command: Command): Command {
  return command
    .option('-q, --quiet', 'nothing but the result')
    .option('--no-color', 'plain text')
    .exitOverride();
}

function targetOptions(command: Command): Command {
  return common(command)
    .option('--gpu <name>', 'GPU to compare with: a name ("RTX 4090") or its memory ("24GB")')
    .option('--gpus <n>', 'number of GPUs, when the config leaves it to the launcher', wholeNumber);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new InvalidArgumentError('It is not a whole number from 1 on.');
  }
  return value;
}

function sampleRange(text: string): SampleRange {
  const [least, most = least] = text.split('-').map(wholeNumber);
  if (least === undefined || most === undefined || most < least) {
    throw new InvalidArgumentError('It is neither a number nor a range such as 225-256.');
  }
  return { least, most };
}

const batchRule = (text: string): BatchRule => (text === 'power-of-two' ? text : wholeNumber(text));

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('It is not a number above 0.');
  return value;
}

function share(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0 || value > 1) {
    throw new InvalidArgumentError('It is not between 0 and 1.');
  }
  return value;
}

async function main(): Promise<void> {
  // Whoever reads the output may have read enough: `headroom check . | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  try {
    await program().parseAsync();
  } catch (error) {
    process.exitCode = EXIT.bad;
    // Commander has printed its sentence (or the help, which is no error) already.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.fits : EXIT.bad;
    else if (error instanceof BadInput) terminalOutput({}).err(error.message);
    else terminalOutput({}).err(`headroom failed: ${whyFailed(error)}`);
  }
}

if (isMainThread) void main();
else serveChecks();
