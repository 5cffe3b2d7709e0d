import type { RunAnalysis } from '../rules/analysis';
import type { Verdict } from '../memory/estimate';
import { basename } from '../text/paths';
import { label, visibleLine } from '../text/visible';
import { formatBytes } from '../units';
import { verdictsText } from './summary';
import { answer, lensAnswer } from './verdict';
import { room, verdictWord } from '../memory/words';
import { english } from '../text/say';
import { commas } from '../text/lists';
import type { Say } from '../text/say';
import { dataWord } from './lengths';

/** VS Code's icons: the verdict must be clear without colors and without reading. */
const ICONS: Readonly<Record<Verdict, string>> = {
  fits: '$(pass)',
  tight: '$(warning)',
  exceeds: '$(error)',
  unknown: '$(question)',
};

/** The text above a line of a config, and the run that a click explains. */
export interface LensText {
  readonly run: RunAnalysis;
  readonly title: string;
}

/**
 * The verdicts of the runs that begin at one line. One run: `$(pass) ≈ 21.4 GB of 24 GB · fits · RTX 4090`, with
 * its name if it has one. Several runs use a short form and merge neighbors with the same verdict: `$(error)
 * 01_stage ≈ 44.0 of 24 GB · does not fit`, `$(pass) 02_stage … 05_stage ≈ 16.9 of 24 GB`.
 */
export function lensTexts(runs: readonly RunAnalysis[], say: Say = english): LensText[] {
  const [only, ...others] = runs;
  if (only && others.length === 0) return [{ run: only, title: iconOf(only) + label(fullText(say, only)) }];
  const groups = adjacentRuns(say, runs);
  if (groups.length > MOST_GROUPS) return worstOf(say, runs);
  return groups.flatMap(group => {
    const [run] = group;
    return run ? [{ run, title: `${iconOf(run)}${label(names(group))}${shortText(say, run)}` }] : [];
  });
}

/** A line has room for this many verdicts; of a sweep's cells, only the worst is shown. */
const MOST_GROUPS = 3;

/**
 * The run that needs the most memory, and all verdicts: `$(error) batch=16 ≈ 97.0 of 40 GB · does not fit`, `12
 * runs: 10 fit, 2 do not fit`.
 */
function worstOf(say: Say, runs: readonly RunAnalysis[]): LensText[] {
  const need = ({ estimate }: RunAnalysis): number => estimate?.devices[0]?.device.expected ?? -1;
  const [run] = runs.toSorted((a, b) => need(b) - need(a));
  if (!run) return [];
  return [
    { run, title: `${iconOf(run)}${label(run.run.name)}${shortText(say, run)}` },
    { run, title: verdictsText(say, runs) },
  ];
}

// A CodeLens drops a plain space after an icon.
const iconOf = ({ estimate, verdict }: RunAnalysis): string =>
  estimate && verdict === 'unknown' ? '' : `${ICONS[verdict]}\u00a0`;

/** The verdict comes first, so that a narrow window shows it; the tooltip names the launchers if there are many. */
function fullText(say: Say, analysis: RunAnalysis): string {
  const { name, startedBy } = analysis.run;
  const [first, ...others] = startedBy?.files.map(basename) ?? [];
  const named = others.length > 0 ? `${first ?? ''} +${others.length}` : first;
  const by =
    named === undefined ? '' : ` · ${startedBy?.agree === true ? named : say('started differently')}`;
  return `${name === '' ? '' : `${name}: `}${lensAnswer(analysis, say)}${dataText(say, analysis)}${by}`;
}

/** Text that is too long for a lens: the full verdict, and the files that start the run. */
export function lensTooltip(analysis: RunAnalysis, say: Say = english): string {
  const { startedBy } = analysis.run;
  const verdict = answer(analysis, say);
  const files = commas(say, startedBy?.files.map(basename) ?? []);
  if (files === '') return visibleLine(verdict);
  return visibleLine(
    startedBy?.agree === true
      ? say('{0} · as started by {1}', verdict, files)
      : say('{0} · started differently by {1}', verdict, files),
  );
}

const dataText = (say: Say, { data, estimate }: RunAnalysis): string =>
  dataWord(say, data, estimate?.devices[0]?.device.expected ?? 0);

/** Groups adjacent runs with the same short verdict. */
function adjacentRuns(say: Say, runs: readonly RunAnalysis[]): RunAnalysis[][] {
  const groups: RunAnalysis[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last?.[0] && shortText(say, last[0]) === shortText(say, run)) last.push(run);
    else groups.push([run]);
  }
  return groups;
}

/** `02_stage`, `02_stage, 03_stage`, `02_stage … 05_stage`. */
function names(runs: readonly RunAnalysis[]): string {
  const all = runs.map(({ run }) => run.name);
  return all.length > 2 ? `${all[0] ?? ''} … ${all.at(-1) ?? ''}` : all.join(', ');
}

function shortText(say: Say, { estimate, verdict, tentative }: RunAnalysis): string {
  const device = estimate?.devices[0];
  const judged = verdict === 'fits' || tentative ? '' : ` · ${verdictWord(say, verdict)}`;
  if (!device) return judged;
  const need = formatBytes(device.device.expected);
  if (device.capacityBytes === null) return ` ≈ ${need}`;
  return ` ${say('≈ {0} of {1}', need.replace(/ GB$/, ''), room(say, device))}${judged}`;
}
