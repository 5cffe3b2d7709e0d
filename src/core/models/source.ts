import type { ModelFacts } from './model';

/** What a search for a model's facts came to. */
export interface ModelLookup {
  readonly model: ModelFacts | null;
  /** Without facts: a sentence that says where was looked and what was wrong there. */
  readonly why: string | null;
  /** Files that were read or looked for; the answer may change when one of them does. */
  readonly dependencies: readonly string[];
}

/** Architecture facts by hub id or by folder. */
export interface ModelSource {
  /** `from` is the file that names the model: a relative path is tried beside it first. */
  find(model: string, from: string): Promise<ModelLookup>;
}
