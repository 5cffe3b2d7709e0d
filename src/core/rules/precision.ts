import type { Quantity } from '../spec/quantity';
import type { RunSpec } from '../spec/runSpec';
import { scalarsOf } from '../spec/scalarKeys';
import { formatBytes } from '../units';
import { hasFsdp } from './fsdp';
import { isOff, textOf } from './raw';
import { AXOLOTL, TRAINING_ARGUMENTS, TRL } from './rule';
import type { Rule, RuleContext } from './rule';
import { change, equals, exactly, from, not, off, on, quoted, setKey, stated, when } from './when';
import type { Say } from '../text/say';

export const fp16AndBf16: Rule = {
  id: 'fp16-and-bf16',
  severity: 'error',
  summary: 'Both fp16 and bf16 are on.',
  sources: [
    'transformers 4.40–5.18 training_args.py: “At most one of fp16 and bf16 can be True, but not both”',
  ],
  dialects: TRAINING_ARGUMENTS,
  check: when([exactly('fp16', true), exactly('bf16', true)], (quote, { say }) => ({
    at: ['fp16'],
    message: say(
      'TrainingArguments reject {0} together with {1}. Keep one; bf16 where the GPU has it.',
      quote('fp16'),
      quote('bf16'),
    ),
    remedies: [setKey('fp16', false), setKey('bf16', false)],
  })),
};

export const fp16Ignored: Rule = {
  id: 'fp16-ignored',
  severity: 'warning',
  summary: 'Axolotl ignores fp16 because bf16 is on.',
  sources: ['axolotl 0.18 utils/config/__init__.py resolve_dtype: if cfg.bf16: cfg.fp16 = False'],
  dialects: AXOLOTL,
  check: when([exactly('fp16', true), exactly('bf16', true)], (quote, { say }) => ({
    at: ['fp16'],
    message: say(
      'Axolotl ignores {0} because {1} wins. Keep the one you mean.',
      quote('fp16'),
      quote('bf16'),
    ),
    remedies: [setKey('fp16', false), setKey('bf16', false)],
  })),
};

export const deepspeedTwoPrecisions: Rule = {
  id: 'deepspeed-two-precisions',
  severity: 'error',
  summary: 'Both fp16 and bf16 are enabled.',
  sources: [
    'deepspeed 0.19 runtime/config.py L511: bfloat16 and fp16 modes cannot be simultaneously enabled',
  ],
  dialects: ['deepspeed'],
  check: when([exactly('fp16.enabled', true), exactly('bf16.enabled', true)], (_, { say }) => ({
    at: ['fp16.enabled'],
    message: say('DeepSpeed rejects fp16 and bf16 together. Enable one, or write "auto" in both.'),
  })),
};

export const bf16Unsupported: Rule = {
  id: 'bf16-unsupported',
  severity: 'warning',
  summary: 'The chosen GPU has no bfloat16 units.',
  sources: [
    "transformers 5.18 training_args.py _validate_args: “Your setup doesn't support bf16/gpu. You need Ampere+ GPU”",
    'torch.cuda.is_bf16_supported(including_emulation=True)',
  ],
  check(context) {
    const { run, target } = context;
    const { precision, precisionRaw } = run.quantities;
    if (target?.gpu?.supports.bf16 !== false || !isWritten(precision)) return [];
    // `auto` checks the GPU and falls back to fp16.
    if (!precision.value?.startsWith('bf16') || textOf(context, 'bf16') === 'auto') return [];
    if (asksGpu(run)) return [];
    const what = precisionRaw.value === null ? 'bfloat16' : quoted(context, 'bf16');
    const message = context.say(
      '{0} has no bfloat16 units: with {1} training stops or is slow. Older PyTorch releases refuse to start, newer ones emulate it. Train in fp16 there, or choose a GPU that has them (NVIDIA: Ampere and newer).',
      target.gpu.label,
      what,
    );
    return [{ at: ['quantity:precision'], message }];
  },
};

/** A program that chooses by the GPU trains in fp16 on one without bf16. */
const asksGpu = ({ sources: [config] }: RunSpec): boolean =>
  /is_(?:bf|bfloat)16_supported|is_torch_bf16|get_device_capability/.test(config?.yaml.text ?? '');

function isWritten({ origin }: Quantity<unknown>): boolean {
  return origin.kind === 'file' || origin.kind === 'referenced';
}

/** Ampere. */
const LEAST = 8;

const NAMES: ReadonlySet<string> = new Set(['tf32', 'allow_tf32', 'enable_tf32']);

export const tf32Unsupported: Rule = {
  id: 'tf32-unsupported',
  severity: 'warning',
  summary: 'TF32 is enabled on a GPU without it.',
  sources: [
    'transformers training_args.py _validate_args: “--tf32 requires Ampere or a newer GPU arch, cuda>=11 and torch>=1.7”',
    'PyTorch docs, "CUDA semantics": TensorFloat-32 on Ampere (and later) CUDA devices',
  ],
  check({ run, target, say }) {
    const gpu = target?.gpu;
    const capability = Number(gpu?.vendor === 'NVIDIA' ? (gpu.computeCapability ?? NaN) : NaN);
    if (!gpu || !(capability < LEAST)) return [];
    return scalarsOf(run)
      .filter(({ name, value }) => NAMES.has(name) && value === true)
      .map(({ path }) => ({
        at: [path],
        message: say(
          '{0} has no TF32: its compute capability is {1}, and TF32 needs 8.0 (Ampere). With `{2}: true` transformers’ Trainer stops, and elsewhere it changes nothing. Set it to false, and train in fp16 for speed.',
          gpu.label,
          gpu.computeCapability ?? '',
          path,
        ),
        remedies: [setKey(path, false)],
      }));
  },
};

