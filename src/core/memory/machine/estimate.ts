import type { Target } from '../../hardware/gpu';
import type { RunSpec } from '../../spec/runSpec';
import { profileOf } from '../frameworks/profileOf';
import type { Bytes, HostEstimate, HostTerm } from '../estimate';
import type { MemoryRun } from '../run';
import { residentTerms } from './residents';
import type { HostRun } from './residents';
import { mergingTerms, resumingTerms, savingTerms } from './files';
import { MIB, formatCount } from '../../units';
import { bytesPer } from '../tensor';
import { phrase } from '../../text/say';

/** The largest file of a checkpoint (transformers before 5: max_shard_size of save_pretrained). */
const SHARD = 5e9;

/**
 * Weights on their way to the device. `from_pretrained` creates them on the CPU and the trainer moves them, in
 * every process; with a device map, as for quantized models, they go there tensor by tensor. Under FSDP one process
 * has them by default (accelerate, cpu_ram_efficient_loading); under ZeRO 3 each reads file by file.
 */
function loadingTerms({ run, parameters, ranks }: HostRun): readonly HostTerm[] {
  const copy = parameters * bytesPer(run.numbers.weightDtype);
  const most = copy * ranks;
  const expected = expectedOf(run, copy, ranks);
  const formula = phrase`${formatCount(parameters)} parameters × ${bytesPer(run.numbers.weightDtype)} B, before they are on the GPU`;
  return [{ term: 'weights while loading', bytes: { low: 0, expected, high: most }, formula }];
}

function expectedOf(
  { ranks: { sharding }, numbers: { quantization }, task }: HostRun['run'],
  copy: number,
  ranks: number,
): number {
  if (quantization !== null || task !== 'train') return 0;
  if (sharding?.kind === 'fsdp') return copy;
  const isPart = sharding?.kind === 'zero' && sharding.stage === 3;
  return ranks * (isPart ? Math.min(copy, SHARD) : copy);
}

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
