import type { ModelFacts } from '../../models/model';
import { supposedDecoder, countInName } from '../../models/supposed';
import type { Serving } from '../engine';
import type { MemoryRun } from '../run';
import { bytesPer } from '../tensor';
import { weightFormat } from '../quantization';

/** What proposes tokens, on a rank. */
interface Drafts {
  readonly weightsBytes: number;
  /** Keys and values of a token in all of its layers. */
  readonly cacheBytesPerToken: number;
}

const NONE: Drafts = { weightsBytes: 0, cacheBytesPerToken: 0 };

/** The words that an EAGLE-3 head chooses from (its checkpoints' `draft_vocab_size`). */
const DRAFTED_WORDS = 32_000;

/** Hidden states of the served model that a head's first projection joins (vllm, models/llama_eagle.py, llama_eagle3.py). */
const JOINED = { eagle: 2, eagle3: 3 } as const;

/** The drafts of a server; nothing where none are made, or where nothing is known about them. */
export function draftsOf(run: MemoryRun, serving: Serving): Drafts {
  const drafter = serving.extras?.drafter ?? null;
  if (drafter === null || drafter.kind === 'other') return NONE;
  if (drafter.kind === 'model') return modelDrafts(run, serving, serving.draftModel);
  return drafter.kind === 'mtp' ? nextTokens(run, serving) : heads(run, serving, drafter.kind);
}

/** False if something drafts that nothing is known about. */
export function knowsDrafts({ draftModel, extras }: Pick<Serving, 'draftModel' | 'extras'>): boolean {
  const kind = extras?.drafter?.kind ?? null;
  return kind === null || (kind === 'model' ? draftModel !== null : kind !== 'other');
}

/**
 * The model that drafts for another, by its facts or the size in its name; null: unknown, also if that size is the
 * other model's: heads and assistants are named after the model that they draft for.
 */
export function draftFor(model: ModelFacts, name: string | null): ModelFacts | null {
  const count = name === null ? null : countInName(name);
  const draft = model.drafter ?? (name === null || count === null ? null : supposedDecoder(name, count));
  const isCalledAfter = draft !== null && sizeOf(draft) >= CALLED_AFTER * sizeOf(model);
  return isCalledAfter ? null : draft;
}

/** A size in a name is rounded. */
const CALLED_AFTER = 0.9;

const sizeOf = ({ parameters, publishedTotal }: ModelFacts): number =>
  parameters?.total ?? publishedTotal ?? 0;

/** vllm, v1/spec_decode/draft_model.py: a model of its own, with keys and values in the same blocks. */
function modelDrafts(run: MemoryRun, serving: Serving, draft: ModelFacts | null): Drafts {
  if (draft === null || sizeOf(draft) === 0) return NONE;
  const ranks = serving.extras?.drafter?.tensorRanks ?? serving.tensorRanks;
  const each = bytesPer(run.numbers.weightDtype);
  return {
    weightsBytes: (sizeOf(draft) * each) / ranks,
    cacheBytesPerToken: draft.layers * cacheBytes(run, draft, ranks),
  };
}

function cacheBytes({ generation, numbers }: MemoryRun, model: ModelFacts, ranks: number): number {
  const { mla, kvHeads, headDim } = model;
  const values = mla ? mla.kvLoraRank + mla.qkRopeHeadDim : 2 * Math.max(1, kvHeads / ranks) * headDim;
  return values * bytesPer(generation.cacheDtype ?? numbers.weightDtype);
}

/**
 * A layer of the served model's widths, in 16 bits, on the joined states; the word table is the served model's, the
 * head of EAGLE-3 its own. Published heads have these widths or nearly so.
 */
function heads(run: MemoryRun, serving: Serving, kind: keyof typeof JOINED): Drafts {
  const { model } = run;
  const { hiddenSize: hidden, heads: count, kvHeads, headDim, intermediateSize } = model;
  const ranks = serving.tensorRanks;
  const input = kind === 'eagle3' ? 2 * hidden : hidden;
  const attention = model.mla
    ? (model.parameters?.attention ?? 0) / model.layers
    : input * (count + 2 * kvHeads) * headDim + count * headDim * hidden;
  const words = kind === 'eagle3' ? DRAFTED_WORDS * hidden : 0;
  const joined = JOINED[kind] * hidden * hidden;
  const shared = attention + 3 * hidden * intermediateSize + words;
  // The projection of joined states is on every rank.
  const values = shared / ranks + joined;
  return {
    weightsBytes: values * bytesPer('bf16'),
    cacheBytesPerToken: cacheBytes(run, model, ranks),
  };
}

/** The checkpoint's own layers for the next tokens: one layer, as the others are, and its projection of two states. */
function nextTokens(run: MemoryRun, serving: Serving): Drafts {
  const { model, numbers } = run;
  const counts = model.parameters;
  if (counts === null) return NONE;
  const layer = (counts.attention + counts.mlp) / model.layers;
  const count = (layer + 2 * model.hiddenSize ** 2) / serving.tensorRanks;
  const stored = model.extra['num_nextn_predict_layers'];
  const layers = typeof stored === 'number' && stored > 0 ? stored : 1;
  return {
    weightsBytes: layers * bytesOf(count, numbers),
    cacheBytesPerToken: layers * cacheBytes(run, model, serving.tensorRanks),
  };
}

const SIDE = 4096;

/** Bytes of so many weights in the model's own format. */
function bytesOf(count: number, { quantization, weightDtype }: MemoryRun['numbers']): number {
  if (quantization === null) return count * bytesPer(weightDtype);
  const parts = weightFormat(quantization).parts(SIDE, SIDE);
  return (count * parts.reduce((sum, bytes) => sum + bytes, 0)) / SIDE ** 2;
}
