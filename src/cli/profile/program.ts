import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { version } from '../../../package.json';
import type { Json } from '../../core/text/json';
import { json } from '../../core/text/terminal';
import { programOf } from '../../core/launch/program';
import { redactedArguments } from '../../core/text/redact';
import type { Target } from '../../core/hardware/gpu';
import type { Measurement } from '../../core/learn/measurement';
import { MIB } from '../../core/units';
import { JobError } from '../../jobs/engine';
import type { Jobs } from '../../jobs/jobs';
import { ProfileError } from '../../profile/answers';
import { measurementOf } from '../../profile/measure';
import { amountsOf, spreadOf } from '../../profile/program/amounts';
import type { ProgramAmounts } from '../../profile/program/amounts';
import { batchPlace, largestBatch, withBatch } from '../../profile/program/batch';
import type { LargestBatch } from '../../profile/program/batch';
import { modelTable } from '../../profile/program/models';
import type { ModelTable } from '../../profile/program/models';
import { toldGpu } from '../../profile/program/request';
import type { ProgramResult } from '../../profile/program/result';
import { runProgram } from '../../profile/program/runProgram';
import { commandText, pythonNamed } from '../../profile/program/words';
import type { Signal } from '../../core/signal';
import { EXIT } from '../exit';
import { openJobsHere } from '../jobs/open';
import { BadInput } from '../output';
import type { Output } from '../output';
import { Session } from '../session';
import { interruption } from './dry';
import { helpersFolder, interpreterFor } from './interpreter';
import type { Found } from './interpreter';
import { measurementFile, saveMeasurement } from './keep';
import type { ProfileOptions } from './options';
import { elsewhereOf, runProgramAway } from './programJob';
import type { Elsewhere } from './programJob';
import { largestText, programJson, programText } from './programText';
import type { Subject } from './subject';

/** A program to profile: its command, and the config whose run it is, if one was named. */
interface ProgramSubject {
  readonly command: readonly string[];
  /** Null: the command alone. */
  readonly of: Subject | null;
}

/** Where it runs: in a Python of this machine, or as a job elsewhere. */
type Ground =
  | { readonly found: Found; readonly elsewhere: null }
  | { readonly found: null; readonly elsewhere: Elsewhere; readonly jobs: Jobs };

interface Running extends ProgramSubject {
  readonly ground: Ground;
  readonly target: Target | null;
  readonly options: ProfileOptions;
  readonly output: Output;
  readonly signal: Signal;
  readonly models: ModelTable;
}

/** `headroom profile FILE --program`, `headroom profile [FILE] -- COMMAND`: the user's own program, run dry. */
export async function profileProgram(
  given: ProgramSubject,
  options: ProfileOptions,
  output: Output,
): Promise<void> {
  const command = given.command.length > 0 ? given.command : commandOf(given.of, options);
  const elsewhere = await elsewhereOf(options).catch((error: unknown) => {
    throw error instanceof JobError ? new BadInput(error.message) : error;
  });
  if (!(await hasConsent(command, elsewhere, options, output))) {
    output.err('Nothing was run.');
    process.exitCode = EXIT.undecided;
    return;
  }
  const session = new Session();
  const models = modelTable(await session.modelCatalog());
  const target = await targetOf(given.of, elsewhere, session, options);
  const ground = elsewhere
    ? { found: null, elsewhere, jobs: openJobsHere(options) }
    : { found: await foundHere(command, options, output), elsewhere };
  const signal = interruption();
  const running: Running = { command, of: given.of, ground, target, models, options, output, signal };
  try {
    await (options.largestBatch === true ? searched(running) : once(running));
  } catch (error) {
    if (!(error instanceof ProfileError) && !(error instanceof JobError)) throw error;
    refused(running, error.message);
  } finally {
    signal.dispose();
    if (ground.elsewhere) ground.jobs.dispose();
  }
}

/** The GPUs of this machine are not those of another one. */
async function targetOf(
  of: Subject | null,
  elsewhere: Elsewhere | null,
  session: Session,
  options: ProfileOptions,
): Promise<Target | null> {
  if (elsewhere && options.gpu === undefined) return null;
  return of?.computed[0]?.target ?? (await session.target(options));
}

async function foundHere(
  command: readonly string[],
  options: ProfileOptions,
  output: Output,
): Promise<Found> {
  const named = pythonNamed(command);
  const python = options.python ?? (named === null ? undefined : resolve(named));
  const found = await interpreterFor(process.cwd(), python);
  output.err(`Python: ${found.executable} (${found.why})`);
  return found;
}

/** The command of the file's run. */
function commandOf(of: Subject | null, { gpus }: ProfileOptions): readonly string[] {
  const [run] = of?.computed ?? [];
  if (!of || !run) {
    throw new BadInput('Write the command after --, for example: headroom profile -- python train.py');
  }
  const opened = { file: of.file, dialect: run.run.dialect };
  const count = gpus ?? run.run.quantities.gpus.value ?? 1;
  const found = programOf(run.run, opened, { gpus: count, folder: process.cwd() });
  if (found.ok) return found.launch.argv;
  throw new BadInput(`${of.file}: ${found.why}. Write the command after --.`);
}

