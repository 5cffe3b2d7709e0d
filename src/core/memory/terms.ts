import type { TermName } from '../models/terms';

/** The terms of the sum, in display order. The ledger uses their indices. */
export const TERMS = [
  'weights',
  'adapters',
  'gradients',
  'optimizer states',
  'activations',
  'logits and loss',
  'kv cache',
  'communication',
  'temporaries',
  'inputs and buffers',
  'library workspace',
  'allocator slack',
  'rollout engine',
  'communication buffers',
  'cuda graphs',
  'cuda context',
] as const satisfies readonly TermName[];

export type TermIndex = number;

export const WEIGHTS: TermIndex = TERMS.indexOf('weights');
export const ADAPTERS: TermIndex = TERMS.indexOf('adapters');
export const GRADIENTS: TermIndex = TERMS.indexOf('gradients');
export const STATES: TermIndex = TERMS.indexOf('optimizer states');
export const ACTIVATIONS: TermIndex = TERMS.indexOf('activations');
export const LOGITS: TermIndex = TERMS.indexOf('logits and loss');
export const KV_CACHE: TermIndex = TERMS.indexOf('kv cache');
export const COMMUNICATION: TermIndex = TERMS.indexOf('communication');
export const TEMPORARIES: TermIndex = TERMS.indexOf('temporaries');
export const INPUTS: TermIndex = TERMS.indexOf('inputs and buffers');

/** Parameters of one kind: their number, and the device bytes that hold them. */
export interface Holding {
  readonly term: TermIndex;
  /** `bf16`, `fp32`, `nf4` … */
  readonly held: string;
  readonly count: number;
  readonly bytes: number;
}

/** The dtypes of a model's parameters, for the formulas of the sum. */
export class Inventory {
  private readonly entries: { term: TermIndex; held: string; count: number; bytes: number }[] = [];

  add({ term, held, count, bytes }: Holding): void {
    const entry = this.entries.find(other => other.term === term && other.held === held);
    if (entry) {
      entry.count += count;
      entry.bytes += bytes;
    } else {
      this.entries.push({ term, held, count, bytes });
    }
  }

  of(term: TermIndex): readonly Holding[] {
    return this.entries.filter(entry => entry.term === term);
  }
}
