import type { GpuSource } from './match';
import type { GpuFacts, Target } from './gpu';
import { usableMiB } from './usable';

/** The number of GPUs, even if the target's name states one. */
export interface TargetOptions {
  /** Total GPUs; wins over a count in the text; null: not stated. */
  readonly count: number | null;
  readonly nodes: number;
}

type TargetReading =
  | { readonly ok: true; readonly target: Target }
  /** `why` is a sentence that says what to write instead; `near` are similar names, `several` what an ambiguous one may mean. */
  | {
      readonly ok: false;
      readonly why: string;
      readonly near: readonly string[];
      readonly several?: readonly Target[];
    };

const MEMORY = /^(\d+(?:\.\d+)?)\s*(gi?b?|mi?b?)?$/i;
const COUNTED = /^(\d{1,5})\s*[x×*]\s*(\S.*)$/i;
const COUNTED_BEHIND = /^(.*\S)\s*:\s*(\d{1,5})$/;

const NO_GPU_NAMED = 'No GPU is named: write a name such as `RTX 4090`, or its memory such as `24GB`.';
const TOO_FEW = 'A run needs at least one GPU.';

/** Number of GPUs that a message lists. */
const MOST_NAMED = 6;

/** GPUs have between 1 GB and 4 TB of memory. */
const LEAST_MIB = 1024;
const MOST_MIB = 4 * 1024 * 1024;

/**
 * Reads a target: a GPU's name (`RTX 4090`, `a100-80gb`, `1g.10gb`) or its memory (`24GB`, `24 GiB`, `24`), each
 * with an optional count (`2x A100 80GB`, `A100-80GB:8`). Memory is binary: `24 GB` means 24 GiB, as GPU vendors
 * mean it.
 */
export function parseTarget(text: string, gpus: GpuSource, options: TargetOptions): TargetReading {
  const name = text.trim();
  if (name === '') return refuse(NO_GPU_NAMED);
  if (options.count !== null && options.count < 1) return refuse(TOO_FEW);
  const match = gpus.match(name);
  if (match.kind === 'one') return named(match.gpu, options);
  if (match.kind === 'several') return ambiguous(name, match.gpus, options);
  const memory = MEMORY.exec(name);
  if (memory) return sized(memory, options);
  const counted = splitCount(name);
  if (counted) return parseTarget(counted.name, gpus, { ...options, count: options.count ?? counted.count });
  const near = match.near.length > 0 ? ` Did you mean ${list(match.near)}?` : '';
  return refuse(
    `No GPU named “${name}” is known.${near} Its memory will do, too, such as \`24GB\`.`,
    match.near,
  );
}

/** The text that `parseTarget` reads as this kind of GPU; null: too small for `parseTarget`. */
export function targetText({ gpu, totalMiB }: Pick<Target, 'gpu' | 'totalMiB'>): string | null {
  if (gpu && gpu.memoryMiB !== null) return gpu.label;
  return totalMiB < LEAST_MIB || totalMiB > MOST_MIB ? null : `${totalMiB}MiB`;
}

/** A known GPU as a target, with the total that its tools show. */
export function plannedTarget(gpu: GpuFacts, totalMiB: number, options: TargetOptions): Target {
  return {
    name: gpu.label,
    totalMiB,
    usableMiB: usableMiB(gpu, totalMiB),
    busyMiB: 0,
    gpu,
    ...options,
    kind: 'planned',
  };
}

function splitCount(text: string): { readonly name: string; readonly count: number } | null {
  const before = COUNTED.exec(text);
  if (before) return { name: before[2] ?? '', count: Number(before[1]) };
  const behind = COUNTED_BEHIND.exec(text);
  return behind ? { name: behind[1] ?? '', count: Number(behind[2]) } : null;
}

function named(gpu: GpuFacts, options: TargetOptions): TargetReading {
  if (gpu.memoryMiB !== null) return { ok: true, target: plannedTarget(gpu, gpu.memoryMiB, options) };
  return refuse(`The memory of ${gpu.label} is not known: write the amount, such as \`24GB\`.`);
}

function sized(memory: RegExpExecArray, options: TargetOptions): TargetReading {
  const isMiB = memory[2]?.toLowerCase().startsWith('m') ?? false;
  const totalMiB = Math.round(Number(memory[1]) * (isMiB ? 1 : 1024));
  if (totalMiB < LEAST_MIB || totalMiB > MOST_MIB) {
    return refuse(`A GPU with ${memory[0]} of memory is not known: write gigabytes, such as \`24GB\`.`);
  }
  const name = `${Number((totalMiB / 1024).toFixed(2))} GB`;
  const usable = usableMiB(null, totalMiB);
  const target: Target = {
    name,
    totalMiB,
    usableMiB: usable,
    busyMiB: 0,
    gpu: null,
    ...options,
    kind: 'planned',
  };
  return { ok: true, target };
}

function ambiguous(name: string, gpus: readonly GpuFacts[], options: TargetOptions): TargetReading {
  const labels = gpus.map(gpu => gpu.label);
  const several = gpus.flatMap(gpu =>
    gpu.memoryMiB === null ? [] : [plannedTarget(gpu, gpu.memoryMiB, options)],
  );
  const why = `“${name}” may be ${list(labels.slice(0, MOST_NAMED))}: name the one you mean.`;
  return { ok: false, why, near: labels, several };
}

function list(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
}

function refuse(why: string, near: readonly string[] = []): TargetReading {
  return { ok: false, why, near };
}
