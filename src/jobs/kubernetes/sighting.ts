import { isRecord, textIn, valueAt } from '../../core/text/json';
import { oneLine } from '../../remote/words';
import type { JobSighting } from '../engine';
import type { JobExit, JobState } from '../job';
import { exitOf } from '../remote/sighting';
import { phrase } from '../../core/text/say';

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Milliseconds of a time of the API; null: none. */
function timeOf(value: unknown): number | null {
  const ms = Date.parse(textIn(value) ?? '');
  return Number.isFinite(ms) ? ms : null;
}

/** A condition that holds (`Failed`), or that says why something does not (`PodScheduled`, `False`). */
const condition = (object: unknown, type: string, status = 'True'): unknown =>
  list(valueAt(object, 'status', 'conditions')).find(
    one => textIn(valueAt(one, 'type')) === type && textIn(valueAt(one, 'status')) === status,
  );

/** The newest of a Job's pods; null: there is none yet, or none any more. */
export function newestPod(answer: unknown): unknown {
  const created = (pod: unknown): number => timeOf(valueAt(pod, 'metadata', 'creationTimestamp')) ?? 0;
  return list(valueAt(answer, 'items')).toSorted((a, b) => created(b) - created(a))[0] ?? null;
}

/** What a Job and its newest pod say about a run. */
export function sightingOf(job: unknown, pod: unknown): JobSighting {
  const container = list(valueAt(pod, 'status', 'containerStatuses'))[0];
  const ended = valueAt(container, 'state', 'terminated');
  const [state, message] = stateOf(job, pod, container);
  const end = condition(job, 'Failed') ?? condition(job, 'Complete') ?? condition(job, 'Suspended');
  const node = textIn(valueAt(pod, 'spec', 'nodeName'));
  return {
    state,
    message: message === null ? null : oneLine(message),
    startedMs: timeOf(valueAt(ended, 'startedAt') ?? valueAt(container, 'state', 'running', 'startedAt')),
    endedMs: timeOf(valueAt(ended, 'finishedAt') ?? valueAt(end, 'lastTransitionTime')),
    exit: exitFrom(job, ended),
    ...(node !== null && { machines: { 0: node } }),
  };
}

function stateOf(job: unknown, pod: unknown, container: unknown): readonly [JobState, string | null] {
  if (condition(job, 'Complete')) return ['succeeded', null];
  const failed = condition(job, 'Failed');
  if (failed) return ['failed', whyFailed(textIn(valueAt(failed, 'reason')), container)];
  const phase = textIn(valueAt(pod, 'status', 'phase'));
  const runs =
    phase === 'Running' || (phase === 'Pending' && isRecord(valueAt(container, 'state', 'running')));
  if (valueAt(job, 'spec', 'suspend') === true) {
    return runs ? ['stopping', null] : condition(job, 'Suspended') ? ['stopped', null] : ['stopping', null];
  }
  // The Job's own end follows that of its pod.
  if (runs || phase === 'Succeeded' || phase === 'Failed') return ['running', null];
  return ['queued', whyWaiting(pod, container)];
}

/** Why a pod does not run yet, in Kubernetes' words. */
function whyWaiting(pod: unknown, container: unknown): string | null {
  const waiting = valueAt(container, 'state', 'waiting');
  const reason = textIn(valueAt(waiting, 'reason'));
  if (reason !== null && reason !== 'ContainerCreating' && reason !== 'PodInitializing') {
    return [reason, textIn(valueAt(waiting, 'message'))].filter(Boolean).join(': ');
  }
  return textIn(valueAt(condition(pod, 'PodScheduled', 'False'), 'message'));
}

/** An end that the command itself did not cause; null: its own end says everything. */
function whyFailed(reason: string | null, container: unknown): string | null {
  if (reason === 'DeadlineExceeded') {
    return phrase`Kubernetes stopped it at its time limit. Request more time (--time), or resume from its last checkpoint.`;
  }
  if (textIn(valueAt(container, 'state', 'terminated', 'reason')) === 'OOMKilled') {
    return phrase`Kubernetes stopped it: it used more host RAM than it may. Request more (--mem); this is not GPU memory.`;
  }
  return container === undefined ? phrase`Its pod is gone: its node failed, or someone deleted it.` : null;
}

function exitFrom(job: unknown, ended: unknown): JobExit | null {
  const code = valueAt(ended, 'exitCode');
  const isDeadline = textIn(valueAt(condition(job, 'Failed'), 'reason')) === 'DeadlineExceeded';
  if (typeof code !== 'number') return isDeadline ? { code: null, signal: null, reason: 'TIMEOUT' } : null;
  const own = textIn(valueAt(ended, 'reason'));
  const reason = own === 'Error' || own === 'Completed' ? null : own;
  return { ...exitOf(code), reason: isDeadline ? 'TIMEOUT' : reason };
}
