import type { Builder, Step } from '../modules';
import type { MemoryRun } from '../run';
import type { DecoderDesign } from './decoder';
import { layerTypes } from './layerKinds';
import { normedAfterLayer } from './layers';
import { buildGatedMlp } from './mlp';
import { separateAttention } from './projections';
import { turned } from './rotary';

/** Makes a norm over so many elements, those of a hidden state where nothing is said. */
type BuildNorm = (builder: Builder, run: MemoryRun, size?: number) => Step;

/** Every so many layers one sees all: Olmo3Config's and Exaone4Config's own value. */
const PATTERN = 4;

/** Norms after attention and MLP, none before; norms over queries and keys, too. */
export function normedAfterDesign(buildNorm: BuildNorm): DecoderDesign {
  return {
    layer(builder, run) {
      const headNorm = (size: number): Step => buildNorm(builder, run, size);
      const normsWhole = run.model.qkNorm === 'full';
      const attention = separateAttention(builder, run.model, { turn: turned, headNorm, normsWhole });
      const mlp = buildGatedMlp(builder, run);
      return normedAfterLayer({ attention, mlp, norms: [buildNorm(builder, run), buildNorm(builder, run)] });
    },
    norm: buildNorm,
    rotated: ({ headDim }) => headDim,
    kinds: model => layerTypes(model, PATTERN),
  };
}
