import type { Quantity } from '../../spec/quantity';
import type { YamlNode } from '../../yaml/node';
import type { Launched } from '../../spec/runSpec';
import type { Composition, Layer, NearbyFiles, Setting } from '../engine/compose';
import { flagsOf } from './flags';
import { hasLauncher, launchedBy, visibleDevices } from './launchers';
import type { Flags } from './flags';
import { flagNamesOf, ownDefaults, serversIn } from './servers';
import type { KnownServer } from './servers';
import { askedBySrun, withoutSrun } from './srun';
import { VISIBLE } from './word';
import type { Command, Word } from './word';
import type { Variables } from './shellValues';
import { argvLayer, scalarOf, withFixed, wordOf } from './tree';
import { perhaps } from './writtenFiles';
import { configAt } from './configList';
import { containerOf, containerOptions, entryOf } from './container';
import type { Container } from './container';
import { namedModel } from './namedModel';
import { programOf } from './startedProgram';
import { startsRun, trainingRun } from './training';
import { ownOf } from '../../yaml/tables';
import { installedBy, releaseOfImage } from './pins';
import type { EnvironmentEntry, Job } from './job';

/** The variables that an environment defines. */
export function variablesOf(environment: readonly EnvironmentEntry[]): Variables {
  return new Map(environment.map(({ name, word }) => [name, word === null || word.open ? null : word.text]));
}

/** The runs of a job: what it serves and trains; the job itself if only its GPUs are known. */
export async function runsOfJob(
  job: Job,
  opened: Layer,
  files: NearbyFiles,
): Promise<readonly Composition[]> {
  let found: Composition[] = [];
  for (const commands of [job.commands, job.perhaps ?? []]) {
    const runs = await Promise.all(commands.map(command => runOfCommand(command, job, opened, files)));
    found = runs.flatMap(run => run ?? []);
    if (found.length > 0) break;
  }
  const served =
    found.length === 0
      ? ((await imageComposition(job, opened, files)) ?? launcherComposition(job, opened, files))
      : null;
  if (served) found.push(served);
  const { name, launched } = job;
  if (found.length === 0) {
    const model = namedModel(job);
    return [
      { name, launched: { ...launched, ...(model && { model }) }, layers: [{ ...opened, mount: null }] },
    ];
  }
  const places = [...new Set(found.map(run => run.cell?.at ?? run))];
  return found.map(run => ({
    ...run,
    launched: mergeLaunched({ ...launched, ...statedReleases(job) }, run.launched ?? {}),
    name: numbered(name, places.indexOf(run.cell?.at ?? run)),
  }));
}

const numbered = (name: string, i: number): string => (i === 0 ? name : `${name} ${i + 1}`.trim());

/** A launcher's processes are the run's GPUs, which may be fewer than the envelope requests. */
function mergeLaunched(envelope: Launched, command: Launched): Launched {
  const { devices, gpus, nodes, deviceIds, accelerator, program } = command;
  const isOther = (stated: Quantity<unknown>, requested?: Quantity<unknown>): boolean =>
    stated.value !== null && stated.value !== requested?.value;
  const isFewer = devices && isOther(devices, envelope.devices);
  return {
    ...envelope,
    ...(isFewer && { devices, deviceIds: deviceIds ?? [] }),
    ...(gpus && { gpus }),
    ...(nodes && decidesNodes(nodes, envelope.nodes) && { nodes }),
    ...(envelope.accelerator === undefined && accelerator && { accelerator }),
    ...(program !== undefined && { program }),
    ...(command.releases && { releases: command.releases }),
  };
}

/** What the job's image and its own installations say; commands come after the image. */
function statedReleases({ image, commands }: Job): Pick<Launched, 'releases'> {
  const ofImage = releaseOfImage(image);
  const releases = [...commands.flatMap(installedBy), ...(ofImage ? [ofImage] : [])];
  return releases.length > 0 ? { releases } : {};
}

