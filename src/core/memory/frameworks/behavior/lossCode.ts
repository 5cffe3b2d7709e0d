import type { Framework } from '../../../spec/runSpec';
import { compareReleases, inRelease, isBefore, releaseOf } from '../../../spec/version';
import { profileOf } from '../profileOf';
import type { LossCode } from './behavior';
import type { Release } from '../../../spec/version';

type Shift = Pick<Extract<LossCode, { kind: 'cross-entropy' }>, 'upcast' | 'shift'>;

/** transformers, loss/loss_utils.py (since 4.46; models adopted it until 4.48) and modeling_*.py, from wheels. */
const SHIFTS: readonly [Release<Shift>, ...Release<Shift>[]] = [
  { since: '4.49', value: { upcast: 'in the loss', shift: 'labels' } },
  { since: '4.46', value: { upcast: 'in the loss', shift: 'copies' } },
  { since: '0', value: { upcast: 'in forward', shift: 'copies' } },
];

/** Families with the loss in their own forward until this release. */
const OWN_LOSS_UNTIL: Readonly<Record<string, string>> = {
  mistral: '4.48',
  granite: '4.48',
  granitemoe: '4.49',
  gptj: '4.49',
  gpt_neo: '4.49',
};

/**
 * trl 0.29 to 1.13, dpo_trainer.py, _compute_loss, entropy_from_logits (from wheels; 1.14 takes entropies from the
 * scores' own function). Not counted: before 1.6, logits without their last token were a copy.
 */
export const SCORES_AND_ENTROPIES: LossCode = {
  kind: 'log-probabilities',
  selective: true,
  logsEntropies: true,
};

const logsEntropies = (trl: string): boolean =>
  compareReleases(trl, '0.29') >= 0 && compareReleases(trl, '1.14') < 0;

/** trl: selective_log_softmax since 0.15, tiles of logits since 1.15 (dpo_trainer.py of these wheels). */
export function preferenceOf(framework: Framework, task: string | null): LossCode {
  const { pairLoss, pairTrl } = profileOf(framework);
  if (pairLoss !== null) return pairLoss;
  const trl = releaseOf(framework, 'trl') ?? pairTrl;
  if (trl === null) return { kind: 'log-probabilities', selective: true };
  if (compareReleases(trl, '1.15') >= 0) return { kind: 'policy', logits: 'tiles' };
  if ((task === 'dpo' || task === 'ipo') && logsEntropies(trl)) return SCORES_AND_ENTROPIES;
  return { kind: 'log-probabilities', selective: compareReleases(trl, '0.15') >= 0 };
}

/** trl, grpo_trainer.py, _get_per_token_logps_and_entropies, from wheels. */
const POLICY: readonly [Release<PolicyLogits>, ...Release<PolicyLogits>[]] = [
  { since: '1.15', value: 'tiles' },
  { since: '1.13', value: 'copies' },
  { since: '1.0', value: 'in place' },
  { since: '0', value: 'copies' },
];

type PolicyLogits = Extract<LossCode, { kind: 'policy' }>['logits'];

/** Liger's loss also works in parts (liger_kernel/chunked_loss/grpo_loss.py). */
export function policyOf(framework: Framework, word: string | null): LossCode {
  const trl = releaseOf(framework, 'trl');
  const isTiled = trl === null || word === 'liger';
  return { kind: 'policy', logits: isTiled ? 'tiles' : inRelease(POLICY, trl) };
}

/**
 * Losses of tasks whose trainers have their own code in every release: PPO divides logits by the temperature in
 * place (trl 0.12, ppo_trainer.py; before, and in LLaMA-Factory, log-probabilities and entropies come from copies),
 * online DPO takes the log-softmax over the vocabulary (trl 1.16, online_dpo_trainer.py, _forward). Null: the task
 * has none.
 */
export function taskLossOf(framework: Framework, task: string | null): LossCode | null {
  if (task === 'gkd') return { kind: 'distillation' };
  if (task === 'ppo') return { kind: 'policy', logits: profileOf(framework).ppoLogits };
  return task === 'online_dpo' ? { kind: 'log-probabilities', selective: false } : null;
}

/** trl 1.13, sft_trainer.py, _CHUNKED_LM_HEAD_CHUNK_SIZE. */
const CHUNK_TOKENS = 256;

