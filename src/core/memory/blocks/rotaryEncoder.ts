import { plainAttention } from './attend';
import type { ModelFacts } from '../../models/model';
import type { Architecture, Batch, Model } from '../architecture';
import { stated } from '../configValues';
import type { Builder, Repeated, Step } from '../modules';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Tensor } from '../tensor';
import { checkpoint } from '../transforms/checkpoint';
import type { AttentionContext } from './attention';
import type { EagerSoftmax } from './eagerAttention';
import type { DropoutRates, MakeEmbeddings } from './encoderEmbeddings';
import { encoderHead } from './encoderHeads';
import type { HeadStyle } from './encoderHeads';
import type { LayerKind } from './layerKinds';
import type { Layer } from './layers';
import { attentionMask } from './mask';
import { rotaryEmbedding } from './rotary';

/** Differences between members of the family. */
interface RotaryEncoderDesign {
  readonly modelTypes: readonly string[];
  readonly source: string;
  readonly since?: string;
  readonly embeddings: MakeEmbeddings;
  /** Creates one layer; `isFirst`: the model's first. */
  layer(builder: Builder, run: MemoryRun, given: LayerGiven): Layer;
  /** Applied to the output of the last layer. */
  readonly norm?: (builder: Builder, run: MemoryRun) => Step;
  /** The kinds of one period of layers, if not all are full. */
  readonly kinds?: readonly LayerKind[];
  /** How far windowed layers see on each side. */
  window?(model: ModelFacts): number;
  /** The config's names of dropout probabilities, with their defaults. */
  readonly rates: Readonly<Record<keyof DropoutRates, readonly [name: string, otherwise: number]>>;
  readonly softmax: EagerSoftmax;
  readonly headStyle?: HeadStyle;
  /** AutoModel has a layer over the first token, which training does not use. */
  readonly pooler?: true;
  /** Tables of indices in the embeddings. */
  readonly indexTables?: number;
}

/** The inputs of a layer in addition to the model. */
export interface LayerGiven {
  readonly isFirst: boolean;
  readonly rates: DropoutRates;
}

/** An architecture of encoders that rotate queries and keys by position. */
export function rotaryEncoderArchitecture(design: RotaryEncoderDesign): Architecture {
  return {
    modelTypes: design.modelTypes,
    source: design.source,
    ...(design.since !== undefined && { since: design.since }),
    hasLayers: true,
    heads: ['base', 'masked-lm', 'sequence-classification', 'token-classification'],
    missing: ({ moe, modelType }) => (moe === null ? [] : [`the experts of ${modelType}`]),
    build: (builder, run) => build(builder, run, design),
  };
}

interface KindOfLayer {
  readonly kind: LayerKind;
  readonly layer: Layer;
}

function build(builder: Builder, run: MemoryRun, design: RotaryEncoderDesign): Model {
  const { model, task } = run;
  const rate = ([name, otherwise]: readonly [string, number]): number =>
    task === 'train' ? stated(model, name, otherwise) : 0;
  const rates = { hidden: rate(design.rates.hidden), attention: rate(design.rates.attention) };
  const embeddings = design.embeddings(builder, run, rates);
  const { hiddenSize } = model;
  if (design.pooler && run.head === 'base') {
    builder.linear({ name: 'dense', inputs: hiddenSize, outputs: hiddenSize, bias: true });
  }
  const layers = buildLayers(builder, run, design, rates);
  const norm = design.norm?.(builder, run) ?? null;
  for (let i = 0; i < 2 * kindsOf(design).length; i++) {
    builder.buffer((model.headDim / 2) * bytesPer('fp32'));
  }
  for (let i = 0; i < (design.indexTables ?? 0); i++) builder.buffer((model.maxPositions ?? 0) * 8);
  const style = design.headStyle ?? {};
  const head = encoderHead(builder, run, {
    words: embeddings.words,
    dropout: rates.hidden,
    ownPooling: true,
    style,
  });
  return (tape, batch) => {
    const hidden = encoded(tape, batch, { run, design, rates, embed: embeddings.embed, layers, norm });
    return tape.call([hidden], () => head(tape, { hidden, pooled: null }, batch));
  };
}

const kindsOf = ({ kinds }: RotaryEncoderDesign): readonly LayerKind[] =>
  kinds ? [...new Set(kinds)] : ['full'];