/** The launcher's stated number wins; its default only applies if the envelope does not request nodes. */
function decidesNodes(stated: Quantity<number>, requested?: Quantity<number>): boolean {
  if (requested === undefined) return true;
  if (stated.origin.kind === 'code') return false;
  return requested.origin.kind === 'default' || (stated.value !== null && stated.value !== requested.value);
}

async function runOfCommand(
  whole: Command,
  job: Job,
  opened: Layer,
  files: NearbyFiles,
): Promise<Composition | null> {
  const visible = VISIBLE.test(whole[0]?.text ?? '') ? whole[0] : undefined;
  const started = withoutSrun(whole);
  const command = behindRunner(visible ? started.slice(1) : started, serversIn(files));
  const line = textOf(command);
  const run = await runOfLine(line, command, job, opened, files);
  if (!run) return null;
  const seen = visible ? visibleDevices(visible, opened) : {};
  const launched = { ...askedBySrun(whole), ...run.launched, ...seen, ...launchedBy(command) };
  const cell = command.find(word => word.cell)?.cell;
  const fixed = withFixed(
    run,
    command.filter(({ isFixed }) => isFixed === true).map(({ span }) => span),
  );
  return {
    ...fixed,
    ...(cell && { cell }),
    launched: hasLauncher(command) ? oneProcessPerGpu(launched) : launched,
  };
}

/** Tools that run a command in their environment, or in a container of clusters and of another command. */
const RUNNER =
  /^(?:uvx|(?:uv|poetry|pdm|pixi|hatch|rye|pipenv|pipx|conda|mamba|micromamba) run|(?:apptainer|singularity) (?:exec|run)|(?:docker|podman) exec|shifter|screen|nsys profile) /;

/** The server that such a tool runs: `uv run --with x vllm serve`; another command as it is. */
function behindRunner(command: Command, servers: readonly KnownServer[]): Command {
  const lineFrom = (at: number): string => textOf(command.slice(at));
  if (!RUNNER.test(lineFrom(0))) return command;
  const at = command.findIndex(
    (_, i) => i > 0 && servers.some(({ start }) => start.exec(lineFrom(i))?.index === 0),
  );
  return at < 0 ? command : command.slice(at);
}

const textOf = (command: Command): string => command.map(({ text }) => text).join(' ');

/** A launcher that is told no number starts a process on each GPU that it sees. */
function oneProcessPerGpu({ devices, ...others }: Launched): Launched {
  if (devices?.origin.kind !== 'file' || devices.value === null) {
    return { ...others, ...(devices && { devices }) };
  }
  const formula = `the launcher starts a process on each of ${devices.value}`;
  return {
    ...others,
    devices: { ...devices, origin: { kind: 'derived', from: [devices.origin.at.path], formula } },
  };
}

async function runOfLine(
  line: string,
  command: Command,
  job: Job,
  opened: Layer,
  files: NearbyFiles,
): Promise<Composition | null> {
  if (PRINTS.test(line)) return null;
  const served = await startedServer(line, command, job, opened, files);
  if (served) return served;
  const code = codeIn(line, command);
  if (code) return (await files.programWithin?.(code, opened, true))?.[0] ?? null;
  const entry = entryOf(command);
  if (entry) {
    const run = await runOfCommand(entry.command, job, opened, files);
    return run && { ...run, launched: { ...entry.launched, ...run.launched } };
  }
  const contained = await containerComposition(command, job, opened, files);
  // Options alone are those of an image's own program, whatever files they name.
  return contained ?? (line.startsWith('--') ? null : trained(command, opened, files));
}

