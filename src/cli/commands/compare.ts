import { Option } from 'commander';
import type { Command } from 'commander';
import type { RunAnalysis } from '../../core/rules/analysis';
import { comparePlaces } from '../../core/plan/places/compare';
import { rankedPlaces } from '../../core/plan/places/order';
import type { PlaceOrder } from '../../core/plan/places/order';
import { suitablePlaces } from '../../core/plan/places/suitable';
import type { ComparedPlace } from '../../core/plan/places/fit';
import { compareNotes, compareText, countsText, hereText } from '../../core/render/compare';
import { compareAsJson } from '../../core/render/compareJson';
import { answer, whyUnknown } from '../../core/render/verdict';
import { json, lines, terminal } from '../../core/text/terminal';
import { EXIT } from '../exit';
import type { ExitCode } from '../exit';
import { neediestRun } from '../neediest';
import type { Source } from '../neediest';
import { terminalOutput } from '../output';
import type { Output, OutputOptions } from '../output';
import { placesFor } from '../places';
import type { PlaceOptions } from '../places';
import { DOWNLOAD, Session } from '../session';
import type { DownloadOptions } from '../session';
import { NEVER } from '../../core/signal';

interface CompareOptions extends PlaceOptions, DownloadOptions, OutputOptions {
  readonly margin: number;
  readonly sort?: PlaceOrder;
  readonly below?: number;
  readonly keepQuality?: boolean;
  readonly json?: boolean;
  readonly run?: string;
}

/** How the command line reads numbers. */
interface Readers {
  readonly wholeNumber: (text: string) => number;
  readonly share: (text: string) => number;
  readonly dollars: (text: string) => number;
}

export const compareOptions = (command: Command, { wholeNumber, share, dollars }: Readers): Command =>
  command
    .description('compare GPUs for a run: of this machine, hosts and the catalog')
    .argument('<file>', 'config file')
    .option('--run <name>', 'only this run, such as a stage')
    .option('--gpu <name...>', 'only these GPUs: names ("RTX 4090") or amounts of memory ("24GB")')
    .option('--gpus <n>', "number of GPUs, if the config doesn't set it", wholeNumber)
    .option('--host <name...>', 'current GPUs of hosts from ~/.ssh/config; "local" is this machine')
    .option('--slurm [login]', 'free GPUs of Slurm, here or through a login node from ~/.ssh/config')
    .option('--ssh-config <file>', 'SSH config (default: ~/.ssh/config)')
    .option('--ray [address]', 'GPUs of a Ray cluster, from its dashboard')
    .option(
      '--kubernetes [context]',
      'GPUs of Kubernetes, through your kubeconfig (default: its current context)',
    )
    .option('--metrics <address>', 'GPUs in the metrics of dcgm-exporter or of a Prometheus server')
    .option('--download', DOWNLOAD)
    .option('--all', 'all GPUs of the catalog, not only those you can rent')
    .addOption(
      new Option('--sort <column>', 'what takes the run first, sorted by this (default: fit)').choices([
        'fit',
        'price',
        'cost',
        'time',
        'memory',
      ]),
    )
    .option('--below <dollars>', 'only places where the whole run costs less', dollars)
    .option('--margin <share>', 'fraction of usable memory that a fix may use', share, 0.85)
    .option('--keep-quality', 'only fixes with the same result')
    .option('--json', 'print JSON (schema headroom/1)')
    .action(compare);

const NO_PAUSE = async (): Promise<void> => {
  /* Nothing else wants the thread of a command line. */
};

/** `headroom compare FILE`: which GPUs, on this machine, on hosts or in the catalog, fit the run. */
async function compare(file: string, options: CompareOptions): Promise<void> {
  const session = new Session({ download: options.download === true });
  process.exitCode = await compareTo(
    terminalOutput(options),
    session,
    { file, text: await session.text(file) },
    options,
  );
}

/** The comparison as texts for an output, and the exit code. */
export async function compareTo(
  output: Output,
  session: Session,
  source: Source,
  options: CompareOptions,
): Promise<ExitCode> {
  const { file } = source;
  const { places: asked, silent } = await placesFor(options, await session.gpus());
  for (const sentence of silent) output.err(sentence);
  // Some estimates require a GPU; any will do, since each place uses its own.
  const { chosen, bad } = await neediestRun(session, source, asked[0]?.target ?? null, options.run);
  for (const sentence of bad) output.err(sentence);
  if (chosen.estimate === null || chosen.tentative) {
    if (bad.length === 0) output.err(`${file}: ${whyUnknown(chosen)}`);
    return bad.length > 0 ? EXIT.bad : EXIT.undecided;
  }
  if (chosen.estimate.onMachine) {
    output.out(`${file}: ${answer(chosen)}`);
    return EXIT.fits;
  }
  // Types that the user names stay, whatever the framework.
  const { places, left } =
    options.gpu === undefined ? suitablePlaces(asked, chosen.run) : { places: asked, left: null };
  const { margin, keepQuality } = options;
  const settings = { margin, mayTrade: keepQuality !== true, details: true };
  const context = { ...chosen, memory: session.world.memory };
  const all = (await comparePlaces(context, places, settings, NO_PAUSE, NEVER)) ?? [];
  const rows = rankedPlaces(all, options.sort ?? 'fit', options.below);
  if (options.json) output.out(json(compareAsJson(file, chosen, rows), 2));
  else print(rows, left, file, chosen, options, output);
  return bad.length > 0 ? EXIT.bad : exitCodeFor(rows, silent.length > 0);
}

function print(
  rows: readonly ComparedPlace[],
  left: string | null,
  file: string,
  { run }: RunAnalysis,
  { quiet }: OutputOptions,
  output: Output,
): void {
  const { paint } = output;
  const name = run.name === '' ? '' : ` · ${run.name}`;
  const here = hereText(rows);
  const counts = [here, countsText(rows)].filter(text => text !== null).join('; ');
  if (quiet !== true) output.out(terminal`${paint.bold(file)}${name}: ${counts}\n`);
  output.out(compareText(rows, file, paint));
  if (quiet !== true) output.out(terminal`\n${lines(compareNotes(rows, left))}`);
}

/** One fitting place is enough; a host that did not answer may be one. */
function exitCodeFor(rows: readonly ComparedPlace[], isPartly: boolean): ExitCode {
  if (rows.some(({ answer }) => answer === 'fits' || answer === 'tight')) return EXIT.fits;
  return isPartly || rows.length === 0 || rows.some(({ answer }) => answer === 'unknown')
    ? EXIT.undecided
    : EXIT.exceeds;
}
