import type { Step } from '../modules';
import type { DecoderDesign } from './decoder';
import { sequentialLayer } from './layers';
import { buildGatedMlp } from './mlp';
import { buildGemmaNorm } from './norm';
import { separateAttention } from './projections';
import { turned, turnedInPlace } from './rotary';

/** Differences between the releases of the family. */
interface GemmaOptions {
  /** Additional norms after attention and MLP. */
  readonly normsAfter?: boolean;
  /** Norms per head on queries and keys. */
  readonly headNorms?: boolean;
}

/** Llama's layer with Gemma's norms, and a word table that scales its output. */
export function gemmaDesign({ normsAfter = false, headNorms = false }: GemmaOptions): DecoderDesign {
  return {
    layer(builder, run) {
      const turn = run.behavior.kernels.rotary ? turnedInPlace : turned;
      const headNorm = (size: number): Step => buildGemmaNorm(builder, run, size);
      const options = { turn, normsLater: true, ...(headNorms && { headNorm }) };
      const attention = separateAttention(builder, run.model, options);
      const mlp = buildGatedMlp(builder, run);
      const norm = (): Step => buildGemmaNorm(builder, run);
      if (!normsAfter) return sequentialLayer({ attention, mlp, norms: [norm(), norm()] });
      const [beforeAttention, afterAttention, beforeMlp, afterMlp] = [norm(), norm(), norm(), norm()];
      const norms = [beforeAttention, beforeMlp] as const;
      return sequentialLayer({ attention, mlp, norms, after: [afterAttention, afterMlp] });
    },
    norm: buildGemmaNorm,
    rotated: ({ headDim }) => headDim,
    scaledTable: true,
  };
}
