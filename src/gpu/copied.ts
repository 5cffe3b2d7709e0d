import { choiceText } from '../core/compare/choice';
import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/hardware/match';
import { readPasted } from './pasted';
import { presentTargets } from './present';
import { gpuTools } from './tools/registry';

/** A GPU in a copied output: a target, with the memory that was in use then, and its text as a setting. */
interface CopiedGpu {
  readonly target: Target;
  readonly value: string;
}

/** Outputs of tools are shorter; what is copied from elsewhere may have any length. */
const MOST_CHARACTERS = 200_000;

/** GPUs in the output of any tool, equal ones as one, freest first; empty if the text is no such output. */
export function copiedGpus(text: string, gpus: GpuSource): readonly CopiedGpu[] {
  if (text.length > MOST_CHARACTERS) return [];
  const pasted = readPasted(text, gpuTools, 0);
  if (pasted === null) return [];
  return presentTargets(pasted.reading, gpus).map(target => {
    const place = { id: '', kind: 'catalog', where: '', target, gpus: null, free: null, note: null } as const;
    const name = choiceText(place, gpus);
    return { target, value: (target.count ?? 1) > 1 ? `${target.count}x ${name}` : name };
  });
}
