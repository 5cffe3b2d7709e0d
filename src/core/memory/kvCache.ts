import type { GenerationCode } from './frameworks/behavior/behavior';
import type { Storage } from './ledger';
import type { LayerCache, LayerInput, Tape } from './tape';
import type { Element, Tensor } from './tensor';
import { KV_CACHE } from './terms';
import { catWith } from './ops/shape';

/** Settings that decide a cache's layout. */
interface CacheSettings {
  readonly code: GenerationCode;
  /** Dtype of keys and values; null: the computed dtype. */
  readonly dtype: Element | null;
  /** Preallocated tokens; null: the cache grows. */
  readonly room: number | null;
  /** Attention uses a copy of the filled places, not all places. */
  readonly seesFilled: boolean;
}

/** The kind of forward pass: a prompt, the cache after many tokens, or one more token. */
type Stage = 'prompt' | 'fill' | 'step';

/**
 * Keys and values that outlive forward passes (transformers, cache_utils.py). Every pass visits the layers in the
 * same order, which is how it finds the tensors of earlier passes.
 */
export class KvCache implements LayerCache {
  private stage: Stage = 'prompt';
  private held: Storage[] = [];
  private outdated: Storage[] = [];
  private tokens = 0;

  constructor(private readonly settings: CacheSettings) {}

  /** The next pass stands for all that have grown the cache to this many tokens. */
  fill(tape: Tape, tokens: number): void {
    if (this.settings.room === null) for (const storage of this.held) tape.ledger.release(storage);
    this.begin('fill', tokens);
    if (this.settings.room === null) this.outdated = [];
  }

  /** The next pass adds tokens. */
  step(): void {
    this.begin('step', this.tokens);
  }

  /** Ends a pass: frees the tuples of the previous one (legacy caches). */
  settle(tape: Tape): void {
    if (this.settings.code.cache === 'tuples' && this.stage === 'step') {
      for (const storage of this.outdated) tape.ledger.release(storage);
    }
    this.outdated = [];
  }

  /** Frees the cache. */
  drop(tape: Tape): void {
    for (const storage of this.held) tape.ledger.release(storage);
    this.held = [];
  }

  /** The keys or values that attention sees: all so far. */
  update(tape: Tape, input: LayerInput): Tensor {
    if (this.settings.room !== null) return this.inPlace(tape, input, this.settings.room);
    if (this.stage === 'prompt') return this.prompt(tape, input);
    const { x, tokens, window } = input;
    const all = this.stage === 'fill' ? this.tokens : this.tokens + tokens;
    const kept = this.kept(tape, input, x.elements / tokens, seenTokens(all, window, this.settings.code));
    const old = this.stage === 'step' ? this.outdated[this.held.length - 1] : undefined;
    if (old && this.settings.code.cache === 'concatenated') tape.ledger.release(old);
    return kept;
  }

  private begin(stage: Stage, tokens: number): void {
    this.stage = stage;
    this.tokens = tokens;
    this.outdated = this.held;
    this.held = [];
  }

  private prompt(tape: Tape, input: LayerInput): Tensor {
    const { x, tokens, dtype } = input;
    this.tokens = tokens;
    const stored = this.settings.dtype ?? dtype;
    if (this.settings.code.copiesPrompt || stored !== x.dtype) {
      return this.kept(tape, input, x.elements / tokens, tokens);
    }
    // The tensor itself is kept, including the storage that it is a view of.
    if (x.storage.term !== KV_CACHE) tape.ledger.rename(x.storage, KV_CACHE);
    const view = tape.view(x, x.elements);
    this.held.push(view.storage);
    return tape.keep(view);
  }

  private kept(tape: Tape, { dtype }: LayerInput, elements: number, tokens: number): Tensor {
    const stored = this.settings.dtype ?? dtype;
    const made = tape.during(KV_CACHE, () => tape.empty(elements * tokens, stored));
    this.held.push(made.storage);
    return tape.keep(made);
  }

  private copied(tape: Tape, { x, tokens }: LayerInput): Tensor {
    return tape.empty((x.elements / tokens) * (this.tokens + tokens), x.dtype);
  }

  /** `index_copy_` into the preallocated cache, which attention gets including empty places. */
  private inPlace(tape: Tape, input: LayerInput, room: number): Tensor {
    const { x, tokens, window } = input;
    const places = seenTokens(room, window, this.settings.code);
    const elements = (x.elements / tokens) * places;
    const old = this.stage === 'prompt' ? undefined : this.outdated[this.held.length];
    const kept = old ? null : this.kept(tape, input, x.elements / tokens, places);
    if (old) this.held.push(old);
    if (this.settings.seesFilled) return this.stage === 'prompt' ? x : this.copied(tape, input);
    if (!old) return kept ?? x;
    old.owners += 1;
    const dtype = this.settings.dtype ?? input.dtype;
    return { storage: old, elements, dtype, node: null, slot: 0, holders: 0 };
  }
}

function seenTokens(all: number, window: number | null, { slides }: GenerationCode): number {
  return window === null || !slides ? all : Math.min(all, window);
}

/**
 * A cache that is filled before training's forward pass (prefix tuning); layers append their own keys and values.
 */
export class PrefixCache extends KvCache {
  constructor(
    code: GenerationCode,
    private readonly prefix: number,
  ) {
    super({ code, dtype: null, room: null, seesFilled: false });
  }

  override update(tape: Tape, { x, tokens }: LayerInput): Tensor {
    return catWith(tape, x, (x.elements / tokens) * this.prefix);
  }
}