/** The server that a line starts, with what the program that starts it has by itself. */
async function startedServer(
  line: string,
  command: Command,
  job: Job,
  opened: Layer,
  files: NearbyFiles,
): Promise<Composition | null> {
  for (const server of serversIn(files)) {
    const { start, holds } = server;
    const match = start.exec(line) ?? (holds?.image.test(job.image) ? holds.words.exec(line) : null);
    if (!match || server.not?.test(job.image) === true) continue;
    const words = wordsAfter(command, match.index + match[0].length);
    const run = await serverRun(server, words, job, opened, files);
    const container = containerIn(command, files);
    const launched = container ? { ...launchedIn(container), ...run.launched } : run.launched;
    const beneath = [...ownDefaults(server, line), ...(run.beneath ?? [])];
    return { ...run, ...(launched && { launched }), ...(beneath.length > 0 && { beneath }) };
  }
  return null;
}

async function trained(command: Command, opened: Layer, files: NearbyFiles): Promise<Composition | null> {
  const run = startsRun(command) ? await trainingRun(command, opened, files) : null;
  return run && { ...run, launched: { ...run.launched, program: programOf(command) } };
}

/** The program in `python -c '…'`, or one that the script wrote and starts without arguments: they could change it. */
function codeIn(line: string, command: Command): Word['code'] {
  const isInline = /(?:^|[/ ])python[\d.]* (?:-[a-zA-Z]+ )*-\w*c /.test(line);
  const word = isInline ? command.find(({ code }) => code) : command.at(-1);
  return isInline || word?.text.endsWith('.py') ? word?.code : undefined;
}

/** What is printed or searched is not started. */
const PRINTS = /^(?:echo|printf|cat|grep|pgrep|pkill|find|which|ls|logger)(?: |$)/;

/** The container of a server's image that a command starts. */
const containerIn = (command: Command, files: NearbyFiles): Container | null =>
  containerOf(command, text => serversIn(files).some(({ image }) => image.test(text)));