/** The first layer separately, then whole periods, each starting where the first one ended. */
function buildLayers(
  builder: Builder,
  run: MemoryRun,
  design: RotaryEncoderDesign,
  rates: DropoutRates,
): readonly Repeated<readonly KindOfLayer[]>[] {
  const period = design.kinds ?? ['full'];
  const at = (place: number): LayerKind => period[place % period.length] ?? 'full';
  const make = (kind: LayerKind, isFirst: boolean): KindOfLayer => ({
    kind,
    layer: builder.layer(() => design.layer(builder, run, { isFirst, rates })),
  });
  const others = run.model.layers - 1;
  const first = { part: [make(at(0), true)], times: 1 };
  const round = period.map((_, i) => at(i + 1));
  const times = Math.floor(others / period.length);
  const whole = times > 0 ? builder.repeat(times, () => round.map(kind => make(kind, false))) : [];
  const rest = round.slice(0, others % period.length);
  return [first, ...whole, ...rest.map(kind => ({ part: [make(kind, false)], times: 1 }))];
}

interface Parts {
  readonly run: MemoryRun;
  readonly design: RotaryEncoderDesign;
  readonly rates: DropoutRates;
  readonly embed: (tape: Tape, inputIds: Tensor) => Tensor;
  readonly layers: readonly Repeated<readonly KindOfLayer[]>[];
  readonly norm: Step | null;
}

function encoded(tape: Tape, { inputIds, attentionMask: padding }: Batch, parts: Parts): Tensor {
  const { run, design, embed, layers, norm } = parts;
  return tape.call([inputIds], () => {
    const positions = tape.name(tape.empty(run.batch.tokens, 'int64'));
    const embedded = tape.name(embed(tape, inputIds));
    const masks = kindsOf(design).map(kind => maskOf(tape, parts, kind, { embedded, padding }));
    const contexts = kindsOf(design).map((kind, i) => {
      const rotation = rotaryEmbedding(tape, positions, run.model.headDim, embedded.dtype);
      tape.name(rotation.cos);
      tape.name(rotation.sin);
      return { ...contextOf(parts, masks[i] ?? null), layers: kind, rotation };
    });
    // The embeddings keep their name, because they are used for the masks.
    let hidden = tape.name(tape.view(embedded, embedded.elements, embedded.node));
    for (const { part, times } of layers) {
      const steps = part.map(({ kind, layer }) => {
        const context = contexts.find(({ layers: of }) => of === kind) ?? contexts[0];
        return (x: Tensor): Tensor => (context ? stepped(tape, x, layer, context, run) : x);
      });
      hidden = tape.repeat(times, hidden, steps);
    }
    return norm ? tape.rename(hidden, norm(tape, hidden)) : hidden;
  });
}

function stepped(
  tape: Tape,
  x: Tensor,
  layer: Layer,
  context: AttentionContext,
  { recompute: { checkpointing: kind } }: MemoryRun,
): Tensor {
  const captured = [context.mask, context.rotation?.cos ?? null, context.rotation?.sin ?? null];
  return checkpoint(tape, x, { kind, captured, body: input => layer(tape, input, context) });
}

function maskOf(
  tape: Tape,
  { run, design }: Parts,
  kind: LayerKind,
  { embedded, padding }: { readonly embedded: Tensor; readonly padding: Tensor | null },
): Tensor | null {
  const { model } = run;
  const { rows: batch, tokens } = run.batch;
  const { attention } = run.kernels;
  if (attention === 'flash') return null;
  const window = kind === 'sliding' ? (design.window?.(model) ?? null) : null;
  const eager = attention === 'eager' ? embedded.dtype : null;
  const mask = attentionMask(tape, { batch, tokens, causal: false, window }, padding, eager);
  return mask && tape.name(mask);
}

function contextOf(
  { run, design, rates }: Parts,
  mask: Tensor | null,
): Omit<AttentionContext, 'layers' | 'rotation'> {
  const plain = plainAttention(run, run.batch.tokens);
  return {
    ...plain,
    windowed: false,
    window: null,
    begins: true,
    shape: { ...plain.shape, kvHeads: run.model.kvHeads },
    mask,
    repeatsKeyHeads: run.behavior.repeatsKeyHeads,
    softmax: design.softmax,
    dropout: rates.attention,
  };
}