/** The program is the user's code: it runs only after they agreed to this command. */
async function hasConsent(
  command: readonly string[],
  elsewhere: Elsewhere | null,
  { yes }: ProfileOptions,
  output: Output,
): Promise<boolean> {
  for (const line of elsewhere?.lines ?? []) output.err(line);
  const where = elsewhere === null ? '' : ` (${elsewhere.name})`;
  output.err(`Runs without a GPU, and keeps it from writing files${where}: ${commandText(command)}`);
  if (yes === true) return true;
  if (!process.stdin.isTTY) throw new BadInput('Add --yes to run this program.');
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asked.question('Run it? [y/N] ');
  asked.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

function runWith(running: Running, command: readonly string[]): Promise<ProgramResult> {
  const { ground, target, models, options, output, signal } = running;
  const program = {
    command,
    folder: process.cwd(),
    gpus: options.gpus ?? null,
    gpu: toldGpu(target),
    steps: options.steps,
    seconds: options.timeout,
    models,
  };
  const progress = (text: string): void => output.err(`${text} …`);
  if (ground.elsewhere) {
    return runProgramAway(ground.jobs, ground.elsewhere, program, { options, progress }, signal);
  }
  const { interpreter } = ground.found;
  return runProgram(interpreter, program, { cacheFolder: helpersFolder(), progress }, signal);
}

async function once(running: Running): Promise<void> {
  const { command, target, options, output } = running;
  const place = batchPlace(command);
  const words = place && options.batch !== undefined ? withBatch(command, place, options.batch) : command;
  const result = await runWith(running, words);
  const amounts = amountsOf(result, target);
  const run = { command: words, place: placeOfRun(running) };
  if (options.json === true) {
    const document = programJson(run, result, amounts, target);
    output.out(json({ schema: 'headroom-program/1', ...document }, 2));
  } else {
    output.out(programText(run, result, amounts, target, output.paint));
  }
  process.exitCode = { fits: EXIT.fits, tight: EXIT.fits, exceeds: EXIT.exceeds, unknown: EXIT.undecided }[
    amounts.verdict
  ];
  await store(running, words, result, amounts);
}

const placeOfRun = ({ ground }: Running): string | null => ground.elsewhere?.name ?? null;

/** The largest batch: the program is run again with other numbers in its own command. */
async function searched(running: Running): Promise<void> {
  const { command, target, options, output } = running;
  const place = batchPlace(command);
  if (!place) throw new BadInput('Write {batch} where the command says its batch size.');
  if (!target) throw new BadInput('--largest-batch needs a GPU: add --gpu "RTX 4090" or --gpu 24GB.');
  const room = (target.usableMiB - target.busyMiB) * MIB;
  const found: LargestBatch = await largestBatch(options.batch ?? place.value ?? 1, room, async batch => {
    output.err(`Batch ${batch} …`);
    const result = await runWith(running, withBatch(command, place, batch));
    return amountsOf(result, target).device.high;
  });
  if (options.json === true) {
    output.out(json({ schema: 'headroom-program/1', largest: largestJson(found) }, 2));
  } else {
    output.out(largestText(found, target, output.paint));
  }
  if (found.batch === null) process.exitCode = EXIT.exceeds;
}

const largestJson = ({ batch, tries, isSure }: LargestBatch): Json => ({
  batch,
  isSure,
  tries: tries.map(one => ({ ...one })),
});

/** Kept for the run of the config, with the files that the program depends on. */
async function store(
  running: Running,
  command: readonly string[],
  result: ProgramResult,
  { peak, lines }: ProgramAmounts,
): Promise<void> {
  const { of, options, output } = running;
  const [run] = of?.computed ?? [];
  if (!of || !run || result.steps === 0) return;
  const kept = await measurementFile(of, options);
  const folder =
    options.user === true ? process.cwd() : relative(resolve(kept, '../..'), process.cwd()) || '.';
  const place = placeOfRun(running);
  const measurement: Measurement = {
    ...measurementOf(run, {
      source: 'dry run',
      at: new Date(),
      metric: 'allocated',
      bytes: peak.bytes,
      terms: peak.terms,
      versions: result.versions,
      gpu: null,
      by: version,
    }),
    ...(place !== null && { place }),
    phase: peak.phase,
    program: {
      command: redactedArguments(command),
      folder,
      files: result.files,
      lines: lines.slice(0, 8),
      spread: spreadOf(result),
      reserved: result.reserved,
    },
  };
  await saveMeasurement(of, measurement, options, output);
}

function refused({ command, ground, options, output }: Running, why: string): void {
  process.exitCode = EXIT.undecided;
  const place = ground.elsewhere?.name ?? null;
  if (options.json === true) {
    output.out(json({ schema: 'headroom-program/1', command: [...command], place, refused: [why] }, 2));
  } else {
    output.out(`Can't profile this program${place === null ? '' : ` (${place})`}: ${why}`);
  }
}
