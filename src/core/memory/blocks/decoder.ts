import type { ModelFacts } from '../../models/model';
import type { Batch, Model } from '../architecture';
import type { Builder, Repeated, Step } from '../modules';
import { dropout, scale } from '../ops/pointwise';
import { embedding } from '../ops/select';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Parameter, Tensor } from '../tensor';
import { checkpoint } from '../transforms/checkpoint';
import type { AttentionContext } from './attention';
import type { ContextDesign } from './contexts';
import { decoderHead } from './decoderHead';
import { modeledKinds, presentKinds } from './layerKinds';
import type { LayerKind } from './layerKinds';
import type { Layer } from './layers';
import type { HeadOptions } from './loss/languageModelHead';
import { rotaryPositions } from './prepare';
import { begins, ends, received, roundsOf, scattered } from './parallel';
import type { MakePrepare, Prepare } from './prepare';

/** The design of a decoder family. */
export interface DecoderDesign extends ContextDesign, HeadOptions {
  /** Creates one layer's parameters, and returns its forward pass. `isFirst`: the first created layer. */
  layer(builder: Builder, run: MemoryRun, isFirst: boolean): Layer;
  norm(builder: Builder, run: MemoryRun): Step;
  /**
   * Layers of different kinds, one section after another, as models with that many layers; default: all are equal.
   */
  sections?(model: ModelFacts): readonly ModelFacts[];
  /** Width of word embeddings, if not the hidden size (OPT 350m). */
  embeddingSize?(model: ModelFacts): number;
  /** The word table multiplies its output by a stored number (Gemma). */
  readonly scaledTable?: boolean;
  /** The table multiplies by a constant (BioGPT). */
  readonly scaledWords?: boolean;
  /** Applied to the word embeddings. */
  readonly embedded?: Step;
  /** How positions are added, if not by rotation. */
  readonly prepare?: MakePrepare;
  /** Dropout of the first layer's input in training. */
  embeddingDropout?(model: ModelFacts): number;
}

interface KindOfLayer {
  readonly kind: LayerKind;
  readonly layer: Layer;
  /** It is checkpointed. */
  readonly again: boolean;
}

/** The parts of a LlamaModel. */
interface Decoder {
  readonly design: DecoderDesign;
  /** Null, like the norm, on pipeline ranks without it. */
  readonly table: Parameter | null;
  readonly prepare: Prepare;
  /** Periods of layers. */
  readonly layers: readonly Repeated<readonly KindOfLayer[]>[];
  readonly norm: Step | null;
}

/** A decoder with the run's head: a ForCausalLM, in parameter order. */
export function buildDecoder(builder: Builder, run: MemoryRun, design: DecoderDesign): Model {
  const { model } = run;
  const width = design.embeddingSize?.(model) ?? model.hiddenSize;
  const hasTable = begins(run) || model.tiedEmbeddings;
  const table = hasTable ? builder.embedding('embed_tokens', model.vocabSize, width) : null;
  const prepare = (design.prepare ?? rotaryPositions)(builder, run, design);
  const layers = buildLayers(builder, run, design);
  const decoder = { design, table, prepare, layers, norm: ends(run) ? design.norm(builder, run) : null };
  reserveBuffers(builder, run, design);
  const head = ends(run) ? decoderHead(builder, run, table, design) : null;
  return (tape, batch) =>
    tape.call([], () => {
      const hidden = tape.name(decode(tape, batch, decoder, run));
      return head ? head(tape, hidden, batch) : hidden;
    });
}

/** inv_freq and original_inv_freq of each rotation, and the factor of a scaled table. */
function reserveBuffers(builder: Builder, run: MemoryRun, design: DecoderDesign): void {
  const frequencies = (design.rotated(run.model) / 2) * bytesPer('fp32');
  const rotations = design.rotationPerKind ? presentKinds(run, design).length : 1;
  for (let i = 0; i < 2 * rotations; i++) builder.buffer(frequencies);
  if (design.scaledTable) builder.buffer(bytesPer('fp32'));
}

function buildLayers(builder: Builder, run: MemoryRun, design: DecoderDesign): Decoder['layers'] {
  const sections = design.sections?.(run.model) ?? [run.model];
  let from = 0;
  return sections.flatMap(model => {
    const before = from;
    from += model.layers;
    return buildSection(builder, { ...run, model }, design, before);
  });
}

