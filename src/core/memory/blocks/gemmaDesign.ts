import type { Step } from '../modules';
import type { DecoderDesign } from './decoder';
import { sequentialLayer } from './layers';
import { buildGatedMlp } from './mlp';
import { buildGemmaNorm } from './norm';
import { separateAttention } from './projections';
import { turned, turnedInPlace } from './rotary';

/** What releases of the family differ in. */
export interface GemmaOptions {
  /** Norms after attention and MLP, too. */
  readonly normsAfter?: boolean;
  /** A norm over each head of queries and keys. */
  readonly headNorms?: boolean;
}

/** Llama's layer with norms of Gemma's kind and a table that scales what it gives. */
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