export const pureBf16: Rule = {
  id: 'pure-bf16',
  severity: 'hint',
  summary: 'Full fine-tuning in bf16 without sharding keeps no fp32 copy of the weights.',
  sources: [
    'axolotl 0.18 utils/config/__init__.py L191, loaders/model.py L606: weights are loaded in torch_dtype',
    'memory formulas §3: 10 bytes per parameter at the peak, measured',
  ],
  dialects: AXOLOTL,
  check: when(
    [equals('method', 'full'), equals('loadDtype', 'bf16'), off('deepspeed'), unsharded],
    (_, { run, say }) => ({
      at: ['bf16', 'bfloat16', 'base_model'],
      message: hasTorchStates(run)
        ? say(
            "Small updates are lost: full fine-tuning here keeps no fp32 copy of the weights. Weights and gradients and AdamW’s states, about 8 bytes a parameter, are held in bf16, so updates smaller than a weight's last bit vanish. DeepSpeed or FSDP with mixed precision keeps that copy.",
          )
        : say(
            "Small updates are lost: full fine-tuning here keeps no fp32 copy of the weights. Weights and gradients are held in bf16, so updates smaller than a weight's last bit vanish. DeepSpeed or FSDP with mixed precision keeps that copy.",
          ),
    }),
  ),
};

/** Torch's AdamW uses the parameters' dtype; bitsandbytes has 8- or 32-bit states. */
const hasTorchStates = ({ quantities: { optimizer } }: RunSpec): boolean =>
  /^adamw_torch(?:_fused)?$/.test(optimizer.value ?? '');

function unsharded(context: RuleContext): boolean {
  return !hasFsdp(context) && isOff(context, 'fsdp_config');
}

export const fp32Weights: Rule = {
  id: 'fp32-weights',
  severity: 'hint',
  summary: 'No dtype is set: the weights are held in fp32 although training computes in 16 bits.',
  sources: [
    'trl 0.27 trainer/model_config.py: dtype “float32” by default',
    'transformers 4 modeling_utils.py from_pretrained: float32 unless a dtype is given',
  ],
  dialects: TRAINING_ARGUMENTS,
  check: when(
    [
      exactly('bf16', true),
      equals('loadDtype', 'fp32'),
      from('loadDtype', 'default'),
      not(stated('dtype')),
      not(stated('torch_dtype')),
      unquantized,
    ],
    (quote, { model, run, say }) => {
      const total = model?.parameters?.total ?? null;
      const loaded =
        total === null
          ? say('4 bytes per parameter')
          : say('{0} instead of {1}', formatBytes(4 * total), formatBytes(2 * total));
      const message =
        run.quantities.method.value === 'lora'
          ? frozenText(say, quote('bf16'), total === null ? null : loaded)
          : say(
              '{0} leaves the weights in fp32, as no dtype is set. They take {1}; gradients and optimizer states follow unless DeepSpeed takes them over. Loading in bfloat16 halves them, at the price of rounded updates.',
              quote('bf16'),
              loaded,
            );
      return {
        at: ['bf16'],
        message,
        remedies: [change(say('Load the weights in bfloat16'), { quantity: 'loadDtype', to: 'bf16' })],
      };
    },
  ),
};

function frozenText(say: Say, bf16: string, loaded: string | null): string {
  return loaded === null
    ? say(
        '{0} leaves the frozen base weights in fp32, as no dtype is set. They take 4 bytes each. Load them in bfloat16.',
        bf16,
      )
    : say(
        '{0} leaves the frozen base weights in fp32, as no dtype is set. They take 4 bytes each ({1}). Load them in bfloat16.',
        bf16,
        loaded,
      );
}

function unquantized({ run }: RuleContext): boolean {
  return run.quantities.quantization.value === null;
}

export const fp32QuantisedCompute: Rule = {
  id: 'fp32-quantised-compute',
  severity: 'information',
  summary: 'No dtype is set: the 4-bit model computes in fp32.',
  sources: [
    'trl 1.13 trainer/utils.py get_quantization_config: bnb_4bit_compute_dtype = model_args.dtype',
    'trl 0.27 trainer/model_config.py: dtype “float32” by default',
  ],
  dialects: TRL,
  check: when(
    [
      on('load_in_4bit', 'use_peft'),
      exactly('bf16', true),
      not(stated('dtype')),
      not(stated('torch_dtype')),
      computesInFp32,
    ],
    (quote, { say }) => ({
      at: ['load_in_4bit'],
      message: say(
        '{0} without a dtype computes in fp32, in spite of {1}. It is slower, and the unquantized parts take twice the memory. Set the dtype to bfloat16.',
        quote('load_in_4bit'),
        quote('bf16'),
      ),
      remedies: [change(say('Set the dtype to bfloat16'), { quantity: 'loadDtype', to: 'bf16' })],
    }),
  ),
};

function computesInFp32({ run }: RuleContext): boolean {
  return run.quantities.quantization.value?.computeDtype === 'fp32';
}
