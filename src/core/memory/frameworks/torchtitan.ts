import type { Framework } from '../../spec/runSpec';
import { compareReleases } from '../../spec/version';
import type { Behavior, LossCode } from './behavior/behavior';
import type { CodeSettings, FrameworkProfile } from './profile';
import { usual } from './profile';

/*
 * torchtitan's own model code and trainer, by month of its main branch (`2025.03`), read at these commits. Its
 * Llama and Qwen 3 keep the same tensors as transformers', with the exceptions below.
 */

/** Release 0.2.2, the newest published one. */
const NEWEST = '2026.02';

/** train.py, "compiling loss function causes CUDA errors, turning off for now" until build_cross_entropy_loss (859). */
const COMPILED_LOSS = '2025.02';
/** components/loss.py, ChunkedCELoss in the configs' own settings (2937). */
const CHUNKED_LOSS = '2026.04';
/** `pred.flatten(0, 1).float()`; before, the model itself returned `self.output(h).float()`. */
const LOSS_WIDENS = '2024.11';
/** models/…/model.py, `repeat_kv` until "GQA without kv repeats" (2259). */
const SHARED_KEY_HEADS = '2026.01';
/** run_llama_train.sh, PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True. */
const EXPANDABLE = '2024.11';
/** nn.RMSNorm, whose fused kernel came with torch 2.9. */
const FUSED_NORM = '2025.10';

/** `optimizer.implementation = fused` (881). */
const FUSED_OPTIMIZER = '2025.02';

const AS_ADAMW: ReadonlySet<string> = new Set(['adamw_torch', 'adamw', 'adam']);

/** Number of token chunks in ChunkedCELoss (num_chunks). */
const LOSS_PARTS = 8;

/** Families whose torchtitan code was read. */
const FAMILIES: ReadonlySet<string> = new Set(['llama', 'qwen3']);

/** The newest release by default. */
const releaseOf = ({ version }: Framework): string => version ?? NEWEST;

const isSince = (framework: Framework, release: string): boolean =>
  compareReleases(releaseOf(framework), release) >= 0;

/** Loss parallelism is on whenever there is tensor parallelism (apply_tp, enable_loss_parallel). */
const BY_RANKS: LossCode = {
  kind: 'cross-entropy',
  shift: 'labels',
  upcast: 'in the loss',
  kernel: 'torch, by ranks',
};

function ownBehavior(
  { framework, loss: stated, compiles, cutsWords }: CodeSettings,
  { kernels }: Behavior,
): Partial<Behavior> {
  const since = (release: string): boolean => isSince(framework, release);
  return {
    loss: lossOf({ stated, cutsWords, compiled: compiles && since(COMPILED_LOSS), since }),
    expandableSegments: since(EXPANDABLE),
    // torch.compile fuses each run of pointwise operations into one kernel.
    kernels: { ...kernels, rmsNorm: compiles || since(FUSED_NORM), rotary: compiles, gatedMlp: compiles },
    repeatsKeyHeads: !compiles && !since(SHARED_KEY_HEADS),
    copiesAttentionInputs: false,
    reentrant: false,
    compiles,
    // models/llama3/infra/parallelize.py, apply_fsdp and apply_tp.
    fsdp: { version: 2, reduce: 'fp32' },
    sequenceParallel: true,
  };
}

interface LossOf {
  readonly stated: string | null;
  readonly cutsWords: boolean;
  readonly compiled: boolean;
  readonly since: (release: string) => boolean;
}

function lossOf({ stated, cutsWords, compiled, since }: LossOf): LossCode {
  const plain = { kind: 'cross-entropy', shift: 'labels' } as const;
  if (compiled) return { ...plain, upcast: 'never', kernel: 'compiled' };
  const chunked = stated === 'chunked' || (stated === null && since(CHUNKED_LOSS));
  if (chunked && since(CHUNKED_LOSS)) return { kind: 'chunked', parts: LOSS_PARTS };
  if (cutsWords) return BY_RANKS;
  // chunked_cross_entropy_loss (996): `pred.chunk(8)`, losses of chunks of the full logits.
  if (chunked) return { ...plain, upcast: 'never', kernel: 'torch, in parts' };
  return { ...plain, upcast: since(LOSS_WIDENS) ? 'in the loss' : 'in forward', kernel: 'torch' };
}

export const torchtitan: FrameworkProfile<'torchtitan'> = {
  ...usual,
  id: 'torchtitan',
  makers: ['NVIDIA', 'AMD'],
  families: FAMILIES,
  // config/job_config.py: `training.dtype` is float32.
  weights: 'fp32',
  // torchao's float8 layers keep their inputs and weights in 16 bits (float8_linear.py, matmul_with_hp_or_float8_args).
  fp8: 'keeps 16 bits',
  tensorParallel: 'heads and words',
  // One micro-batch of a local batch per rank; reshard_after_forward is off (apply_fsdp).
  pipelineDividesBatch: true,
  optimizer: (name, framework) => ({
    name: AS_ADAMW.has(name) && isSince(framework, FUSED_OPTIMIZER) ? 'adamw_torch_fused' : name,
  }),
  behavior: ownBehavior,
};
