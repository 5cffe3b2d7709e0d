import { block, paragraphs, table, terminal } from '../../core/text/terminal';
import type { Paint, Shown, TerminalText } from '../../core/text/terminal';
import type { Json } from '../../core/text/json';
import type { Target } from '../../core/hardware/gpu';
import { TERMS } from '../../core/memory/terms';
import { measuredPhaseText, verdictWord } from '../../core/memory/words';
import { counted, formatBytes, formatRange } from '../../core/units';
import type { ProgramAmounts } from '../../profile/program/amounts';
import type { LargestBatch } from '../../profile/program/batch';
import type { Counted, ProgramResult } from '../../profile/program/result';
import { commandText } from '../../profile/program/words';
import { english } from '../../core/text/say';

const MOST_LINES = 8;
const MOST_ASSUMED = 6;

/** A program that was run dry. */
export interface RunDry {
  readonly command: readonly string[];
  /** The other machine or cluster; null: this machine. */
  readonly place: string | null;
}

/** What a program needs, when, and which of its lines hold it. */
export function programText(
  { command, place }: RunDry,
  result: ProgramResult,
  amounts: ProgramAmounts,
  target: Target | null,
  paint: Paint,
): TerminalText {
  const { peak, lines, allocated, reserved, device } = amounts;
  const head = terminal`${paint.bold(commandText(command))} · ${place === null ? 'dry run' : `dry run (${place})`}: ${formatBytes(device.expected)} (${formatRange(device.low, device.high)})${onGpu(amounts, target)}`;
  const metrics = `Allocated ${formatBytes(allocated.expected)}, reserved ${formatBytes(reserved.expected)}, as nvidia-smi shows it ${formatBytes(device.expected)}. Peak: ${measuredPhaseText(english, peak.phase)}.`;
  const terms = TERMS.filter(term => (peak.terms[term] ?? 0) > 0);
  const parts: Shown[] = [
    head,
    metrics,
    table([['at the peak', ''], ...terms.map(term => [term, formatBytes(peak.terms[term] ?? 0)])], {
      align: ['l', 'r'],
    }),
    table(
      [
        ['lines that hold most', ''],
        ...lines.slice(0, MOST_LINES).map(({ line, bytes }) => [line, formatBytes(bytes)]),
      ],
      { align: ['l', 'r'] },
    ),
    paint.dim(
      `${counted(result.steps, 'optimizer step')} · ${gpusText(result)}${result.seconds} s · ${releases(result.versions)}`,
    ),
  ];
  return paragraphs([...parts, ...caveats(result, place).map(text => block(text))]);
}

function onGpu({ verdict }: ProgramAmounts, target: Target | null): string {
  if (target === null) return '; no GPU to compare with (--gpu)';
  return ` on ${target.name}: ${verdictWord(english, verdict)}`;
}

const gpusText = ({ gpus }: ProgramResult): string => (gpus > 1 ? `rank 0 of ${gpus} · ` : '');

const releases = (versions: Readonly<Record<string, string>>): string =>
  Object.entries(versions)
    .filter(([name]) => name !== 'tokenizers')
    .map(([name, release]) => `${name} ${release}`)
    .join(', ');

const ENDINGS: Readonly<Record<ProgramResult['how'], string | null>> = {
  finished: null,
  ended: 'The program ended by itself before that many steps: its peak may lie later.',
  'out of time': 'Time was up before that many steps (--timeout): the peak may lie later.',
  'out of memory': "The machine's memory was up before that many steps: the peak may lie later.",
};

/** What makes the answer less certain, and what the program did not get. */
function caveats(result: ProgramResult, place: string | null): readonly string[] {
  const { standIns, assumed, assumedShapes, refused, redirected, how, sandbox } = result;
  const ending = ENDINGS[how];
  return [
    ...(ending === null ? [] : [ending]),
    ...(standIns.length > 0 ? [`Stand-ins: ${standIns.join('; ')}.`] : []),
    ...(assumed.length > 0 ? [`Assumed: ${countedText(assumed)}.`] : []),
    ...(assumedShapes > 0
      ? [`${assumedShapes} shapes depend on data and were taken as the largest: the amount is less certain.`]
      : []),
    ...(refused.length > 0 ? [`Refused: ${countedText(refused)}.`] : []),
    ...(redirected > 0 ? [`${redirected} written files were discarded.`] : []),
    ...(sandbox === 'kernel'
      ? []
      : [
          `Writes were kept off by Python alone: ${place === null ? 'this' : 'that'} system has no Landlock.`,
        ]),
    'Not counted: cuDNN workspaces, temporaries inside kernels, evaluation and saving after these steps.',
  ];
}

function countedText(all: readonly Counted[]): string {
  const shown = all
    .slice(0, MOST_ASSUMED)
    .map(({ what, times }) => (times > 1 ? `${what} (${times} times)` : what));
  const more = all.length - shown.length;
  return more > 0 ? `${shown.join('; ')}; and ${more} more` : shown.join('; ');
}

export function largestText(
  { batch, tries, isSure }: LargestBatch,
  target: Target,
  paint: Paint,
): TerminalText {
  const rows = tries
    .toSorted((a, b) => a.batch - b.batch)
    .map(one => [String(one.batch), formatBytes(one.bytes)]);
  const head =
    batch === null
      ? terminal`${paint.bold('No batch fits')} on ${target.name}.`
      : terminal`${paint.bold(`Largest batch: ${batch}`)} on ${target.name}${isSure ? '' : ` (the largest of ${tries.length} that were run)`}.`;
  return paragraphs([head, table([['batch', 'needs at most'], ...rows], { align: ['r', 'r'] })]);
}

export function programJson(
  { command, place }: RunDry,
  result: ProgramResult,
  { peak, lines, allocated, reserved, device, verdict }: ProgramAmounts,
  target: Target | null,
): Readonly<Record<string, Json>> {
  return {
    command: [...command],
    place,
    gpu: target?.name ?? null,
    verdict,
    bytes: { ...device },
    allocatedBytes: { ...allocated },
    reservedBytes: { ...reserved },
    peak: { phase: peak.phase, bytes: peak.bytes, terms: { ...peak.terms } },
    phases: { ...result.phases },
    lines: lines.map(one => ({ ...one })),
    how: result.how,
    steps: result.steps,
    gpus: result.gpus,
    seconds: result.seconds,
    versions: { ...result.versions },
    standIns: [...result.standIns],
    assumed: result.assumed.map(one => ({ ...one })),
    assumedShapes: result.assumedShapes,
    refused: result.refused.map(one => ({ ...one })),
    sandbox: result.sandbox,
    files: Object.keys(result.files),
  };
}
