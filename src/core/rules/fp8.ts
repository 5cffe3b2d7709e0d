import type { GpuFacts } from '../hardware/gpu';
import { isOn, numberOf } from './raw';
import { AXOLOTL } from './rule';
import type { Rule, RuleContext } from './rule';
import { not, off, on, readable, setKey, when } from './when';

const KEY = 'fp8_enable_fsdp_float8_all_gather';

export const fp8AllGather: Rule = {
  id: 'fp8-all-gather',
  severity: 'error',
  summary: 'Gathering FP8 weights needs FSDP2.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_fp8_config'],
  dialects: AXOLOTL,
  check: when([on(KEY), readable('fsdp_version'), not(version2)], (quote, { say }) => ({
    at: [KEY],
    message: say('Axolotl rejects {0} unless fsdp_version is 2. Use FSDP2, or remove the key.', quote(KEY)),
  })),
};

/** The check reads the top-level key before fsdp_config fills it in. */
function version2(context: RuleContext): boolean {
  return numberOf(context, 'fsdp_version') === 2;
}

export const fp8WithoutCompile: Rule = {
  id: 'fp8-without-compile',
  severity: 'information',
  summary: 'FP8 without torch.compile is seldom faster.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py check_fp8_config: “strongly recommended for FP8 training”',
  ],
  dialects: AXOLOTL,
  check: when([on('fp8'), off('torch_compile')], (quote, { say }) => ({
    at: ['fp8'],
    message: say(
      '{0} without torch_compile is seldom faster and saves no memory. Weights stay in 16 bits; only products are computed in FP8. Set torch_compile to true.',
      quote('fp8'),
    ),
    remedies: [setKey('torch_compile', true)],
  })),
};

/** Axolotl requires Hopper, though Ada (8.9) also has FP8 units. */
const LEAST = 9;

export const fp8Unsupported: Rule = {
  id: 'fp8-unsupported',
  severity: 'error',
  summary: 'FP8 training does not run on the chosen GPU.',
  sources: [
    'axolotl 0.18 cli/config.py compute_supports_fp8: compute capability >= (9, 0)',
    'axolotl 0.18 utils/schemas/config.py check_fp8: “fp8 requested, but fp8 is not supported on this GPU”',
  ],
  dialects: AXOLOTL,
  check(context) {
    const gpu = context.target?.gpu;
    const capability = gpu && capabilityOf(gpu);
    if (!gpu || capability === null || capability === undefined || capability >= LEAST) return [];
    if (!isOn(context, 'fp8')) return [];
    const message = context.say(
      'Axolotl rejects `fp8` on {0}: compute capability {1}, needs 9.0. Choose Hopper or newer, or set fp8 to false.',
      gpu.label,
      gpu.computeCapability ?? '',
    );
    return [{ at: ['fp8'], message, remedies: [setKey('fp8', false)] }];
  },
};

function capabilityOf(gpu: GpuFacts): number | null {
  if (gpu.vendor !== 'NVIDIA' || gpu.computeCapability === null) return null;
  const number = Number(gpu.computeCapability);
  return Number.isFinite(number) ? number : null;
}
