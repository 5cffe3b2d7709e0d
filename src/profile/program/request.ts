import type { Target } from '../../core/hardware/gpu';
import { MIB } from '../../core/units';
import type { ModelTable } from './models';

/** The GPU that the program is told of. */
interface ToldGpu {
  readonly name: string;
  readonly bytes: number;
  readonly capability: readonly [number, number];
}

/** A program to run dry: its own command, in its own folder. */
export interface ProgramCommand {
  /** Program and arguments, without a shell. */
  readonly command: readonly string[];
  /** The folder that it starts in, a native path. */
  readonly folder: string;
  /** Number of GPUs; null: as the command says, otherwise one. */
  readonly gpus: number | null;
  readonly gpu: ToldGpu;
  /** Optimizer steps after which it is ended. */
  readonly steps: number;
  readonly seconds: number;
  /** For models whose config.json is not on this machine; null: none are known. */
  readonly models: ModelTable | null;
}

/** Without a target: a card that every program accepts. Memory hardly depends on it, and no verdict is given. */
const UNNAMED: ToldGpu = { name: 'NVIDIA A100-SXM4-80GB', bytes: 81_152 * MIB, capability: [8, 0] };

/** The target as torch.cuda would describe it. */
export function toldGpu(target: Target | null): ToldGpu {
  if (target === null) return UNNAMED;
  const [major = 8, minor = 0] = (target.gpu?.computeCapability ?? '8.0').split('.').map(Number);
  return {
    name: target.gpu?.name ?? target.name,
    bytes: target.totalMiB * MIB,
    capability: [major, minor],
  };
}

/** The request to `src/python`, but for the places of the machine that runs it. */
export const programRequest = (program: Omit<ProgramCommand, 'folder'>): object => ({
  protocol: 1,
  task: 'program',
  ...program,
});
