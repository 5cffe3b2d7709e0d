import { counted, formatCount } from '../../units';
import type { HostTerm } from '../estimate';
import { bytesPer } from '../tensor';
import type { MemoryRun } from '../run';
import type { RunSpec } from '../../spec/runSpec';
import { MIB } from '../../units';
import { engineBeside } from '../whileWriting';
import { phrase } from '../../text/say';

/** The inputs for the host's terms. */
export interface HostRun {
  readonly run: MemoryRun;
  readonly spec: RunSpec;
  /** Parameters of the model, and the trained ones among them. */
  readonly parameters: number;
  readonly trained: number;
  readonly nodes: number;
  /** Number of processes on one machine. */
  readonly ranks: number;
}
/**
 * A process with torch, transformers and peft, without a GPU: 755 MiB resident (torch 2.15, transformers 5.23,
 * Linux). CUDA's libraries and context come on top; not measured here.
 */
const PROCESS = { low: 700 * MIB, expected: 755 * MIB, high: 4 * 755 * MIB };

/** Memory on the host during the whole training. */
export function residentTerms(host: HostRun): readonly HostTerm[] {
  return [
    processes(host),
    ...zero(host),
    ...fsdp(host),
    ...offloadedBy(host),
    ...sleepingEngine(host),
    ...paged(host),
    ...batches(host),
  ];
}

function processes({ ranks }: HostRun): HostTerm {
  const { low, expected, high } = PROCESS;
  const bytes = { low: low * ranks, expected: expected * ranks, high: high * ranks };
  return { term: 'processes', bytes, formula: `${ranks} × Python with torch and transformers` };
}

/**
 * DeepSpeed's own estimators (0.19, runtime/zero/stage_1_and_2.py and stage3.py,
 * estimate_zero2/3_model_states_mem_needs): 16 bytes per parameter for fp32 masters, states and gradients, 18 with
 * the 16-bit parameters; half as much again for buffers. CPU Adam itself holds 12 (arXiv 2101.06840). Excludes what
 * is on NVMe.
 */
const ZERO = { least: 12, expected: 16, parameters: 2, buffers: 1.5 };

function zero({ run, spec, parameters, trained, nodes }: HostRun): readonly HostTerm[] {
  const { sharding } = run.ranks;
  if (sharding?.kind !== 'zero') return [];
  const { value } = spec.quantities.offload;
  const states = sharding.offloadsOptimizer && value?.optimizer !== 'nvme' ? trained : 0;
  const weights = sharding.offloadsParameters && value?.param !== 'nvme' ? parameters : 0;
  if (states + weights === 0) return [];
  const own = (weights * ZERO.parameters) / nodes;
  const expected = (states * ZERO.expected) / nodes + own;
  const bytes = { low: (states * ZERO.least) / nodes + own, expected, high: expected * ZERO.buffers };
  const parts = [
    states > 0 && phrase`${formatCount(states)} × 16 B of states`,
    weights > 0 && `${formatCount(weights)} × 2 B of parameters`,
  ];
  const formula = `${parts.filter(part => part !== false).join(' + ')}${nodes > 1 ? `, on ${nodes} machines` : ''}`;
  return [{ term: 'offloaded', bytes, formula }];
}

/** CPUOffload of FSDP keeps shards, their gradients, and the optimizer's states on the CPU (torch 2.15). */
function fsdp({ run, parameters, trained, nodes }: HostRun): readonly HostTerm[] {
  const { sharding } = run.ranks;
  if (sharding?.kind !== 'fsdp' || !sharding.offload) return [];
  const frozen = parameters - trained;
  const held =
    trained > 0 && sharding.compute !== null ? bytesPer('fp32') : bytesPer(run.numbers.weightDtype);
  const bytes = (trained * held * 4 + frozen * bytesPer(run.numbers.weightDtype)) / nodes;
  const formula =
    trained > 0
      ? phrase`${formatCount(parameters)} parameters in parts, gradients and two states each`
      : phrase`${formatCount(parameters)} parameters in parts`;
  return [{ term: 'offloaded', bytes: { low: bytes * 0.95, expected: bytes, high: bytes * 1.2 }, formula }];
}

/** Modules that a device map puts on the host; those on the disk are read when needed. */
function offloadedBy({ run }: HostRun): readonly HostTerm[] {
  const here = run.devices.placement?.devices.find(({ device }) => device === 'cpu');
  if (!here) return [];
  const bytes = { low: here.bytes, expected: here.bytes, high: here.bytes * 1.2 };
  return [{ term: 'offloaded', bytes, formula: `by the device map: ${here.modules.join(', ')}` }];
}

/** At sleep level 1 the engine next to training keeps its weights on the host (vllm, device_allocator/cumem.py). */
function sleepingEngine({ run, parameters, ranks }: HostRun): readonly HostTerm[] {
  const engine = engineBeside(run);
  if (engine?.sleeps !== true || engine.settings?.sleepLevel !== 1) return [];
  const bytes = (parameters * bytesPer('bf16') * ranks) / (engine.settings.tensor ?? 1);
  const formula = phrase`${formatCount(parameters)} × 2 B of weights of the engine that sleeps, on ${counted(ranks, 'GPU')}`;
  return [{ term: 'sleeping engine', bytes: { low: bytes, expected: bytes, high: bytes * 1.2 }, formula }];
}

/** Unified memory is on the device while there is room. */
function paged({ run, trained, ranks }: HostRun): readonly HostTerm[] {
  const names = run.training.optimizer?.names ?? [];
  if (!names.some(name => name.startsWith('paged'))) return [];
  const each = names.some(name => name.includes('8bit')) ? 2 : 2 * bytesPer('fp32');
  const bytes = { low: 0, expected: 0, high: trained * each * ranks };
  return [{ term: 'paged optimizer states', bytes, formula: 'as much as the device pushes out' }];
}

/** Two batches per worker (torch.utils.data.DataLoader, prefetch_factor). */
const PREFETCHED = 2;

function batches({ run, spec, ranks }: HostRun): readonly HostTerm[] {
  const workers = spec.quantities.numWorkers.value ?? 0;
  if (workers === 0 || run.task !== 'train') return [];
  const { image, rows: batch, tokens } = run.batch;
  const row = image
    ? image.channels * image.height * image.width * bytesPer('fp32')
    : tokens * 3 * bytesPer('int64');
  const expected = ranks * workers * PREFETCHED * batch * row;
  const formula = phrase`${counted(ranks * workers, 'worker')} × ${PREFETCHED} batches, without the workers' own objects`;
  return [{ term: 'prefetched batches', bytes: { low: 0, expected, high: 2 * expected }, formula }];
}
