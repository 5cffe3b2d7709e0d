import type { ModelFacts } from '../../models/model';
import type { DecoderDesign } from './decoder';
import { sequentialLayer } from './layers';
import { buildGatedMlp } from './mlp';
import { buildRmsNorm } from './norm';
import { separateAttention } from './projections';
import { turned, turnedInPlace } from './rotary';
import { scattered, thenGathered } from './parallel';
import type { Turn } from './rotary';
import type { Builder, Step } from '../modules';
import { dropout } from '../ops/pointwise';
import type { MemoryRun } from '../run';

/** Differences to Llama. */
interface LlamaOptions {
  /** Norms per head on queries and keys, before or after rotation. */
  readonly headNorms?: boolean | 'after rotation';
  /** Applied to what is added to the residual stream. */
  readonly change?: Step;
  /** Dropout of what is added to the residual stream, in training. */
  residualDropout?(model: ModelFacts): number;
  /** Creates the part after the attention, if it is not a gated MLP: experts. */
  mlp?(builder: Builder, run: MemoryRun): Step;
}

/** RMSNorm, rotary positions, grouped key heads, gated MLP, one residual stream. */
export function llamaDesign(options: LlamaOptions = {}): DecoderDesign {
  const { headNorms = false } = options;
  return {
    layer(builder, run) {
      const turn = run.behavior.kernels.rotary ? turnedInPlace : turned;
      const headNorm = (size: number): Step => buildRmsNorm(builder, run, size);
      const before = headNorms === true && { headNorm };
      const separate = separateAttention(builder, run.model, { turn, ...before });
      const attention =
        headNorms === 'after rotation'
          ? { ...separate, turn: thenNormed(turn, headNorm(run.model.headDim), headNorm(run.model.headDim)) }
          : separate;
      const mlp = options.mlp ? options.mlp(builder, run) : buildGatedMlp(builder, run);
      const norms = [gatheredNorm(builder, run), gatheredNorm(builder, run)] as const;
      const change = scattered(run, changeOf(options, run));
      return sequentialLayer({ attention, mlp, norms, ...(change && { change }) });
    },
    norm: gatheredNorm,
    rotated: ({ headDim }) => headDim,
  };
}

/** A norm over this rank's tokens, if ranks share them. */
const gatheredNorm = (builder: Builder, run: MemoryRun): Step =>
  thenGathered(run, buildRmsNorm(builder, run));

function changeOf(options: LlamaOptions, { model, task }: MemoryRun): Step | undefined {
  const rate = task === 'train' ? (options.residualDropout?.(model) ?? 0) : 0;
  return options.change ?? (rate === 0 ? undefined : (tape, x) => dropout(tape, x, rate));
}

/** `q_norm(query_states)` after the rotation of queries and keys. */
function thenNormed(turn: Turn, queryNorm: Step, keyNorm: Step): Turn {
  return (tape, query, key, rotation) => {
    const [q, k] = turn(tape, query, key, rotation);
    const normed = queryNorm(tape, q);
    return [normed, keyNorm(tape, k)];
  };
}
