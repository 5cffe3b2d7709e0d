import type { RunAnalysis } from '../analysis';
import type { Verdict } from '../memory/estimate';
import { answer } from './verdict';

/** VS Code's icons: the answer must not depend on colours, nor on reading the words. */
const ICONS: Readonly<Record<Verdict, string>> = {
  fits: '$(pass)',
  tight: '$(warning)',
  exceeds: '$(error)',
  unknown: '$(question)',
};

/** The answer above a run: `$(pass) ≈ 21.4 GB of 24 GB · fits · RTX 4090`, with the run's name where there are several. */
export function lensTitle(analysis: RunAnalysis, several: boolean): string {
  const { name } = analysis.run;
  const icon = analysis.estimate && analysis.verdict === 'unknown' ? '' : `${ICONS[analysis.verdict]} `;
  return `${icon}${several && name !== '' ? `${name}: ` : ''}${answer(analysis)}`;
}
