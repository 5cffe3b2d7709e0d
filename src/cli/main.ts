import { existsSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { serveChecks } from './checkThreads';
import { check } from './commands/check';
import { compareOptions } from './commands/compare';
import { diff } from './commands/diff';
import { embed } from './commands/embed';
import { explain } from './commands/explain';
import { formats } from './commands/formats';
import { gpus } from './commands/gpus';
import { guard } from './commands/guard';
import { history } from './commands/history';
import { cleanJobs, fetchJob, listJobs, logs, stopJob } from './commands/jobs';
import { DOWNLOAD } from './session';
import { mcp } from './commands/mcp';
import { merge, verify } from './commands/merge';
import { embedOptions, engineOptions, OUTPUT_FORMATS, spreadOptions } from './embed/options';
import { resume } from './commands/resume';
import { run } from './commands/run';
import { optimizePaths } from './commands/optimizePaths';
import { lengthsOptions } from './lengths/command';
import { calibrateOptions, profileOptions } from './profile/command';
import { GOALS } from '../core/plan/goals';
import type { BatchRule, SampleRange } from '../core/plan/remedy';
import { EXIT } from './exit';
import { BadInput, failureText, terminalOutput } from './output';
import { whyNoState } from '../jobs/stateFolder';
import { placeOptions } from './jobs/place';
import { version } from '../../package.json';

/** A file name may look like an option. */
const orFile = (message: string, name: string): string =>
  existsSync(name) ? `${message}; if you mean the file, use ./${name}` : message;

/** The command line: `headroom VERB …`. Errors are reported as one sentence on stderr, never as a stack trace. */
function program(): Command {
  const root = new Command('headroom')
    .description('Know whether a training config fits the GPU before you run it.')
    .version(version)
    .configureHelp({ showGlobalOptions: true })
    // An option after a verb belongs to that verb, even if its parent has one of the same name.
    .enablePositionalOptions()
    .configureOutput({
      outputError: (text, write) => write(text.replace(/unknown option '([^']+)'/, orFile)),
    })
    .exitOverride();
  targetOptions(root.command('check'))
    .description('check configs: verdict per run, and findings')
    .argument('<path...>', 'files, folders, glob patterns; a command after --, or - for one on stdin')
    .addOption(failOn())
    .option('--run <name>', 'only this run, such as a stage')
    .option('--download', DOWNLOAD)
    .option('--json', 'print JSON (schema headroom/1)')
    .option('--sarif', 'print SARIF 2.1.0 for code scanning')
    .action(check);
  targetOptions(root.command('explain'))
    .description('explain a run: every value with its origin, and the full estimate')
    .argument('<file>', 'config file')
    .option('--run <name>', 'only this run, such as a stage')
    .option('--download', DOWNLOAD)
    .option('--json', 'print JSON (schema headroom/1)')
    .action(explain);
  diffCommand(root);
  common(root.command('formats')).description('list the config formats that Headroom knows').action(formats);
  optimizeCommand(root);
  compareOptions(common(root.command('compare')), { wholeNumber, share, dollars: positiveNumber });
  gpusCommand(root);
  embedCommands(root);
  runCommand(root);
  jobCommands(root);
  profileOptions(targetOptions(root.command('profile')), { wholeNumber, positiveNumber });
  calibrateOptions(common(root.command('calibrate')), wholeNumber);
  lengthsOptions(targetOptions(root.command('lengths')), wholeNumber);
  historyCommand(root);
  targetOptions(root.command('guard'))
    .description('exit with 1 if a command starts a run that does not fit; starts nothing')
    .argument('[command...]', 'the command, after --')
    .option('--allow', 'let everything pass')
    .option('--hook', "read the command from the JSON of a coding agent's hook on stdin, and answer the hook")
    .action(guard);
  common(root.command('mcp'))
    .description('serve check, explain, plan and the others to coding agents (Model Context Protocol)')
    .argument('[folder...]', "folders that it may read (default: the client's, or the working folder)")
    .action(mcp);
  return root;
}

/** The option of verbs whose exit code judges. */
const failOn = (): Option =>
  new Option('--fail-on <verdict>', 'exit with 1 at this verdict or worse')
    .choices(['tight', 'exceeds'])
    .default('exceeds');

function diffCommand(root: Command): void {
  targetOptions(root.command('diff'))
    .description('compare two revisions: memory, verdict, batch size, time and cost of each run that changed')
    .argument('<base>', 'Git revision or folder')
    .argument('[head]', 'Git revision or folder (default: the working folder)', '.')
    .addOption(failOn())
    .option('--markdown', 'print a comment for a pull request; nothing if nothing changed')
    .option('--json', 'print JSON (schema headroom/1)')
    .action(diff);
}

function optimizeCommand(root: Command): void {
  targetOptions(root.command('optimize'))
    .description('find changes that make a run fit, or use spare memory')
    .argument('[path...]', 'config; with several files, folders or patterns: a table')
    .option('--run <name>', 'only this run, such as a stage')
    .option('--config-path <path>', 'config file, as an option')
    .option('--auto', 'use the GPU of this machine')
    .option('--gpu-memory <GB>', 'memory of the GPU in GB', gigabytes)
    .option(
      '--target-effective-batch <n>',
      'effective batch size to keep: a number, or a range such as 225-256',
      sampleRange,
    )
    .option('--margin <share>', 'fraction of usable memory that a plan may use', share, 0.85)
    .addOption(
      new Option('--goal <goal>', GOALS.map(({ goal, label }) => `${goal}: ${label}`).join(' · ')).choices(
        GOALS.map(({ goal }) => goal),
      ),
    )
    .option('--keep-quality', 'only plans with the same result')
    .option('--keep <key...>', 'keys that must not change')
    .option(
      '--batch <rule>',
      'allowed micro-batch sizes: "power-of-two", or multiples of a number',
      batchRule,
    )
    .option('--download', DOWNLOAD)
    .option('--profile', 'do a dry run first, and plan with its result')
    .option(
      '--python <path>',
      "Python for --profile (default: the active environment, or one in the config's folder)",
    )
    .option('--plan <n>', 'number of the plan to use', wholeNumber, 1)
    .option('--dry-run', 'print the plan as a diff without changing files (default)')
    .option('--apply', 'apply the plan and back up each file')
    .option('--undo', 'undo the last applied plan')
    .option('--json', 'print the plans as JSON')
    .action(optimizePaths);
}

function historyCommand(root: Command): void {
  targetOptions(root.command('history'))
    .description('read the memory and speed of past runs from their logs')
    .argument('<folder>', 'folder with logs of wandb, TensorBoard, MLflow, trainers, notebooks or sacct')
    .option('--config <file>', 'config of these runs (default: the one that each logged)')
    .option('--run <name>', 'run of that config, if it has several')
    .option('--keep', 'store the measurements, so that they correct estimates')
    .option('--only <runs...>', 'store those of these runs only, as they are listed')
    .option('--user', 'store them for all your workspaces, not only this one')
    .option('--download', DOWNLOAD)
    .option('--json', 'print JSON (schema headroom-history/1)')
    .action(history);
}

function mergeCommands(root: Command): void {
  common(root.command('merge'))
    .description('merge the parts of an embedding, in order')
    .argument('<folder...>', 'folders of the parts, or the folder that contains them')
    .option('-o, --out <folder>', 'new output folder; it appears when complete')
    .addOption(
      new Option('--format <format>', 'format of the vector files (default: as in the parts)').choices(
        OUTPUT_FORMATS,
      ),
    )
    .option('--rows-per-shard <n>', 'rows per file (default: all in one)', wholeNumber)
    .option('--json', 'print the result as JSON')
    .action(merge);
  common(root.command('verify'))
    .description('verify an embedding: count, shape, checksums, ids, finite values, length 1')
    .argument('<folder>', 'output folder of headroom embed or merge')
    .option('--shape <rows,components>', 'expected shape, such as 250010,1024', shape)
    .option('--json', 'print the result as JSON')
    .action(verify);
}

function shape(text: string): readonly [number, number] {
  const [rows, components, ...rest] = text.split(/[,x]/).map(part => wholeNumber(part.trim()));
  if (rows === undefined || components === undefined || rest.length > 0) {
    throw new InvalidArgumentError('Expected two numbers such as 250010,1024.');
  }
  return [rows, components];
}

function embedCommands(root: Command): void {
  const embedding = common(root.command('embed'))
    .description('embed texts with a model on this machine or the default model')
    .argument(
      '[file]',
      'texts (jsonl, csv, tsv, txt or parquet), - for standard input, or a YAML with embeddings',
    );
  engineOptions(embedOptions(embedding, wholeNumber), wholeNumber);
  spreadOptions(embedding, wholeNumber).action(embed);
  mergeCommands(root);
}

function gpusCommand(root: Command): void {
  common(root.command('gpus'))
    .description('show GPUs of this machine, SSH hosts and clusters')
    .option('--host <name...>', 'hosts from ~/.ssh/config; "local" is this machine')
    .option('--slurm [login]', 'free GPUs of Slurm, here or through a login node from ~/.ssh/config')
    .option('--ssh-config <file>', 'SSH config (default: ~/.ssh/config)')
    .option(
      '--ray [address]',
      'GPUs of a Ray cluster, from its dashboard (default: RAY_ADDRESS, otherwise port 8265 here)',
    )
    .option(
      '--kubernetes [context]',
      'GPUs of Kubernetes, through your kubeconfig (default: its current context)',
    )
    .option('--metrics <address>', 'GPUs in the metrics of dcgm-exporter or of a Prometheus server')
    .option('-w, --watch', 'keep updating until Ctrl-C')
    .option('--interval <seconds>', 'time between readings', positiveNumber, 2)
    .option('--json', 'print JSON; with --watch, one document per line')
    .option('--prometheus', "print metrics in Prometheus's text format")
    .option(
      '--listen <address>',
      'serve these metrics at http://127.0.0.1:PORT/metrics; a port, or HOST:PORT',
    )
    .option('--record <file>', 'record the tool output, without names, to attach to a bug report')
    .option('--replay <file>', 'show a recording')
    .option('--from <file>', 'read the pasted output of a GPU tool')
    .option('--job <job>', 'GPU readings of a job: an id, part of an id, or "last"')
    .action(gpus);
}

function runCommand(root: Command): void {
  placeOptions(startOptions(root.command('run')))
    .description('start the run of a config, after showing what it will do')
    .argument('<config...>', 'configs; words after -- are added to the command')
    .option('--gpus <n>', "number of GPUs, if the config doesn't set it", wholeNumber)
    .option('--gpu <uuid...>', 'GPUs to use, by UUID (default: those with enough free memory)')
    .option('--run <name>', 'run to start, if the config has several')
    .option('--set <word=value...>', 'values for placeholders in the command')
    .option('--env <name=value...>', 'environment variables of the job')
    .option('--secret <name...>', 'environment variables of the job to keep secret: not shown or stored')
    .option('--time <minutes>', 'time limit on a scheduler', wholeNumber)
    .option('--mem <GB>', 'host RAM (not GPU memory) on a scheduler', positiveNumber)
    .option('--cpus <n>', 'CPUs on a scheduler', wholeNumber)
    .option('--requeue', 'let Slurm requeue and restart the job')
    .option('--force', 'start even if the run does not fit')
    .option('--queue', 'wait in the queue if not enough GPU memory is free')
    .addOption(
      new Option('--keep-measured <for>', 'where to store the measured memory')
        .choices(['workspace', 'user', 'nobody'])
        .default('workspace'),
    )
    .action(run);
}

function startOptions(command: Command): Command {
  return addJobOptions(command)
    .option('--dry-run', 'show the command without starting it')
    .option('--detach', 'print the job id and exit (default: follow its output)')
    .option('--json', 'print JSON');
}

function jobCommands(root: Command): void {
  const listing = addJobOptions(root.command('jobs').enablePositionalOptions())
    .description('list running, waiting and recently ended jobs')
    .option('--all', 'list all jobs')
    .option('--json', 'print as JSON')
    .action(listJobs);
  addJobOptions(listing.command('fetch'))
    .description('download the results of a job from its host')
    .argument('<job>', 'job id, part of an id, or "last"')
    .option('--into <folder>', 'target folder (default: headroom-ID)')
    .action(fetchJob);
  addJobOptions(listing.command('clean'))
    .description('remove ended jobs: their copies on hosts, output and records')
    .argument('[job...]', 'job ids, parts of ids, or "last"')
    .option('--ended', 'all ended jobs')
    .option('--force', 'also remove jobs with results that you have not downloaded')
    .action(cleanJobs);
  addJobOptions(root.command('logs'))
    .description('show the output of a job')
    .argument('<job>', 'job id, part of an id, or "last"')
    .option('-f, --follow', 'follow until the job ends')
    .action(logs);
  addJobOptions(root.command('stop'))
    .description('stop a job: interrupt, then terminate, then kill')
    .argument('<job>', 'job id, part of an id, or "last"')
    .action(stopJob);
  const resuming = addJobOptions(root.command('resume'))
    .description('resume a job that ended early, or an embedding')
    .argument('<job>', 'job id, part of an id, "last", or the output folder of headroom embed')
    .option('-i, --input <file>', 'the same texts, if they have moved')
    .option('--dry-run', 'show the command without starting it')
    .option('--detach', 'print the job id and exit')
    .option('--queue', 'wait in the queue if not enough GPU memory is free');
  engineOptions(resuming, wholeNumber).action(resume);
}

/** Options of verbs that run jobs, or look for them on hosts. */
function addJobOptions(command: Command): Command {
  return common(command).option('--ssh-config <file>', 'SSH config (default: ~/.ssh/config)');
}

function common(command: Command): Command {
  return command
    .option('-q, --quiet', 'print only the result')
    .option('--no-color', 'plain text')
    .exitOverride();
}

function targetOptions(command: Command): Command {
  return common(command)
    .option('--gpu <name>', 'target GPU: a name ("RTX 4090") or an amount of memory ("24GB")')
    .option('--gpus <n>', "number of GPUs, if the config doesn't set it", wholeNumber);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new InvalidArgumentError('Expected a whole number, 1 or more.');
  }
  return value;
}

