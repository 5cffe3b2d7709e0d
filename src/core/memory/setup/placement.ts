import type { Target } from '../../hardware/gpu';
import type { Architecture } from '../architecture';
import { transformersOf } from '../frameworks/profileOf';
import { compareReleases } from '../../spec/version';
import { contextBytes } from '../context';
import type { Room } from '../placement/module';
import { outlineOf } from '../placement/outline';
import { placementIn } from '../placement/placement';
import type { Placement } from '../placement/module';
import { treeOf } from '../placement/tree';
import type { MemoryRun } from '../run';
import type { RunQuestions } from './questions';
import { isInference } from './task';
import { MIB } from '../../units';

/** From this release, transformers computes device maps itself; before, accelerate did. */
const OWN_CODE = '5.0.0';

/** bitsandbytes and torchao keep a tenth free (quantizers, adjust_max_memory). */
const QUANTIZED = 0.9;

/** The run with the placement of `device_map`, if there is one. */
export function placedBy(
  questions: RunQuestions,
  architecture: Architecture,
  run: MemoryRun,
  target: Target | null,
): MemoryRun {
  const placement = placementOf(questions, architecture, run, target);
  return placement === null ? run : { ...run, devices: { ...run.devices, placement } };
}

/** The placement by `device_map`; null if it has no effect because one device holds everything. */
function placementOf(
  questions: RunQuestions,
  architecture: Architecture,
  run: MemoryRun,
  target: Target | null,
): Placement | null {
  const settings = questions.detail('deviceMap');
  if (settings === null || run.ranks.sharding !== null || run.generation.serving !== null) return null;
  const found = roomsOf(questions, target);
  const given = settings.maxMemory?.map(({ device, bytes }): Room => ({ device, bytes })) ?? null;
  const rooms = given ?? found;
  // A single GPU of unknown size holds everything.
  if (rooms === null) return null;
  const pieces = outlineOf(architecture, run);
  if (!pieces.some(({ isLayer }) => isLayer)) {
    return questions.lack(`which modules of ${run.model.modelType} models stay together on a device`);
  }
  const release = transformersOf(questions.run.framework, architecture.release);
  const code = compareReleases(release, OWN_CODE) < 0 ? 'accelerate' : 'transformers';
  const filled = run.numbers.quantization === null ? 1 : QUANTIZED;
  const how = { strategy: settings.strategy, given: given !== null, code, filled } as const;
  const placement = placementIn(treeOf(pieces, run.model), rooms, how);
  return checked(questions, placement);
}

/** Free memory of each GPU and the host. */
function roomsOf(questions: RunQuestions, target: Target | null): readonly Room[] | null {
  const count = questions.value('gpus') ?? target?.count ?? 1;
  if (target === null) {
    return count > 1
      ? questions.lack('the GPUs: a device map fills them as far as they are free', { what: 'GPU' })
      : null;
  }
  const bytes = (target.usableMiB - target.busyMiB) * MIB - contextBytes(target);
  const gpus = Array.from({ length: count }, (_, device): Room => ({ device, bytes }));
  const host = target.hostMiB ?? null;
  const cpu = host === null ? Infinity : host * MIB;
  return [...gpus, { device: 'cpu', bytes: cpu }];
}

/** Offloaded layers cannot be trained. */
function checked(questions: RunQuestions, placement: Placement): Placement | null {
  const gpus = placement.devices.filter(({ device }) => typeof device === 'number');
  if (gpus.length === 0) {
    return questions.lack('a GPU: the device map puts everything on the host', { what: 'GPU' });
  }
  const offloads = gpus.length < placement.devices.length;
  if (offloads && !isInference(questions)) {
    questions.lack('more GPU memory: device_map would offload layers, and those cannot be trained');
  }
  if (offloads) questions.assume(null, 'offloaded modules come to the first GPU one at a time');
  return placement;
}
