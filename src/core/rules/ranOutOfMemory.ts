import { brokenTerm, KEYS_OF_SIDE, KEYS_OF_TERM, provenNeedBytes, sideOf } from '../output/oom/blame';
import type { OomReport } from '../output/oom/report';
import { oomText } from '../output/oom/sentence';
import type { Report, Rule, RuleContext, SuggestedRemedy } from './rule';
import { MIB } from '../units';

/** A failed run is better evidence than an estimate: reported at the key that decides the term that ran out. */
export const ranOutOfMemory: Rule = {
  id: 'ran-out-of-memory',
  severity: 'error',
  summary: 'The last run of this config ran out of memory.',
  sources: ['the output of the job (docs/output.md)'],
  check(context) {
    const report = context.failure;
    return report ? [reportOf(context, report)] : [];
  },
};

function reportOf(context: RuleContext, report: OomReport): Report {
  const side = sideOf(report.kind);
  const message = oomText(report, context.say);
  if (side === 'host') return { at: KEYS_OF_SIDE.host, message, remedies: fewerWorkers(context) };
  if (side === 'disk') return { at: KEYS_OF_SIDE.disk, message };
  // Other processes hold the memory, or it is fragmented; a smaller run can still fit.
  const at = side === 'gpu' ? keysOf(context, report) : KEYS_OF_SIDE[side];
  const roomMiB = roomOf(context, report);
  return { at, message, plan: 'fit', ...(roomMiB !== null && { roomMiB }) };
}

/** The keys of the term that ran out; if unknown, those of the estimate's largest term. */
function keysOf({ estimate }: RuleContext, report: OomReport): readonly string[] {
  const term = brokenTerm(report);
  if (term !== null) return KEYS_OF_TERM[term];
  const largest = estimate?.devices[0]?.terms.toSorted((a, b) => b.bytes - a.bytes)[0];
  const from = largest?.from.map(name => `quantity:${name}`) ?? [];
  return [...from, 'quantity:microBatchSize', 'quantity:model'];
}

/**
 * Share of the GPU that a plan may take by the estimate, so that it fits by the run's measured need: if the run
 * needed a tenth more than estimated, estimates have a tenth less room.
 */
function roomOf({ estimate, target }: RuleContext, report: OomReport): number | null {
  const expected = estimate?.devices[0]?.device.expected ?? null;
  const proven = provenNeedBytes(report);
  if (target === null || expected === null) return null;
  const capacity = (report.numbers.capacityBytes ?? target.totalMiB * MIB) / MIB;
  const usable = Math.min(target.usableMiB, capacity);
  return proven === null || proven <= expected ? null : usable * (expected / proven);
}

function fewerWorkers({ run, say }: RuleContext): readonly SuggestedRemedy[] {
  const now = run.quantities.numWorkers.value;
  if (now === null || now < 2) return [];
  const to = Math.floor(now / 2);
  return [{ title: say('Use fewer workers'), changes: [{ quantity: 'numWorkers', to }] }];
}
