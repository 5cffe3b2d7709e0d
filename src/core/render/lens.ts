import type { RunAnalysis } from '../analysis';
import type { Verdict } from '../memory/estimate';
import { formatBytes } from './units';
import { answer, VERDICT_WORDS } from './verdict';

/** VS Code's icons: the answer must not depend on colours, nor on reading the words. */
const ICONS: Readonly<Record<Verdict, string>> = {
  fits: '$(pass)',
  tight: '$(warning)',
  exceeds: '$(error)',
  unknown: '$(question)',
};

/**
 * The answer above a run: `$(pass) ≈ 21.4 GB of 24 GB · fits · RTX 4090`, with the run's name where it has one; in
 * short where several runs share a line: `$(pass) 02_stage ≈ 21.4 GB`, `$(error) 01_stage ≈ 44.0 GB · does not fit`.
 */
export function lensTitle(analysis: RunAnalysis, sharesLine: boolean): string {
  // A lens drops a plain space behind an icon.
  const icon = analysis.estimate && analysis.verdict === 'unknown' ? '' : `${ICONS[analysis.verdict]}\u00a0`;
  return icon + (sharesLine ? inShort(analysis) : inFull(analysis));
}

function inFull(analysis: RunAnalysis): string {
  const { name } = analysis.run;
  return `${name === '' ? '' : `${name}: `}${answer(analysis)}`;
}

function inShort({ run, estimate, verdict }: RunAnalysis): string {
  const device = estimate?.devices[0];
  const need = device ? ` ≈ ${formatBytes(device.device.expected)}` : '';
  return `${run.name}${need}${verdict === 'fits' ? '' : ` · ${VERDICT_WORDS[verdict]}`}`;
}
