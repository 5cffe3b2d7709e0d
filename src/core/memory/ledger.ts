import { NOT_NOTED } from './journal';
import type { BlockId } from './alive';
import type { Journal } from './journal';
import { COMPUTE } from './cudaStreams';
import type { Stream } from './cudaStreams';
import { COMMUNICATION, GRADIENTS, TERMS } from './terms';
import type { TermIndex } from './terms';
import { Meter } from './meter';

/** The caching allocator returns multiples of this (c10/cuda/CUDACachingAllocator.cpp, kMinBlockSize). */
const BLOCK_BYTES = 512;

export function roundedBytes(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** A block of device memory. It lives as long as it has an owner: a tensor, a saved copy, a parameter's grad. */
export interface Storage {
  /** Rounded up like the allocator does. */
  readonly bytes: number;
  term: TermIndex;
  owners: number;
  /** The number of equal blocks that this one stands for (see `repeat`). */
  copies: number;
  /** It and each of its copies are held to the end of backward. */
  lasting?: boolean;
  /** Created in the current repetition. */
  fresh: boolean;
  readonly id: BlockId;
}

const idOf = ({ id }: Storage): BlockId => id;

/** The largest amount alive at the same time, by purpose. */
export interface Peak {
  readonly bytes: number;
  /** By index of TERMS. */
  readonly terms: Float64Array;
}

/** State of the ledger that a repetition replaces while it runs. */
interface Repetition {
  readonly times: number;
  readonly born: Storage[];
  readonly freed: Storage[];
  readonly outerPeak: number;
  readonly outerTerms: Float64Array<ArrayBuffer>;
}

/** Bytes alive, by term, and their peak. */
export class Ledger {
  live = 0;
  readonly terms = new Float64Array(TERMS.length);
  /**
   * If true, allocations take no memory: for what already exists, or for the part of a recomputation that is not
   * run.
   */
  muted = false;
  /** Counts the work of what allocates. */
  readonly meter = new Meter();

  /** Records the order of allocations and releases, if given. */
  constructor(readonly journal: Journal | null = null) {}

  private peakBytes = 0;
  private peakTerms = new Float64Array(TERMS.length);
  /** The peak is now: copies its terms before the next release. */
  private atPeak = false;
  private repetition: Repetition | null = null;

  /** A new block with one owner. */
  allocate(bytes: number, term: TermIndex): Storage {
    const rounded = this.muted ? 0 : roundedBytes(bytes);
    const id = rounded > 0 && this.journal ? this.journal.allocated(rounded) : NOT_NOTED;
    const storage = { bytes: rounded, term, owners: 1, copies: 1, fresh: this.repetition !== null, id };
    this.repetition?.born.push(storage);
    if (!this.muted && term !== COMMUNICATION && term !== GRADIENTS) this.meter.wrote(bytes);
    this.add(rounded, term);
    return storage;
  }

  /** `copies` permanent equal blocks: parameters, buffers. */
  place(bytes: number, term: TermIndex, copies: number): Storage {
    const rounded = this.muted ? 0 : roundedBytes(bytes);
    const id = rounded > 0 && this.journal ? this.journal.allocated(rounded) : NOT_NOTED;
    this.add(rounded * copies, term);
    return { bytes: rounded, term, owners: 1, copies, fresh: false, id };
  }

  /** A new block for work in another stream. */
  allocateIn(stream: Stream, bytes: number, term: TermIndex): Storage {
    const { journal } = this;
    if (journal) journal.stream = stream;
    const storage = this.allocate(bytes, term);
    if (journal) journal.stream = COMPUTE;
    return storage;
  }

  /** Removes an owner; removing the last one frees the block. */
  release(storage: Storage): void {
    storage.owners -= 1;
    if (storage.owners > 0) return;
    this.journal?.released(storage.id, this.repetition === null ? storage.copies : 1);
    if (this.repetition === null) {
      this.subtract(storage.bytes * storage.copies, storage.term);
      return;
    }
    this.subtract(storage.bytes, storage.term);
    if (!storage.fresh) this.repetition.freed.push(storage);
  }

  /** A block that the journal already has: undone to be played once more. */
  restore(bytes: number, term: TermIndex): Storage {
    const rounded = roundedBytes(bytes);
    this.add(rounded, term);
    return { bytes: rounded, term, owners: 1, copies: 1, fresh: this.repetition !== null, id: NOT_NOTED };
  }

  /** Frees one of the equal blocks that this one stands for, even if others own the rest. */
  releaseOne(storage: Storage): void {
    storage.copies -= 1;
    this.journal?.released(storage.id, 1);
    this.subtract(storage.bytes, storage.term);
  }

  /** The block serves another purpose from now on: a temporary becomes a gradient. */
  rename(storage: Storage, term: TermIndex): void {
    this.settlePeak();
    const bytes = storage.bytes * (storage.fresh ? 1 : storage.copies);
    this.addTo(storage.term, -bytes);
    this.addTo(term, bytes);
    storage.term = term;
  }

  private add(bytes: number, term: TermIndex): void {
    this.live += bytes;
    this.addTo(term, bytes);
    if (this.live <= this.peakBytes) return;
    this.peakBytes = this.live;
    this.atPeak = true;
  }

  private subtract(bytes: number, term: TermIndex): void {
    this.settlePeak();
    this.live -= bytes;
    this.addTo(term, -bytes);
  }

  /** Ends a phase and returns its peak; the next phase starts with the live memory. */
  takePeak(): Peak {
    this.settlePeak();
    const peak = { bytes: this.peakBytes, terms: this.peakTerms };
    this.peakTerms = new Float64Array(this.terms);
    this.peakBytes = this.live;
    return peak;
  }

  /** Until `end`, events stand for `times` equal repetitions in sequence, of which a step computes `computed`. */
  begin(times: number, computed = times): void {
    this.settlePeak();
    this.journal?.began(times);
    this.meter.times = computed;
    this.repetition = {
      times,
      born: [],
      freed: [],
      outerPeak: this.peakBytes,
      outerTerms: this.peakTerms,
    };
    this.peakBytes = this.live;
    this.peakTerms = new Float64Array(this.terms);
  }

  /**
   * Adds the other `times - 1` repetitions: each leaves or frees the same. `outputs` are passed to the next one as
   * its `inputs`; of these only a kept input counts. An output with copies is returned one by one, and one is left.
   * Memory at any event is affine in the repetition's number, so the peak is in the first or the last.
   */
  end(inputs: readonly Storage[], outputs: readonly Storage[]): void {
    const repetition = this.repetition;
    if (repetition === null) return;
    this.settlePeak();
    this.journal?.ended(inputs.map(idOf), outputs.map(idOf));
    this.repetition = null;
    this.meter.times = 1;
    const others = repetition.times - 1;
    const before = this.terms.slice();
    for (const storage of repetition.born) {
      storage.fresh = false;
      if (storage.owners > 0 && !outputs.includes(storage)) this.multiply(storage, repetition.times);
    }
    for (const input of inputs) if (input.owners > 0) this.multiply(input, repetition.times);
    for (const output of outputs) {
      this.grow(output.term, (1 - output.copies) * output.bytes);
      output.copies = 1;
    }
    for (const storage of repetition.freed) this.grow(storage.term, -(storage.copies - 1) * storage.bytes);
    this.mergePeaks(repetition, before, others);
  }

  private multiply(storage: Storage, times: number): void {
    storage.copies = times;
    this.grow(storage.term, (times - 1) * storage.bytes);
  }

  private grow(term: TermIndex, bytes: number): void {
    this.live += bytes;
    this.addTo(term, bytes);
  }

  /** Compares the window's peak, in its last repetition if they grow, with the peak before the window. */
  private mergePeaks(window: Repetition, before: Float64Array, others: number): void {
    const growth = this.terms.map((bytes, term) => bytes - (before[term] ?? 0));
    const grown = growth.reduce((sum, bytes) => sum + bytes, 0);
    if (grown > 0 && others > 0) {
      this.peakBytes += grown;
      for (let term = 0; term < growth.length; term++) {
        this.peakTerms[term] = (this.peakTerms[term] ?? 0) + (growth[term] ?? 0);
      }
    }
    if (this.peakBytes >= window.outerPeak) return;
    this.peakBytes = window.outerPeak;
    this.peakTerms = window.outerTerms;
  }

  private addTo(term: TermIndex, bytes: number): void {
    this.terms[term] = (this.terms[term] ?? 0) + bytes;
  }

  private settlePeak(): void {
    if (!this.atPeak) return;
    this.peakTerms.set(this.terms);
    this.atPeak = false;
  }
}
