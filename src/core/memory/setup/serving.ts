import type { Target } from '../../hardware/gpu';
import type { ModelFacts } from '../../models/model';
import type { Engine, Serving } from '../engine';
import { profileOf } from '../frameworks/profileOf';
import type { Asker } from './asker';
import type { BatchShape } from './rows';
import { isInference } from './task';

/** The engine that a run is served by; null: none, the model's own code generates. */
export function engineOf(asker: Asker): Engine | null {
  if (!isInference(asker) || asker.value('task') === 'load') return null;
  return profileOf(asker.run.framework).serving;
}

/** What an engine was told, with its own defaults; null, and noted, where it cannot be known. */
export function servingOf(
  asker: Asker,
  engine: Engine,
  model: ModelFacts,
  target: Target | null,
): Serving | null {
  const { title, shareKey } = engine;
  if (target === null) asker.lack(`the GPU: ${title} takes a share of its memory`);
  const share = asker.detail('memoryShare') ?? engine.share;
  if (share === null) asker.lack(`${shareKey}: ${title} finds its own otherwise`);
  const context = asker.value('seqLen') ?? fullContext(asker, model);
  if (context === null) asker.lack('the longest sequence');
  if (share === null || context === null || target === null) return null;
  const sequences = asker.detail('maxSequences') ?? engine.sequences;
  return { engine, share, context, sequences };
}

/** Engines promise what the model was made for. */
function fullContext(asker: Asker, { maxPositions }: ModelFacts): number | null {
  if (maxPositions === null) return null;
  return asker.assume(
    maxPositions,
    `sequences of up to ${maxPositions} tokens, for which the model was made`,
  );
}

/** The pass by which an engine finds out what its model takes: as many tokens as it ever computes at once. */
export function profilingPass(asker: Asker, engine: Engine, target: Target | null): BatchShape {
  const tokens = asker.detail('prefillTokens') ?? engine.prefillTokens(target?.totalMiB ?? 0);
  return { batch: 1, tokens, padded: false, uneven: false, targets: 0, generated: 0, image: null };
}
