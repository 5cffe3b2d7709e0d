import { scalarsOf } from '../spec/scalarKeys';
import type { Rule } from './rule';
import { setKey } from './when';

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
  check({ run, target }) {
    const gpu = target?.gpu;
    const capability = Number(gpu?.vendor === 'NVIDIA' ? (gpu.computeCapability ?? NaN) : NaN);
    if (!gpu || !(capability < LEAST)) return [];
    return scalarsOf(run)
      .filter(({ name, value }) => NAMES.has(name) && value === true)
      .map(({ path }) => ({
        at: [path],
        message:
          `${gpu.label} has no TF32 (compute capability ${gpu.computeCapability ?? ''}; it begins with 8.0, Ampere): with \`${path}: true\` ` +
          'transformers’ Trainer stops, and elsewhere it changes nothing. Set it to false, and train in fp16 for speed.',
        remedies: [setKey(path, false)],
      }));
  },
};
