import type { Target } from '../../hardware/gpu';
import type { RunSpec } from '../../spec/runSpec';
import { profileOf } from '../frameworks/profileOf';
import type { Bytes, HostEstimate, HostTerm } from '../estimate';
import type { MemoryRun } from '../run';
import { loadingTerms } from './loading';
import { residentTerms } from './residents';
import type { HostRun } from './residents';
import { mergingTerms, resumingTerms, savingTerms } from './files';
import { MIB } from '../../units';

/**
 * Host RAM of a run's processes on one machine, next to its GPUs; null if the model's size is unknown. `computed`:
 * the memory of a pass on the CPU; null: it runs on GPUs.
 */
export function hostOf(
  spec: RunSpec,
  run: MemoryRun,
  target: Target | null,
  computed: Bytes | null = null,
): HostEstimate | null {
  const { model } = run;
  const { lora } = run.training;
  const { replicas, sharding } = run.ranks;
  const { spread } = run.devices;
  const parameters = model.parameters?.total ?? model.publishedTotal;
  const { isPython } = profileOf(spec.framework);
  if (parameters === null || run.generation.serving !== null || spread > 1 || !isPython) return null;
  const nodes = nodesOf(spec, target);
  const ranks = Math.ceil(Math.max(replicas, sharding?.ranks ?? 1) / nodes);
  const trained = run.task === 'train' && lora === null ? parameters : 0;
  const host: HostRun = { run, spec, parameters, trained, nodes, ranks };
  const found = computed === null ? nextToGpus(host) : hostEstimateOnCpu(residentTerms(host), computed);
  return { ...found, capacityBytes: capacityOf(target) };
}

const nodesOf = ({ quantities: { nodes } }: RunSpec, target: Target | null): number =>
  Math.max(1, nodes.value ?? target?.nodes ?? 1);

/** The phase with the most host RAM. */
function nextToGpus(host: HostRun): HostEstimate {
  const stays = residentTerms(host);
  const phases: HostEstimate[] = [
    phaseOf('load', [...stays.filter(({ term }) => term === 'processes'), ...loadingTerms(host)]),
    phaseOf('training', stays),
    phaseOf('save', [...stays, ...savingTerms(host)]),
    phaseOf('resume', [...stays, ...resumingTerms(host)]),
    phaseOf('merge', [...stays, ...mergingTerms(host)]),
  ];
  const worst = phases.reduce((most, one) => (one.bytes.expected > most.bytes.expected ? one : most));
  // Uncertain terms may occur in any phase.
  const high = Math.max(...phases.map(({ bytes }) => bytes.high));
  return { ...worst, bytes: { ...worst.bytes, high } };
}

/** The whole pass, including weights, plus the processes. */
function hostEstimateOnCpu(stays: readonly HostTerm[], computed: Bytes): HostEstimate {
  const formula = 'weights and what a pass holds';
  return phaseOf('computing', [...stays, { term: 'computing on the CPU', bytes: computed, formula }]);
}

function capacityOf(target: Target | null): number | null {
  const hostMiB = target?.hostMiB ?? null;
  return hostMiB === null ? null : hostMiB * MIB;
}

function phaseOf(phase: HostEstimate['phase'], terms: readonly HostTerm[]): HostEstimate {
  const sum = (of: keyof Bytes): number => terms.reduce((all, { bytes }) => all + bytes[of], 0);
  const bytes = { low: sum('low'), expected: sum('expected'), high: sum('high') };
  return { phase, bytes, terms: terms.filter(term => term.bytes.high > 0), capacityBytes: null };
}