/** torchtune, modules/loss: `num_output_chunks` is 8 (ce_chunked_output_loss.py of 0.3.1, cross_entropy_loss.py of 0.6). */
const OUTPUT_PARTS = 8;

/** Loss names, given how the release shifts labels; all other names mean torch's cross entropy. */
const LOSSES: Readonly<Record<string, (shift: Shift) => LossCode>> = {
  liger: () => ({ kind: 'fused linear', upcast: false }),
  cut_cross_entropy: () => ({ kind: 'cut' }),
  chunked_nll: () => ({ kind: 'chunked', tokens: CHUNK_TOKENS }),
  chunked: () => ({ kind: 'chunked', tokens: CHUNK_TOKENS }),
  chunked_output: () => ({ kind: 'in parts', made: 'before', parts: OUTPUT_PARTS, compiled: false }),
  linear_cross_entropy: () => ({ kind: 'in parts', made: 'within', parts: OUTPUT_PARTS, compiled: false }),
  // Lightning Fabric's modules return fp32 (fabric/wrappers.py, convert_output); chunked_cross_entropy copies nothing. So
  // do torchtune's models, and its recipes since 0.3 copy nothing either.
  'whole-fp32': () => ({ kind: 'cross-entropy', upcast: 'in forward', shift: 'labels', kernel: 'torch' }),
  // recipes/lora_finetune_single_device.py: `logits.transpose(1, 2)`, which log_softmax copies.
  'shifted-fp32': () => ({
    kind: 'cross-entropy',
    upcast: 'in forward',
    shift: 'copies',
    kernel: 'torch, by column',
  }),
  liger_cross_entropy: shift => ({ kind: 'cross-entropy', ...shift, kernel: 'in place forwards' }),
  // Megatron's two fused losses (`--cross-entropy-fusion-impl`).
  native_cross_entropy: shift => ({ kind: 'cross-entropy', ...shift, kernel: 'compiled' }),
  te_cross_entropy: shift => ({ kind: 'cross-entropy', ...shift, kernel: 'in place forwards' }),
  unsloth_cross_entropy: shift => ({ kind: 'cross-entropy', ...shift, kernel: 'in place backwards' }),
};

/**
 * The same loss under torch.compile: the logits stay as the product made them and are widened in the kernels that need
 * them; log-probabilities are not kept (torch, _functorch/partitioners.py: pointwise operations and reductions that fuse
 * are made again in backward, matrix products are not).
 */
export function compiledLoss(code: LossCode): LossCode {
  if (code.kind === 'in parts') return { ...code, compiled: true };
  if (code.kind !== 'cross-entropy' || !code.kernel.startsWith('torch')) return code;
  return { kind: 'cross-entropy', upcast: 'never', shift: 'labels', kernel: 'compiled' };
}

/** The known loss names. */
export const lossWords: readonly string[] = Object.keys(LOSSES);

export function lossOf(word: string, transformers: string, modelType: string): LossCode {
  const shift = shiftOf(transformers, modelType);
  const made = Object.hasOwn(LOSSES, word) ? LOSSES[word] : undefined;
  return made?.(shift) ?? { kind: 'cross-entropy', ...shift, kernel: 'torch' };
}

/** Families whose own code does not upcast logits (Qwen's modeling_qwen.py). */
const NARROW_LOGITS: ReadonlySet<string> = new Set(['qwen']);

/** Families whose forward in transformers did not either, until they adopted the common loss. */
const NARROW_LOGITS_UNTIL: Readonly<Record<string, string>> = {
  bloom: '4.49',
  falcon: '4.49',
  gpt2: '4.49',
  gpt_bigcode: '4.49',
  gpt_neox: '4.49',
  mpt: '4.49',
  opt: '4.49',
};

function shiftOf(transformers: string, modelType: string): Shift {
  const narrow = NARROW_LOGITS.has(modelType) || isBefore(NARROW_LOGITS_UNTIL[modelType], transformers);
  if (narrow) return { upcast: 'never', shift: 'copies' };
  return inRelease(SHIFTS, isBefore(OWN_LOSS_UNTIL[modelType], transformers) ? '0' : transformers);
}
