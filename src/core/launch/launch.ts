import type { Launch } from '../dialects/dialect';
import { VISIBLE } from '../dialects/command/word';
import type { Command } from '../dialects/command/word';
import { isCarrier } from '../dialects/envelopes/carrier';
import { carriedCommands } from '../dialects/envelopes/carriers';
import { isWritten } from '../dialects/envelopes/written';
import { basename, isProgram } from '../text/paths';
import { dialectOfRun } from '../dialects/find';
import { dialects } from '../dialects/registry';
import type { RunSpec, SourceFile } from '../spec/runSpec';
import { find, parsePath } from '../yaml/path';
import { embedLaunch, profileLaunch } from './ownLaunch';
import { fill, openIn, pathWords } from './words';
import type { LaunchWords } from './words';
import type { LaunchOptions, LaunchResult, RunLaunch } from './runLaunch';

/** The text of a key in a run's file; null if it is not set or not a scalar. */
function scalarAt({ yaml, document, base }: SourceFile, key: string): string | null {
  const root = yaml.documents[document]?.root ?? null;
  const node = find(root, [...base, ...parsePath(key)])?.node;
  return node?.kind === 'scalar' && node.opaque === null && node.value !== null ? String(node.value) : null;
}

/** The opened file, and its recognized dialect. */
export interface Opened {
  readonly file: string;
  readonly dialect: string | null;
}

/** The command that starts a run: the framework's own, or the file that starts the config if there is one. */
export function launchOf(run: RunSpec, opened: Opened, options: LaunchOptions): LaunchResult {
  if (options.profiles) return ownOr(profileLaunch, run, options, 'Nothing is known that measures it.');
  const written = commandOf(run, opened);
  if (written) return written;
  const starter = starterOf(run, opened);
  if (run.role === 'part' && !starter) {
    return no('This is a part of a run: start the config that names it.');
  }
  const way = starter ? starterLaunch(starter) : launchOfRun(run);
  const file = starter?.path ?? run.sources[0]?.path;
  if (!starter && !way) return ownOr(embedLaunch, run, options, whyNot(starter));
  if (!way || file === undefined) return no(whyNot(starter));
  return { ok: true, launch: launchBy(way, file, run, starter === null, options) };
}

/** The command of a run in a Markdown file, a Makefile or `tasks.json`, which a shell cannot start as a file. */
function commandOf(run: RunSpec, { file, dialect }: Opened): LaunchResult | null {
  const written = writtenLaunch(run);
  if (written) return { ok: true, launch: written };
  if (dialect !== 'shell' || !isCarrier(file)) return null;
  const carried = carriedLaunch(run, file);
  return carried ? { ok: true, launch: carried } : no(whyNot({ path: file, dialect: null }));
}

function ownOr(
  make: (run: RunSpec, options: LaunchOptions) => RunLaunch | null,
  run: RunSpec,
  options: LaunchOptions,
  why: string,
): LaunchResult {
  const launch = options.own ? make(run, options) : null;
  return launch ? { ok: true, launch } : no(why);
}

/** What starts a run: its framework or a file around it, or Headroom's own engine; null: unknown. */
export function starterOfRun(run: RunSpec): 'framework' | 'engine' | null {
  if (launchOfRun(run) !== null || run.startedBy?.agree === true) return 'framework';
  return run.quantities.task.value === 'embed' ? 'engine' : null;
}

/** A program starts itself; a notebook runs where it is open. */
const PROGRAM: Launch = { argv: ['python', '{config}'], source: 'Python: the program is the command' };

/** How a run's framework starts configs of its task; null if the dialect does not say. */
function launchOfRun(run: RunSpec): Launch | null {
  const file = run.sources[0]?.path ?? '';
  if (isProgram(file)) return /\.py$/i.test(file) ? PROGRAM : null;
  const task = run.quantities.task.value;
  const ways = dialectOfRun(run).launch ?? [];
  return (
    ways.find(
      ({ tasks, keys }) =>
        (tasks === undefined || (task !== null && tasks.includes(task))) &&
        (keys === undefined || keys.some(key => run.sources.some(source => scalarAt(source, key) !== null))),
    ) ?? null
  );
}

function launchBy(
  way: Launch,
  file: string,
  run: RunSpec,
  isConfig: boolean,
  options: LaunchOptions,
): RunLaunch {
  const words = { ...wordsOf(run, file, options), ...options.filled };
  const argv = way.argv.map(word => fill(word, words));
  return {
    argv,
    open: openIn(way.argv, words),
    file,
    verb: way.verb ?? verbOf(run),
    resume: way.resume?.map(word => fill(word, words)) ?? null,
    // What starts a config changes nothing about where that config writes.
    writes: writesOf(run, (isConfig ? way : launchOfRun(run))?.writes ?? []),
    handsTo: way.handsTo ?? null,
    source: way.source,
    isOwn: false,
  };
}

const VERBS: Readonly<Record<string, string>> = { embed: 'embed', load: 'load', infer: 'infer' };

/** Facts that only serving configs have. */
const SERVED = ['memoryShare', 'maxSequences', 'ggml'] as const;

