import type { Asker } from './asker';

/** Rows and tokens of one forward pass on one device. */
export interface BatchShape {
  readonly batch: number;
  readonly tokens: number;
  readonly padded: boolean;
  /** Tokens after the prompt. */
  readonly generated: number;
}

export function batchOf(asker: Asker): BatchShape | null {
  const rows = asker.needed('microBatchSize', 'the micro batch size');
  const tokens = asker.needed('seqLen', 'the sequence length');
  const perSample = asker.detail('sequencesPerSample') ?? 1;
  if (rows === null || tokens === null) return null;
  const attention = asker.value('attention') ?? '';
  const generated = Math.min(asker.detail('generatedTokens') ?? 0, tokens - 1);
  const padded = !unpads(attention) && paddedRows(asker);
  return { batch: rows * perSample, tokens: tokens - generated, padded, generated };
}

/** Whether rows need a mask: what the dialect says, else they do unless they are packed. */
function paddedRows(asker: Asker): boolean {
  const stated = asker.detail('paddedRows');
  if (stated !== null) return stated;
  if (asker.value('packing') === true) return false;
  return asker.assume(true, 'rows differ in length and are padded to the sequence length');
}

/** FlashAttention takes the padding out instead of masking it. */
export function unpads(attention: string): boolean {
  return attention.startsWith('flash_attention') || attention === 'flash';
}
