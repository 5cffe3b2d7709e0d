import { formatBytes } from '../../units';
import { brokenTerm } from './blame';
import { kindTexts } from './kinds';
import type { OomNumbers, OomOwner, OomPhase, OomReport } from './report';

/** The time of the error. */
const PHASE_WORDS: Readonly<Record<OomPhase, string>> = {
  load: 'while loading the model',
  forward: 'in the forward pass',
  loss: 'in the loss',
  backward: 'in the backward pass',
  optimizer: 'in the optimizer step',
  eval: 'in evaluation',
  save: 'while writing a checkpoint',
  generate: 'while generating text',
  startup: 'at startup',
};

/** What ran out and why, as a sentence; with amounts if the text states them. */
export function oomSentence({ kind, numbers, phase }: OomReport): string {
  const when = phase === null ? null : PHASE_WORDS[phase];
  const details = [oomAmounts(numbers), when].filter(part => part !== null).join(', ');
  const { short } = kindTexts[kind];
  return details === '' ? short : `${short} (${details})`;
}

/** `2.0 GB requested, 0.7 GB of 47.5 GB free, tensors used 45.1 GB`. */
function oomAmounts(numbers: OomNumbers): string | null {
  const { triedBytes, freeBytes, capacityBytes, allocatedBytes, reservedUnallocatedBytes } = numbers;
  const of = capacityBytes === null ? '' : ` of ${formatBytes(capacityBytes)}`;
  const parts = [
    ...(triedBytes === null ? [] : [`${formatBytes(triedBytes)} requested`]),
    ...(freeBytes === null ? [] : [`${formatBytes(freeBytes)}${of} free`]),
    ...(allocatedBytes === null ? [] : [`tensors used ${formatBytes(allocatedBytes)}`]),
    ...(reservedUnallocatedBytes === null
      ? []
      : [`${formatBytes(reservedUnallocatedBytes)} reserved but unused`]),
    ...(numbers.gpuIndex === null ? [] : [`on GPU ${numbers.gpuIndex}`]),
  ];
  return parts.length > 0 ? parts.join(', ') : null;
}

const TERM_WORDS: Readonly<Record<OomOwner, string>> = {
  logits: 'logits and loss',
  attention: 'attention',
  optimizer: 'optimizer states',
  activations: 'activations',
  weights: 'weights',
  'kv-cache': 'the KV cache',
};

/** Explains an out-of-memory error in sentences: when, the requested amount, the meaning, the fixes. */
export function oomText(report: OomReport): string {
  const { kind, also, phase, numbers } = report;
  const { meaning, advice } = kindTexts[kind];
  const term = brokenTerm(report);
  const when = phase === null ? '' : ` ${PHASE_WORDS[phase]}`;
  const termText = term === null ? '' : ` (${TERM_WORDS[term]})`;
  const amounts = oomAmounts(numbers);
  return [
    `The last run of this config ran out of memory${when}${termText}${amounts === null ? '.' : `: ${amounts}.`}`,
    meaning,
    advice,
    ...also.map(other => `Also: ${kindTexts[other].meaning}`),
  ].join(' ');
}
