import { formatBytes } from '../../units';
import { brokenTerm } from './blame';
import { kindTexts } from './kinds';
import type { OomNumbers, OomOwner, OomPhase, OomReport } from './report';
import { commas } from '../../text/lists';
import { english, said, template } from '../../text/say';
import type { Say, Template } from '../../text/say';

/** The time of the error. */
const PHASES: Readonly<Record<OomPhase, Template>> = {
  load: template('while loading the model'),
  forward: template('in the forward pass'),
  loss: template('in the loss'),
  backward: template('in the backward pass'),
  optimizer: template('in the optimizer step'),
  eval: template('in evaluation'),
  save: template('while writing a checkpoint'),
  generate: template('while generating text'),
  startup: template('at startup'),
};

/** What ran out and why, as a sentence; with amounts if the text states them. */
export function oomSentence({ kind, numbers, phase }: OomReport, say: Say = english): string {
  const when = phase === null ? [] : [said(say, PHASES[phase])];
  const details = commas(say, [...oomAmounts(say, numbers), ...when]);
  const short = said(say, kindTexts[kind].short);
  return details === '' ? short : say('{0} ({1})', short, details);
}

/** `2.0 GB requested`, `0.7 GB of 47.5 GB free`, `tensors used 45.1 GB`. */
function oomAmounts(say: Say, numbers: OomNumbers): readonly string[] {
  const { triedBytes, freeBytes, capacityBytes, allocatedBytes, reservedUnallocatedBytes } = numbers;
  return [
    ...(triedBytes === null ? [] : [say('{0} requested', formatBytes(triedBytes))]),
    ...(freeBytes === null ? [] : [freeText(say, freeBytes, capacityBytes)]),
    ...(allocatedBytes === null ? [] : [say('tensors used {0}', formatBytes(allocatedBytes))]),
    ...(reservedUnallocatedBytes === null
      ? []
      : [say('{0} reserved but unused', formatBytes(reservedUnallocatedBytes))]),
    ...(numbers.gpuIndex === null ? [] : [say('on GPU {0}', numbers.gpuIndex)]),
  ];
}

const freeText = (say: Say, free: number, capacity: number | null): string =>
  capacity === null
    ? say('{0} free', formatBytes(free))
    : say('{0} of {1} free', formatBytes(free), formatBytes(capacity));

const TERMS: Readonly<Record<OomOwner, Template>> = {
  logits: template('logits and loss'),
  attention: template('attention'),
  optimizer: template('optimizer states'),
  activations: template('activations'),
  weights: template('weights'),
  'kv-cache': template('the KV cache'),
};

/** Explains an out-of-memory error in sentences: when, the requested amount, the meaning, the fixes. */
export function oomText(report: OomReport, say: Say = english): string {
  const { kind, also, numbers } = report;
  const { meaning, advice } = kindTexts[kind];
  const amounts = oomAmounts(say, numbers);
  const what = outText(say, report);
  const sentences = [
    amounts.length === 0 ? say('{0}.', what) : say('{0}: {1}.', what, commas(say, amounts)),
    said(say, meaning),
    said(say, advice),
    ...also.map(other => say('Also: {0}', said(say, kindTexts[other].meaning))),
  ];
  return sentences.reduce((all, one) => say('{0} {1}', all, one));
}

function outText(say: Say, report: OomReport): string {
  const term = brokenTerm(report);
  const { phase } = report;
  const when = phase === null ? null : said(say, PHASES[phase]);
  const owner = term === null ? null : said(say, TERMS[term]);
  if (when !== null) {
    return owner === null
      ? say('The last run of this config ran out of memory {0}', when)
      : say('The last run of this config ran out of memory {0} ({1})', when, owner);
  }
  return owner === null
    ? say('The last run of this config ran out of memory')
    : say('The last run of this config ran out of memory ({0})', owner);
}
