import type { DecoderDesign } from './decoder';
import { sequentialLayer } from './layers';
import { buildGatedMlp } from './mlp';
import { buildRmsNorm } from './norm';
import { separateAttention } from './projections';
import { scattered, thenGathered } from './sequenceParallel';
import { turned, turnedInPlace } from './rotary';
import type { Builder, Step } from '../modules';
import type { MemoryRun } from '../run';

/** What members of the family do beyond Llama. */
export interface LlamaOptions {
  /** A norm over each head of queries and keys. */
  readonly headNorms?: boolean;
  /** What is added to the residual stream is this of it. */
  readonly change?: Step;
  /** Makes what follows the attention, where it is not a gated MLP: experts. */
  mlp?(builder: Builder, run: MemoryRun): Step;
}

const gatheredNorm = (builder: Builder, run: MemoryRun): Step =>
  thenGathered(run, buildRmsNorm(builder, run));

/** RMSNorm, rotary positions, grouped key heads, gated MLP, one residual stream. */
export function llamaDesign(options: LlamaOptions = {}): DecoderDesign {
  const { headNorms = false, change } = options;
  return {
    layer(builder, run) {
      const turn = run.behaviour.kernels.rotary ? turnedInPlace : turned;
      const headNorm = (size: number): Step => buildRmsNorm(builder, run, size);
      const attention = separateAttention(builder, run.model, { turn, ...(headNorms && { headNorm }) });
      const mlp = options.mlp ? options.mlp(builder, run) : buildGatedMlp(builder, run);
      const norms = [gatheredNorm(builder, run), gatheredNorm(builder, run)] as const;
      const own = scattered(run, change);
      return sequentialLayer({ attention, mlp, norms, ...(own && { change: own }) });
    },
    norm: gatheredNorm,
    rotated: ({ headDim }) => headDim,
  };
}
