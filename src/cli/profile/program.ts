import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { version } from '../../../package.json';
import type { Json } from '../../core/text/json';
import { json } from '../../core/text/terminal';
import { programOf } from '../../core/launch/program';
import type { Target } from '../../core/hardware/gpu';
import type { Measurement } from '../../core/learn/measurement';
import { MIB } from '../../core/units';
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
import { BadInput } from '../output';
import type { Output } from '../output';
import { Session } from '../session';
import { interruption } from './dry';
import { helpersFolder, interpreterFor } from './interpreter';
import type { Found } from './interpreter';
import { measurementFile, saveMeasurement } from './keep';
import type { ProfileOptions } from './options';
import { largestText, programJson, programText } from './programText';
import type { Subject } from './subject';

/** A program to profile: its command, and the config whose run it is, if one was named. */
interface ProgramSubject {
  readonly command: readonly string[];
  /** Null: the command alone. */
  readonly of: Subject | null;
}

interface Running extends ProgramSubject {
  readonly found: Found;
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
  await consent(command, options, output);
  const session = new Session();
  const target = given.of?.computed[0]?.target ?? (await session.target(options));
  const models = modelTable(await session.modelCatalog());
  const named = pythonNamed(command);
  const python = options.python ?? (named === null ? undefined : resolve(named));
  const found = await interpreterFor(process.cwd(), python);
  output.err(`Python: ${found.executable} (${found.why})`);
  const signal = interruption();
  const running: Running = { command, of: given.of, found, target, models, options, output, signal };
  try {
    await (options.largestBatch === true ? searched(running) : once(running));
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    refused(command, error.message, options, output);
  } finally {
    signal.dispose();
  }
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
async function consent(command: readonly string[], { yes }: ProfileOptions, output: Output): Promise<void> {
  output.err(`Runs without a GPU, and keeps it from writing files: ${commandText(command)}`);
  if (yes === true) return;
  if (!process.stdin.isTTY) throw new BadInput('Add --yes to run this program.');
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asked.question('Run it? [y/N] ');
  asked.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new BadInput('Nothing was run.');
}

function runWith(running: Running, command: readonly string[]): Promise<ProgramResult> {
  const { found, target, models, options, output, signal } = running;
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
  return runProgram(found.interpreter, program, { cacheFolder: helpersFolder(), progress }, signal);
}

async function once(running: Running): Promise<void> {
  const { command, target, options, output } = running;
  const place = batchPlace(command);
  const words = place && options.batch !== undefined ? withBatch(command, place, options.batch) : command;
  const result = await runWith(running, words);
  const amounts = amountsOf(result, target);
  if (options.json === true) {
    const document = programJson(words, result, amounts, target);
    output.out(json({ schema: 'headroom-program/1', ...document }, 2));
  } else {
    output.out(programText(words, result, amounts, target, output.paint));
  }
  process.exitCode = { fits: EXIT.fits, tight: EXIT.fits, exceeds: EXIT.exceeds, unknown: EXIT.undecided }[
    amounts.verdict
  ];
  await store(running, words, result, amounts);
}

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
  { of, options, output }: Running,
  command: readonly string[],
  result: ProgramResult,
  { peak, lines }: ProgramAmounts,
): Promise<void> {
  const [run] = of?.computed ?? [];
  if (!of || !run || result.steps === 0) return;
  const kept = await measurementFile(of, options);
  const folder =
    options.user === true ? process.cwd() : relative(resolve(kept, '../..'), process.cwd()) || '.';
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
    phase: peak.phase,
    program: {
      command,
      folder,
      files: result.files,
      lines: lines.slice(0, 8),
      spread: spreadOf(result),
      reserved: result.reserved,
    },
  };
  await saveMeasurement(of, measurement, options, output);
}

function refused(
  command: readonly string[],
  why: string,
  { json: isJson }: ProfileOptions,
  output: Output,
): void {
  process.exitCode = EXIT.undecided;
  if (isJson === true) {
    output.out(json({ schema: 'headroom-program/1', command: [...command], refused: [why] }, 2));
  } else {
    output.out(`Can't profile this program: ${why}`);
  }
}