/** The run's task as one word for users. */
function verbOf({ details, quantities: { task } }: RunSpec): string {
  const verb = VERBS[task.value ?? ''] ?? 'train';
  return verb === 'infer' && SERVED.some(detail => detail in details) ? 'serve' : verb;
}

/** The framework's full command for a run; null if unknown, or if it has placeholders for the user. */
export function commandLine(run: RunSpec, gpus: number): readonly string[] | null {
  const way = run.launched ? null : launchOfRun(run);
  const [config] = run.sources;
  if (!way || !config) return null;
  const words = wordsOf(run, config.path, { gpus, folder: '' });
  return openIn(way.argv, words).length > 0 ? null : way.argv.map(word => fill(word, words));
}

const no = (why: string): LaunchResult => ({ ok: false, why });

const whyNot = (starter: Starter | null): string =>
  starter
    ? `${starter.path}: nothing is known that starts this file; give the command.`
    : `Headroom doesn't know how to start this. Enter the command, or add launch to a format of your own (docs/dialects.md).`;

interface Starter {
  readonly path: string;
  readonly dialect: string | null;
}

/** The script or manifest around a run: the opened one, or the one that all agree on. */
function starterOf(run: RunSpec, opened: Opened): Starter | null {
  const isEnvelope = dialects.some(
    ({ id, role, launch }) => id === opened.dialect && role === 'part' && launch,
  );
  if (isEnvelope) return { path: opened.file, dialect: opened.dialect };
  const [first] = run.startedBy?.agree === true ? run.startedBy.files : [];
  if (first === undefined || run.startedBy?.ofOtherFile || isWritten(first)) return null;
  return { path: first, dialect: dialectOfStarter(first, run.sources) };
}

/** The config's command in a README or a Makefile, without the variables it sets; null: none or incomplete. */
function writtenLaunch(run: RunSpec): RunLaunch | null {
  const [file] = run.startedBy?.agree === true ? run.startedBy.files : [];
  if (file === undefined || !isWritten(file)) return null;
  const config = run.sources.find(({ via }) => via.kind === 'config')?.path ?? '';
  const text = run.sources.find(({ path }) => path === file)?.yaml.text ?? '';
  const command = carriedCommands(file, text)?.always.find(words =>
    words.some(word => word.text.endsWith(basename(config))),
  );
  return command ? launchOfCommand(command, file, run) : null;
}

/** The command that a run was read from; null: unknown, or incomplete. */
function carriedLaunch(run: RunSpec, file: string): RunLaunch | null {
  const text = run.sources.find(({ path }) => path === file)?.yaml.text ?? '';
  const { always = [], perhaps = [] } = carriedCommands(file, text) ?? {};
  const stated = Object.values(run.quantities).flatMap(({ origin }) =>
    origin.kind === 'file' && origin.at.file === file ? [origin.at.keySpan.start] : [],
  );
  const command = [...always, ...perhaps].find(words =>
    stated.some(at => words.some(({ span }) => at >= span.start && at < span.end)),
  );
  return command ? launchOfCommand(command, file, run) : null;
}

/** Null if some words are known only when it starts. */
function launchOfCommand(command: Command, file: string, run: RunSpec): RunLaunch | null {
  const argv = command.filter(word => !VISIBLE.test(word.text));
  if (argv.length === 0 || argv.some(({ open }) => open)) return null;
  return {
    argv: argv.map(word => word.text),
    open: [],
    file,
    verb: verbOf(run),
    resume: null,
    writes: writesOf(run, launchOfRun(run)?.writes ?? []),
    handsTo: null,
    source: file,
    isOwn: false,
  };
}

/** Batch scripts have sbatch options, manifests their own keys; other scripts are shell scripts. */
function dialectOfStarter(path: string, sources: readonly SourceFile[]): string | null {
  const text = sources.find(source => source.path === path)?.yaml.text ?? '';
  if (/^#SBATCH\b/m.test(text) || /\.(?:sbatch|slurm)$/.test(path)) return 'slurm';
  if (/\.(?:sh|bash)$/.test(path) || text.startsWith('#!')) return 'shell';
  if (/^services:/m.test(text)) return 'compose';
  if (/^apiVersion:/m.test(text)) return 'k8s';
  return null;
}

const starterLaunch = ({ dialect }: Starter): Launch | null =>
  dialects.find(({ id }) => id === dialect)?.launch?.[0] ?? null;

function wordsOf(run: RunSpec, file: string, { gpus, folder }: LaunchOptions): LaunchWords {
  const model = run.quantities.model.value;
  const stage = /^\d+/.exec(run.name)?.[0];
  return {
    ...pathWords(file, folder),
    // Launchers count processes: without a GPU there is still one.
    gpus: String(Math.max(1, gpus)),
    nodes: String(run.quantities.nodes.value ?? 1),
    ...(model === null ? {} : { model }),
    ...(stage === undefined ? {} : { stage }),
  };
}

/** The values of the keys that name outputs, in the config and its overrides. */
function writesOf(run: RunSpec, keys: readonly string[]): readonly string[] {
  const found = keys.flatMap(key =>
    run.sources
      .filter(({ via }) => via.kind === 'config' || via.kind === 'overlay')
      .map(source => scalarAt(source, key))
      .filter(value => value !== null)
      .slice(-1),
  );
  return [...new Set(found)];
}
