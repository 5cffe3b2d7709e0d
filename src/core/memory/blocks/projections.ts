import type { ModelFacts } from '../../models/model';
import type { Builder, Linear, LinearShape, Step } from '../modules';
import type { Tensor } from '../tensor';
import { scale } from '../ops/pointwise';
import { copy } from '../ops/shape';
import { gradientIsOrderly, viewAsHeads } from './attend';
import type { AttentionParts, Project } from './attention';
import type { Turn } from './rotary';

/** Norms per head on queries and keys. */
interface HeadNorms {
  readonly query: Step;
  readonly key: Step;
}

/** How separate projections work together. */
interface SeparateAttention {
  readonly turn: Turn;
  /** Creates the norm on query and key heads. */
  readonly headNorm?: (size: number) => Step;
  /** Norms cover all heads together (OLMo 2). */
  readonly normsWhole?: boolean;
  /** The output layer's name, if it is not `o_proj`. */
  readonly outputName?: string;
  /** Queries are scaled after projection (OPT). */
  readonly queryScaled?: boolean;
  /** Heads are normalized after all projections instead of immediately (Gemma 3). */
  readonly normsLater?: boolean;
}

/** q_proj, k_proj, v_proj and o_proj. */
export function separateAttention(
  builder: Builder,
  model: ModelFacts,
  options: SeparateAttention,
): AttentionParts {
  const { turn, headNorm, outputName = 'o_proj', queryScaled = false, normsLater = false } = options;
  const { heads, kvHeads, headDim } = model;
  const [toQuery, toKey, toValue] = builder.projections([
    inputShape(model, 'q_proj', heads * headDim),
    inputShape(model, 'k_proj', kvHeads * headDim),
    inputShape(model, 'v_proj', kvHeads * headDim),
  ]);
  const scaledQuery: Linear = (tape, x) => scale(tape, toQuery(tape, x));
  const inputs = [queryScaled ? scaledQuery : toQuery, toKey, toValue] as const;
  const [output] = builder.projections([outputShape(model, outputName)]);
  const [queries, keys] = options.normsWhole ? [heads, kvHeads] : [1, 1];
  const norms = headNorm ? { query: headNorm(queries * headDim), key: headNorm(keys * headDim) } : null;
  const project = separately(model, inputs, normsLater ? null : norms);
  return { project: normsLater && norms ? thenNormalized(project, norms) : project, turn, output };
}

/** `query_states = self.q_norm(query_states)` after all projections. */
function thenNormalized(project: Project, norms: HeadNorms): Project {
  return (tape, x, context) => {
    const { query, key, value } = project(tape, x, context);
    const normed = tape.rename(query, norms.query(tape, query));
    return { query: normed, key: tape.rename(key, norms.key(tape, key)), value };
  };
}

/** `_shape`: copies heads into order right after projection. */
export function laidOut({ project, ...parts }: AttentionParts): AttentionParts {
  const ordered: Project = (tape, x, context) => {
    const heads = project(tape, x, context);
    const inOrder = (tensor: Tensor): Tensor => tape.rename(tensor, copy(tape, tensor));
    return { key: inOrder(heads.key), value: inOrder(heads.value), query: inOrder(heads.query) };
  };
  return { ...parts, project: ordered, byHead: 'all' };
}

export function inputShape({ hiddenSize, qkvBias }: ModelFacts, name: string, outputs: number): LinearShape {
  return { name, inputs: hiddenSize, outputs, bias: qkvBias };
}

export function outputShape(model: ModelFacts, name: string): LinearShape {
  const { heads, headDim, hiddenSize, attentionOutBias } = model;
  return { name, inputs: heads * headDim, outputs: hiddenSize, bias: attentionOutBias };
}

function separately(
  { heads, kvHeads }: ModelFacts,
  [toQuery, toKey, toValue]: readonly [Linear, Linear, Linear],
  norms: HeadNorms | null,
): Project {
  return (tape, x, context) => {
    const orderly = gradientIsOrderly(tape, context, x.dtype);
    const seen = (projected: Tensor, count: number, copied: boolean, norm?: Step): Tensor => {
      const inPlace = viewAsHeads(tape, projected, count, copied);
      return tape.name(norm ? norm(tape, inPlace) : inPlace);
    };
    const query = seen(toQuery(tape, x), heads, !orderly || context.rotation !== null, norms?.query);
    const key = seen(toKey(tape, x), kvHeads, !orderly || context.rotation !== null, norms?.key);
    return { query, key, value: seen(toValue(tape, x), kvHeads, !orderly) };
  };
}
