/** Something that can be given up. `AbortSignal` fits. */
export interface Signal {
  readonly aborted: boolean;
}

/** For work that nothing cancels. */
export const NEVER: Signal = { aborted: false };
