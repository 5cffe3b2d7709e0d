/** Elements and bytes of a block. */
interface BlockType {
  /** The number that stands for the type in a GGUF file (ggml.h, enum ggml_type). */
  readonly id: number;
  readonly elements: number;
  readonly bytes: number;
}

/** Blocks of ggml's types (ggml 0.9, src/ggml-common.h: block_q4_0 … block_mxfp4). */
export const BLOCK_TYPES = {
  F32: { id: 0, elements: 1, bytes: 4 },
  F16: { id: 1, elements: 1, bytes: 2 },
  BF16: { id: 30, elements: 1, bytes: 2 },
  Q4_0: { id: 2, elements: 32, bytes: 18 },
  Q4_1: { id: 3, elements: 32, bytes: 20 },
  Q5_0: { id: 6, elements: 32, bytes: 22 },
  Q5_1: { id: 7, elements: 32, bytes: 24 },
  Q8_0: { id: 8, elements: 32, bytes: 34 },
  Q2_K: { id: 10, elements: 256, bytes: 84 },
  Q3_K: { id: 11, elements: 256, bytes: 110 },
  Q4_K: { id: 12, elements: 256, bytes: 144 },
  Q5_K: { id: 13, elements: 256, bytes: 176 },
  Q6_K: { id: 14, elements: 256, bytes: 210 },
  IQ1_S: { id: 19, elements: 256, bytes: 50 },
  IQ1_M: { id: 29, elements: 256, bytes: 56 },
  IQ2_XXS: { id: 16, elements: 256, bytes: 66 },
  IQ2_XS: { id: 17, elements: 256, bytes: 74 },
  IQ2_S: { id: 22, elements: 256, bytes: 82 },
  IQ3_XXS: { id: 18, elements: 256, bytes: 98 },
  IQ3_S: { id: 21, elements: 256, bytes: 110 },
  IQ4_NL: { id: 20, elements: 32, bytes: 18 },
  IQ4_XS: { id: 23, elements: 256, bytes: 136 },
  MXFP4: { id: 39, elements: 32, bytes: 17 },
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

/** The type that a row of this length is stored in. */
export function typeFor(type: GgmlType, columns: number): GgmlType {
  const fits = (name: GgmlType): boolean => columns % BLOCK_TYPES[name].elements === 0;
  const smaller = SMALLER[type] ?? 'F16';
  return fits(type) ? type : fits(smaller) ? smaller : 'F16';
}

/** Bytes of a matrix, in the type that its row length allows. */
export function bytesOf(type: GgmlType, columns: number, rows: number): number {
  const { elements, bytes } = BLOCK_TYPES[typeFor(type, columns)];
  return (columns / elements) * bytes * rows;
}
