import type { Framework } from '../../../spec/runSpec';
import type { Behavior } from './behavior';

/** Megatron-LM, and NeMo's recipes on its core. */
const NAMES: ReadonlySet<string> = new Set(['megatron-lm', 'megatron-bridge', 'nemo-megatron']);

export const isMegatron = ({ name }: Framework): boolean => NAMES.has(name);

/**
 * What of a behavior is Megatron's own; `sequenceParallel`: what the config says. Megatron-Bridge's recipes set it wherever
 * there is tensor parallelism.
 */
export const megatronBehavior = (
  { name }: Framework,
  sequenceParallel: boolean | null,
): Pick<Behavior, 'reentrant' | 'sequenceParallel' | 'copiesAttentionInputs'> => ({
  // tensor_parallel/random.py, CheckpointFunction.
  reentrant: true,
  sequenceParallel: sequenceParallel ?? name === 'megatron-bridge',
  copiesAttentionInputs: false,
});
