import { nodeAt, rootOf } from './command/nodes';
import { builtIn, isArgv } from './defined/compile';
import file from './megatronLm.yaml';
import type { Dialect } from './dialect';
import { alone } from './engine/compose';
import type { Composition, Layer } from './engine/compose';
import { layerOf } from './engine/settings';

/** The section of a file whose keys are the flags of the program. */
const ARGUMENTS = 'MODEL_ARGS';

/** `--micro-batch-size` as a command's flag is read: `micro_batch_size`. */
const keyOf = (flag: string): string => flag.replace(/^--/, '').replaceAll('-', '_');

/** The flags of a file, as those of the command that its launcher makes of them. */
function argumentRun(opened: Layer): Promise<readonly Composition[]> {
  const section = nodeAt(rootOf(opened), ARGUMENTS);
  if (section?.kind !== 'map' || section.entries.length === 0) return Promise.resolve([alone(opened)]);
  const entries = section.entries.map(entry => ({
    ...entry,
    key: keyOf(entry.key),
    from: [ARGUMENTS, entry.key],
  }));
  return Promise.resolve([{ name: '', layers: [layerOf(opened, { ...section, entries }, null)] }]);
}

/** Megatron-LM's arguments: of a command, or of a file in the form of Megatron's own tests. */
export const megatronLm: Dialect = builtIn(file, {
  accepts: root => isArgv(root) || root.entries.some(({ key }) => key === ARGUMENTS),
  compose: argumentRun,
});