function buildSection(
  builder: Builder,
  run: MemoryRun,
  design: DecoderDesign,
  from: number,
): Decoder['layers'] {
  const { model } = run;
  const every = run.recompute.checkpointEvery ?? 1;
  const kinds = Array.from({ length: every }, () => modeledKinds(run, design)).flat();
  let isFirst = true;
  const make = (kind: LayerKind, place: number, isTrained: boolean): KindOfLayer => {
    const first = isFirst;
    isFirst = false;
    const again = run.recompute.checkpointing !== 'none' && isTrained && (place + 1) % every === 0;
    return { kind, again, layer: builder.layer(() => design.layer(builder, run, first)) };
  };
  const inRounds = (begin: number, times: number, round: readonly LayerKind[]): Decoder['layers'] =>
    times > 0 && round.length > 0
      ? builder.rounds({ from: begin, times, width: round.length }, isTrained =>
          round.map((kind, place) => make(kind, place, isTrained)),
        )
      : [];
  const periods = Math.floor(model.layers / kinds.length);
  const rest = kinds.slice(0, model.layers % kinds.length);
  return [...inRounds(from, periods, kinds), ...inRounds(from + periods * kinds.length, 1, rest)];
}

/** LlamaModel.forward. */
function decode(tape: Tape, batch: Batch, decoder: Decoder, run: MemoryRun): Tensor {
  const { prepare, layers, norm, design } = decoder;
  return tape.call([batch.inputIds], () => {
    const embedded = tape.name(entered(tape, batch, decoder, run));
    const { contexts, shared, hidden: first } = prepare(tape, embedded, batch.attentionMask);
    const rate = run.task === 'train' ? (design.embeddingDropout?.(run.model) ?? 0) : 0;
    let hidden = tape.rename(first, dropout(tape, first, rate));
    holdRotations(tape, contexts, modeledKinds(run, design));
    for (const { part, times, computed } of roundsOf(run, layers)) {
      const steps = part.flatMap(({ kind, layer, again }) =>
        contexts
          .filter(({ layers: of }) => of === kind)
          .map(context =>
            again ? checkpointed(tape, run, layer, context, shared) : plainly(tape, layer, context),
          ),
      );
      hidden = tape.repeat(times, hidden, steps, [], computed);
    }
    return norm ? norm(tape, hidden) : hidden;
  });
}

/** The first layer's input: the word embeddings, or the output of the previous stage. */
function entered(tape: Tape, { inputIds }: Batch, { table, design }: Decoder, run: MemoryRun): Tensor {
  if (table === null || !begins(run)) {
    const elements = (inputIds.elements * run.model.hiddenSize) / (run.ranks.sequence ?? 1);
    return received(tape, elements, run.ranks.sharding?.compute ?? run.numbers.weightDtype);
  }
  const plain = embedding(tape, table, inputIds);
  const embedded = design.scaledTable || design.scaledWords ? scale(tape, plain) : plain;
  const trained =
    run.recompute.inputGradients && embedded.node === null ? trainableInput(tape, embedded) : embedded;
  const enter = scattered(run, design.embedded);
  return enter ? enter(tape, trained) : trained;
}

/** Layers of one kind may represent those of another, but keep nothing of the others' rotations. */
function holdRotations(
  tape: Tape,
  contexts: readonly AttentionContext[],
  walked: readonly LayerKind[],
): void {
  const used = contexts.filter(({ layers }) => walked.includes(layers)).map(({ rotation }) => rotation);
  for (const { rotation } of contexts) {
    if (!rotation || used.includes(rotation)) continue;
    tape.graph?.hold(rotation.cos);
    tape.graph?.hold(rotation.sin);
  }
}

const plainly =
  (tape: Tape, layer: Layer, context: AttentionContext) =>
  (x: Tensor): Tensor =>
    layer(tape, x, context);

/** A checkpointed layer; `shared` is captured by its closure. */
function checkpointed(
  tape: Tape,
  { recompute: { checkpointing }, training: { partly } }: MemoryRun,
  layer: Layer,
  context: AttentionContext,
  shared: readonly Tensor[],
): (x: Tensor) => Tensor {
  const body = plainly(tape, layer, context);
  if (checkpointing === 'none') return body;
  const wanted = partly?.checkpointsTrained === true;
  return x => {
    const input = wanted && x.node === null ? trainableInput(tape, x) : x;
    return checkpoint(tape, input, { kind: checkpointing, captured: shared, body });
  };
}

/** `enable_input_require_grads`: the embedding's output becomes a leaf, so that gradients reach the first layer. */
export function trainableInput(tape: Tape, embedded: Tensor): Tensor {
  const leaf = tape.done(tape.leaf(embedded), embedded);
  tape.graph?.holdLeaf(leaf);
  return leaf;
}
