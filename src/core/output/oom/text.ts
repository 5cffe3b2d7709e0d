import { brokenTerm } from './blame';
import { kindTexts } from './kinds';
import { oomAmounts, PHASE_WORDS } from './sentence';
import type { OomOwner, OomReport } from './report';

export const TERM_WORDS: Readonly<Record<OomOwner, string>> = {
  logits: 'logits and loss',
  attention: 'attention',
  optimizer: 'optimizer states',
  activations: 'activations',
  weights: 'weights',
  'kv-cache': 'the KV cache',
};

/** Why a run ran out of memory, in sentences: when, what was asked for, what that means, what helps. */
export function oomText(report: OomReport): string {
  const { kind, also, phase, numbers } = report;
  const { meaning, advice } = kindTexts[kind];
  const term = brokenTerm(report);
  const when = phase === null ? '' : ` ${PHASE_WORDS[phase]}`;
  const whose = term === null ? '' : ` (${TERM_WORDS[term]})`;
  const amounts = oomAmounts(numbers);
  return [
    `The last run of this config ran out of memory${when}${whose}${amounts === null ? '.' : `: ${amounts}.`}`,
    meaning,
    advice,
    ...also.map(other => `Also: ${kindTexts[other].meaning}`),
  ].join(' ');
}
