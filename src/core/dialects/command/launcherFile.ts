import type { Launched } from '../../spec/runSpec';
import type { Composition, Layer, NearbyFiles, Setting } from '../engine/compose';
import { launcherFile } from './arguments';
import { configAt } from './configList';
import { CUDA, rootOf, statedAt, textAt } from './nodes';
import type { Command } from './word';
import { wordOf } from './tree';

/** How a launcher's own file shares a run, accelerate's: nothing without one. */
export async function sharedBy(
  command: Command,
  opened: Layer,
  files: NearbyFiles,
): Promise<Pick<Composition, 'launched' | 'isShared'>> {
  const setting = launcherFile(command);
  return setting ? { launched: await launchedByFile(setting, opened, files), isShared: true } : {};
}

/** GPUs and machines of such a file. */
async function launchedByFile(setting: Setting, opened: Layer, files: NearbyFiles): Promise<Launched> {
  const file = await configAt(wordOf(setting.value), opened.path, files);
  const count = (key: string): number => Number(file ? textAt(rootOf(file), key) : Number.NaN);
  const [processes, machines] = [count('num_processes'), count('num_machines') || 1];
  if (!file || !Number.isInteger(processes / machines) || processes < 1) return {};
  return {
    accelerator: CUDA,
    devices: statedAt(file, ['num_processes'], processes / machines),
    nodes: { ...statedAt(file, ['num_machines'], machines), unit: 'nodes' },
  };
}
