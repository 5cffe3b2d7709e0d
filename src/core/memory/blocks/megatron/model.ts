import type { Batch, Model } from '../../architecture';
import { flag } from '../../configValues';
import type { Builder, Repeated, Step } from '../../modules';
import { reduceScatter } from '../../ops/collective';
import { add, dropout } from '../../ops/pointwise';
import { embedding } from '../../ops/select';
import { copy } from '../../ops/shape';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Parameter, Tensor } from '../../tensor';
import { checkpoint } from '../../transforms/checkpoint';
import { begins, ends, received, roundsOf } from '../parallel';
import { experts } from './experts';
import type { MegatronHead } from './head';
import { latentAttention } from './latentAttention';
import { mlp, residualLayer, selfAttention } from './layer';
import { ratesOf } from './attention';

/** The parts of a model on a pipeline rank. */
interface StageParts {
  readonly table: Parameter | null;
  readonly places: readonly Parameter[];
  readonly layers: readonly Repeated<Step>[];
  readonly head: MegatronHead | null;
}

/** Makes the head of a model; `table`: the word table of this rank, if it has one. */
export type MakeHead = (builder: Builder, run: MemoryRun, table: Parameter | null) => MegatronHead;

/** GPTModel or BertModel: embeddings, equal layers, and the run's head. */
export function buildMegatron(builder: Builder, run: MemoryRun, makeHead: MakeHead): Model {
  const { model } = run;
  const needsTable = begins(run) || model.tiedEmbeddings;
  const table = needsTable ? builder.embedding('embed_tokens', model.vocabSize, model.hiddenSize) : null;
  const places = begins(run) ? placesOf(builder, run) : [];
  const layers = layersOf(builder, run);
  const head = ends(run) ? makeHead(builder, run, table) : null;
  const parts = { table, places, layers, head };
  return (tape, batch) => tape.call([], () => forward(tape, batch, parts, run));
}

/** Layers without experts come first, where only some have them (`--moe-layer-freq`). */
function layersOf(builder: Builder, run: MemoryRun): StageParts['layers'] {
  const { layers, moe } = run.model;
  const dense = moe ? layers - Math.min(layers, moe.layers) : 0;
  const plain = { ...run, model: { ...run.model, experts: 0, expertsPerToken: 0, moe: null } };
  const repeated = (times: number, each: MemoryRun): StageParts['layers'] =>
    times > 0 ? builder.repeat(times, () => transformerLayer(builder, each)) : [];
  return [...repeated(dense, plain), ...repeated(layers - dense, run)];
}

/** Position and token-type tables, whole on each rank. */
function placesOf(builder: Builder, { model }: MemoryRun): readonly Parameter[] {
  const { positions, positionRows, hiddenSize } = model;
  const learned =
    positions === 'learned' ? [builder.embedding('position_embeddings', positionRows, hiddenSize)] : [];
  return flag(model, 'token_types')
    ? [...learned, builder.embedding('tokentype_embeddings', 2, hiddenSize)]
    : learned;
}

/** TransformerLayer: attention, then an MLP or experts. */
export function transformerLayer(builder: Builder, run: MemoryRun): Step {
  const { model } = run;
  const attention = model.mla ? latentAttention(builder, run, model.mla) : selfAttention(builder, run);
  return residualLayer(run, [attention, model.experts > 0 ? experts(builder, run) : mlp(builder, run)]);
}

function forward(
  tape: Tape,
  batch: Batch,
  { table, places, layers, head }: StageParts,
  run: MemoryRun,
): Tensor {
  const ids = batch.inputIds;
  let hidden = tape.name(
    table && begins(run)
      ? embedded(tape, ids, table, places, run)
      : received(
          tape,
          (ids.elements * run.model.hiddenSize) / (run.ranks.sequence ?? 1),
          run.numbers.weightDtype,
        ),
  );
  for (const { part, times, computed } of roundsOf(run, layers)) {
    hidden = tape.repeat(times, hidden, [x => recomputed(tape, x, part, run)], [], computed);
  }
  return head ? head(tape, hidden, batch.labels) : hidden;
}

/**
 * LanguageModelEmbedding: a copy puts tokens before rows
 * (core/models/common/embeddings/language_model_embedding.py).
 */
export function embedded(
  tape: Tape,
  ids: Tensor,
  table: Parameter,
  places: readonly Parameter[],
  run: MemoryRun,
): Tensor {
  return tape.call([], () => {
    let states = tape.name(embedding(tape, table, ids));
    for (const place of places) states = tape.rename(states, add(tape, states, embedding(tape, place, ids)));
    states = tape.rename(states, copy(tape, states));
    states = tape.rename(states, reduceScatter(tape, states, run.ranks.sequence ?? 1));
    return dropout(tape, states, ratesOf(run).hidden);
  });
}

/** `--recompute-granularity full`: a layer runs again in backward. */
export function recomputed(
  tape: Tape,
  x: Tensor,
  layer: Step,
  { recompute: { checkpointing } }: MemoryRun,
): Tensor {
  const kind = checkpointing === 'selective' ? 'none' : checkpointing;
  return checkpoint(tape, x, { kind, captured: [], body: input => layer(tape, input) });
}
