/** What kind of fact is missing for an estimate, where a reader is told more than its phrase. */
export type Gap =
  | { readonly what: 'task' | 'model' | 'adapters' | 'other' }
  /** The config, class or family that is not known, the task that is not modeled. */
  | { readonly what: 'architecture' | 'memory model' | 'memory of the task'; readonly name: string }
  /** An engine takes a share of a GPU that is not chosen. */
  | { readonly what: 'GPU for a share'; readonly name: string }
  /** A GPU has to be chosen for another reason. */
  | { readonly what: 'GPU' };

export const OTHER_GAP: Gap = { what: 'other' };

/** A GPU that is chosen would give an estimate or a verdict. */
export const isOfGpu = ({ what }: Gap): boolean => what === 'GPU' || what === 'GPU for a share';
