import type { Batch } from '../../architecture';
import { stated } from '../../configValues';
import type { Builder, Repeated, Step } from '../../modules';
import { embedding } from '../../ops/select';
import { add, dropout, mul } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Parameter, Tensor } from '../../tensor';
import { checkpoint } from '../../transforms/checkpoint';
import { lookedUp } from '../encoderEmbeddings';
import type { DropoutRates } from '../encoderEmbeddings';
import { buildLayerNorm } from '../norm';
import type { DebertaContext } from './attention';
import type { ConvolutionLayer } from './convolution';
import { distances } from './positions';
import type { DebertaLayer } from './layer';

/** The parameters of a DebertaV2Model. */
interface DebertaParts {
  readonly embeddings: DebertaEmbeddings;
  readonly layers: readonly Repeated<DebertaLayer>[];
  /** One row per distance. */
  readonly places: Parameter;
  readonly placesNorm: Step | null;
  /** Applied after the first layer. */
  readonly convolution: ConvolutionLayer | null;
  readonly hasBuckets: boolean;
  readonly rates: DropoutRates;
}

/** The word table, and the lookup of a batch. */
interface DebertaEmbeddings {
  readonly words: Parameter;
  readonly embed: (tape: Tape, inputIds: Tensor, given: Given) => Tensor;
}

/** Visible tokens, and the type of each. */
interface Given {
  readonly seen: Tensor;
  readonly kinds: Tensor;
}

/** DebertaV2Embeddings: words, and positions and types if the config has them; normalized, masked, with dropout. */
export function debertaEmbeddings(builder: Builder, run: MemoryRun, rates: DropoutRates): DebertaEmbeddings {
  const { model } = run;
  const { hiddenSize: hidden, vocabSize, positionRows } = model;
  const width = stated(model, 'embedding_size', hidden);
  const table = (name: string, rows: number): Parameter | null =>
    rows > 0 ? builder.embedding(name, rows, width) : null;
  const words = builder.embedding('word_embeddings', vocabSize, width);
  const places = table('position_embeddings', positionRows);
  const types = table('token_type_embeddings', stated(model, 'type_vocab_size', 0));
  const project =
    width === hidden
      ? null
      : builder.linear({ name: 'embed_proj', inputs: width, outputs: hidden, bias: false });
  const norm = buildLayerNorm(builder, hidden);
  const embed = (tape: Tape, inputIds: Tensor, { seen, kinds }: Given): Tensor =>
    tape.call([inputIds], () => {
      const embedded = lookedUp(tape, words, inputIds, run);
      const row = tape.view(kinds, run.batch.tokens);
      const placed = tape.name(places ? embedding(tape, places, row) : tape.done(tape.like(embedded), row));
      let states = tape.name(tape.view(embedded, embedded.elements, embedded.node, embedded.slot));
      if (places) states = tape.rename(states, add(tape, states, placed));
      if (types) {
        states = tape.rename(
          states,
          add(tape, states, embedding(tape, types, tape.view(kinds, kinds.elements))),
        );
      }
      if (project) states = tape.rename(states, project(tape, states));
      states = tape.rename(states, norm(tape, states));
      const mask = tape.name(tape.empty(seen.elements, states.dtype));
      states = tape.rename(states, mul(tape, states, mask));
      return dropout(tape, states, rates.hidden);
    });
  return { words, embed };
}

/** DebertaV2Model.forward: requests all layers' outputs, which live to its end. */
export function debertaModel(tape: Tape, batch: Batch, parts: DebertaParts, run: MemoryRun): Tensor {
  const { inputIds, attentionMask: padding } = batch;
  const held: Tensor[] = [];
  const encoded = tape.call([inputIds], () => {
    const seen = tape.name(
      padding ? tape.view(padding, padding.elements) : tape.empty(inputIds.elements, 'fp32'),
    );
    const kinds = tape.name(tape.empty(inputIds.elements, 'int64'));
    const embedded = tape.name(parts.embeddings.embed(tape, inputIds, { seen, kinds }));
    return tape.call([embedded, seen], () => encode(tape, embedded, { seen, held }, parts, run));
  });
  for (const tensor of held) tape.release(tensor);
  return encoded;
}

interface Around {
  readonly seen: Tensor;
  readonly held: Tensor[];
}

/** DebertaV2Encoder.forward */
function encode(
  tape: Tape,
  embedded: Tensor,
  { seen, held }: Around,
  parts: DebertaParts,
  run: MemoryRun,
): Tensor {
  const { model } = run;
  const { rows: batch, tokens } = run.batch;
  const mask = tape.name(tape.empty(batch * tokens * tokens, seen.dtype));
  const far = tape.name(distances(tape, tokens, parts.hasBuckets));
  const { places: table, placesNorm: norm, rates } = parts;
  const places = tape.name(
    norm ? norm(tape, tape.view(table, table.elements, table.node)) : viewOf(tape, table),
  );
  const context: DebertaContext = {
    batch,
    tokens,
    heads: model.heads,
    mask,
    distances: far,
    places,
    dropout: rates.attention,
    hiddenDropout: rates.hidden,
  };
  let states = tape.name(tape.view(embedded, embedded.elements, embedded.node, embedded.slot));
  let isFirst = true;
  for (const { part, times } of parts.layers) {
    const step = (x: Tensor): Tensor => {
      held.push(tape.keep(tape.view(x, x.elements)));
      return layer(tape, x, part, context, run);
    };
    states = tape.repeat(times, states, [step], [places]);
    if (isFirst && parts.convolution) {
      states = tape.rename(states, parts.convolution(tape, embedded, states, seen));
    }
    isFirst = false;
  }
  return states;
}

const viewOf = (tape: Tape, x: Parameter): Tensor => tape.view(x, x.elements, x.node, x.slot);

function layer(
  tape: Tape,
  x: Tensor,
  part: DebertaLayer,
  context: DebertaContext,
  { recompute: { checkpointing: kind } }: MemoryRun,
): Tensor {
  const captured = [context.mask, context.distances, context.places];
  const body = (input: Tensor): Tensor => part(tape, input, context);
  return checkpoint(tape, x, { kind, captured, body });
}
