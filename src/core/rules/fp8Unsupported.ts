import type { GpuFacts } from '../hardware/gpu';
import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOn } from './raw';
import { setKey } from './when';

/** Axolotl asks for Hopper, though Ada (8.9) has FP8 units too. */
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
    const message =
      `Axolotl rejects \`fp8\` on ${gpu.label} (compute capability ${gpu.computeCapability ?? ''}): it asks for 9.0, ` +
      'Hopper or newer. Choose such a GPU, or set fp8 to false.';
    return [{ at: ['fp8'], message, remedies: [setKey('fp8', false)] }];
  },
};

function capabilityOf(gpu: GpuFacts): number | null {
  if (gpu.vendor !== 'NVIDIA' || gpu.computeCapability === null) return null;
  const number = Number(gpu.computeCapability);
  return Number.isFinite(number) ? number : null;
}
