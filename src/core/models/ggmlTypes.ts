/** Elements and bytes of a block. */
export interface BlockType {
  readonly elements: number;
  readonly bytes: number;
}

/** Blocks of ggml's types (ggml 0.9, src/ggml-common.h: block_q4_0 … block_mxfp4). */
export const BLOCK_TYPES = {
  F32: { elements: 1, bytes: 4 },
  F16: { elements: 1, bytes: 2 },
  BF16: { elements: 1, bytes: 2 },
  Q4_0: { elements: 32, bytes: 18 },
  Q4_1: { elements: 32, bytes: 20 },
  Q5_0: { elements: 32, bytes: 22 },
  Q5_1: { elements: 32, bytes: 24 },
  Q8_0: { elements: 32, bytes: 34 },
  Q2_K: { elements: 256, bytes: 84 },
  Q3_K: { elements: 256, bytes: 110 },
  Q4_K: { elements: 256, bytes: 144 },
  Q5_K: { elements: 256, bytes: 176 },
  Q6_K: { elements: 256, bytes: 210 },
  IQ1_S: { elements: 256, bytes: 50 },
  IQ1_M: { elements: 256, bytes: 56 },
  IQ2_XXS: { elements: 256, bytes: 66 },
  IQ2_XS: { elements: 256, bytes: 74 },
  IQ2_S: { elements: 256, bytes: 82 },
  IQ3_XXS: { elements: 256, bytes: 98 },
  IQ3_S: { elements: 256, bytes: 110 },
  IQ4_NL: { elements: 32, bytes: 18 },
  IQ4_XS: { elements: 256, bytes: 136 },
  MXFP4: { elements: 32, bytes: 17 },
} as const satisfies Readonly<Record<string, BlockType>>;

export type GgmlType = keyof typeof BLOCK_TYPES;

/**
 * Types with smaller blocks, for rows that are not a multiple of the large block (llama-quant.cpp,
 * tensor_type_fallback).
 */
const SMALLER: Readonly<Partial<Record<GgmlType, GgmlType>>> = {
  IQ1_S: 'IQ4_NL',
  IQ1_M: 'IQ4_NL',
  IQ2_XXS: 'IQ4_NL',
  IQ2_XS: 'IQ4_NL',
  IQ2_S: 'IQ4_NL',
  IQ3_XXS: 'IQ4_NL',
  IQ3_S: 'IQ4_NL',
  IQ4_XS: 'IQ4_NL',
  Q2_K: 'Q4_0',
  Q3_K: 'Q4_0',
  Q4_K: 'Q5_0',
  Q5_K: 'Q5_1',
  Q6_K: 'Q8_0',
};

/** Bytes of a matrix, in the type that its row length allows. */
export function bytesOf(type: GgmlType, columns: number, rows: number): number {
  const fits = (name: GgmlType): boolean => columns % BLOCK_TYPES[name].elements === 0;
  const smaller = SMALLER[type] ?? 'F16';
  const held = fits(type) ? type : fits(smaller) ? smaller : 'F16';
  const { elements, bytes } = BLOCK_TYPES[held];
  return (columns / elements) * bytes * rows;
}