/** The GPUs that a container is given, and the release in its image's tag. */
function launchedIn({ image, launched }: Container): Launched {
  const release = /[$`]/.test(image) ? null : releaseOfImage(image);
  return { ...launched, ...(release && { releases: [release] }) };
}

/** A server that a container engine starts from its image, on the GPUs that the container is given. */
async function containerComposition(
  command: Command,
  job: Job,
  opened: Layer,
  files: NearbyFiles,
): Promise<Composition | null> {
  const container = containerIn(command, files);
  const { environment, launched } = containerOptions(command);
  if (!container) {
    const run =
      launched.accelerator && launcherComposition({ ...job, image: '', environment }, opened, files);
    return run ? { ...run, launched } : null;
  }
  const { image, args } = container;
  const run = await imageComposition({ ...job, image, environment, commands: [args] }, opened, files);
  return run && { ...run, launched: launchedIn(container) };
}

/** The words after this many characters of the command line. */
function wordsAfter(command: Command, length: number): Command {
  let at = -1;
  return command.filter(({ text }) => {
    at += text.length + 1;
    return at > length;
  });
}

/** A shell, a script or a program instead of the image's own, which could do anything. */
function isOtherProgram([first]: Command, { isReplaced }: Job): boolean {
  if (isReplaced === true && first?.text.startsWith('-') === false) return true;
  return /(?:^|\/)(?:(?:ba|da|z)?sh|python[\d.]*|node)$|\.(?:sh|py)$/.test(first?.text ?? '');
}

/** A server that an image starts with the given arguments. */
async function imageComposition(job: Job, opened: Layer, files: NearbyFiles): Promise<Composition | null> {
  const server = serversIn(files).find(
    ({ image, not }) => image.test(job.image) && not?.test(job.image) !== true,
  );
  const [args = []] = job.commands;
  const rest = server && behindProgram(server, args);
  if (server && rest) return serverRun(server, rest, job, opened, files);
  if (isOtherProgram(args, job)) return null;
  const isStated = args.length > 0 || job.environment.some(({ name }) => name in (server?.environment ?? {}));
  // An image of one's own without a word about a server may start anything.
  if (!isStated && !OFFICIAL.test(job.image)) return null;
  if (!server || (args[0]?.text.startsWith('-') === false && server.positional === undefined)) return null;
  return serverRun(server, args, job, opened, files);
}

/** The words behind the program of an image, or behind its subcommand alone: `vllm serve MODEL`, `serve MODEL`. */
function behindProgram({ start, dialect }: KnownServer, args: Command): Command | null {
  for (const before of ['', `${dialect} `]) {
    const started = start.exec(before + textOf(args));
    const length = started?.index === 0 ? started[0].length - before.length : 0;
    if (length > 0) return wordsAfter(args, length);
  }
  return null;
}

/** Images that start their server whatever is said. */
const OFFICIAL = /^(?:docker\.io\/)?(?:vllm|lmsysorg|openmmlab)\/|^ghcr\.io\/(?:huggingface|ggml-org)\//;

/**
 * A server behind a launcher of one's own, whose variables are named like its flags (`VLLM_MAX_MODEL_LEN`). The model alone
 * does not say how it is served.
 */
function launcherComposition(job: Job, opened: Layer, files: NearbyFiles): Composition | null {
  const names = new Set(job.environment.flatMap(({ name, word }) => (word && !word.open ? name : [])));
  for (const server of serversIn(files)) {
    const { launcher = {} } = server;
    const stated = Object.keys(launcher).filter(name => names.has(name));
    const saysModel = stated.some(name => launcher[name] === 'model');
    if (!saysModel || stated.length < 2 || server.not?.test(job.image) === true) continue;
    return composition(
      { ...server, environment: launcher },
      flagsOf([], flagNamesOf(server)),
      job,
      opened,
      null,
    );
  }
  return null;
}

async function serverRun(
  server: KnownServer,
  rest: Command,
  job: Job,
  opened: Layer,
  files: NearbyFiles,
): Promise<Composition> {
  const flags = flagsOf(rest, flagNamesOf(server));
  const named = flags.settings.find(({ path }) => path[0] === 'config');
  const config = named ? await serverConfig(named.value, opened, files) : null;
  return composition(server, flags, job, opened, config);
}

/** The config of a server; if only a branch names it, what it states is unknown. */
async function serverConfig(value: YamlNode, opened: Layer, files: NearbyFiles): Promise<Layer | null> {
  const isOpen = value.kind === 'scalar' && value.opaque !== null;
  const layer = await configAt(isOpen ? value.source : wordOf(value), opened.path, files);
  return isOpen && layer ? perhaps(layer) : layer;
}

function composition(
  server: KnownServer,
  flags: Flags,
  job: Job,
  opened: Layer,
  config: Layer | null,
): Composition {
  const [first] = flags.positional;
  const positional: Setting[] =
    first && server.positional !== undefined
      ? [
          {
            path: [server.positional],
            keySpan: first.span,
            value: scalarOf(first, first.text, first.text),
            from: [server.positional],
            inText: first.inText,
          },
        ]
      : [];
  const own = environmentOf(server, job, undefined);
  const args = argvLayer(opened, [...own, ...positional, ...flags.settings], config === null ? null : '');
  const owners = new Set(job.environment.flatMap(({ owner }) => owner ?? []));
  const beneath = [...owners].map(owner => argvLayer(owner, environmentOf(server, job, owner), ''));
  const layers: Composition['layers'] = config === null ? [args] : [config, args];
  return { name: job.name, dialect: server.dialect, layers, ...(beneath.length > 0 && { beneath }) };
}

/** The server's settings from its environment; flags win over them. */
function environmentOf({ environment }: KnownServer, job: Job, wanted: Layer | undefined): Setting[] {
  return job.environment.flatMap(({ name, word, from, keySpan, owner }) => {
    const flag = ownOf(environment, name);
    return flag !== undefined && word && owner === wanted
      ? [{ path: [flag], keySpan, value: scalarOf(word), from }]
      : [];
  });
}
