/** What a worker thread says: a question for the window's side, or its answer, or why there is none. */
export type FromWorker =
  | { readonly kind: 'ask'; readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string };

/** An answer to a question. */
export interface ToWorker {
  readonly id: number;
  readonly answer: unknown;
}