/** `24`, as in the guide's script, or `24GB`, as everywhere else. */
const gigabytes = (text: string): number => positiveNumber(text.replace(/(?<!\s)\s*GB$/i, ''));

function sampleRange(text: string): SampleRange {
  const [least, most = least] = text.split('-').map(wholeNumber);
  if (least === undefined || most === undefined || most < least) {
    throw new InvalidArgumentError('Expected a number or a range such as 225-256.');
  }
  return { least, most };
}

const batchRule = (text: string): BatchRule => (text === 'power-of-two' ? text : wholeNumber(text));

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

function share(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0 || value > 1) {
    throw new InvalidArgumentError('Expected a number between 0 and 1.');
  }
  return value;
}

async function main(): Promise<void> {
  // The reader may have stopped (`headroom check . | head`), or its disk is full; this needs its own exit code.
  process.stdout.on('error', () => process.exit(EXIT.unwritten));
  process.stderr.on('error', () => undefined);
  // Node would exit with 1, which means a verdict here.
  process.on('uncaughtException', error => {
    terminalOutput({}).err(failureText(error));
    process.exit(EXIT.bad);
  });
  try {
    const noState = whyNoState();
    if (noState !== null) throw new BadInput(noState);
    await program().parseAsync();
  } catch (error) {
    process.exitCode = EXIT.bad;
    // Commander has already printed its message (or the help, which is not an error).
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.fits : EXIT.bad;
    else terminalOutput({}).err(failureText(error));
  }
}

if (isMainThread) void main();
else serveChecks();
