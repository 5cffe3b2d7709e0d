import { BUDGET } from './size';

/** The bytes of a batch with this many texts of this many tokens, in addition to the model; null if unknown. */
export type BatchBytes = (rows: number, width: number) => number | null;

/** The size of batches and its reason. Tokens are rows × longest. */
export interface BatchPlan {
  readonly tokens: number;
  /** The limit for growing while larger batches are faster. */
  readonly most: number;
  /** Of the largest batch at the start, by the memory model; null if it does not know the model. */
  readonly bytes: number | null;
  /** On the device at the start; null if unknown. */
  readonly freeBytes: number | null;
  readonly reason: 'asked' | 'usual' | 'memory';
}

export interface BatchRoom {
  readonly isCpu: boolean;
  /** The user's wish. */
  readonly requestedTokens: number | undefined;
  /** Tokens of the longest text that the model accepts. */
  readonly longest: number;
  readonly mostRows: number;
  /** Concurrent batches. */
  readonly count: number;
  readonly bytesOf: BatchBytes | null;
  readonly freeBytes: number | null;
}

/** The rest is for memory that the memory model does not know, and for other programs. */
const SHARE_OF_FREE = 0.8;
/** Larger batches are not faster on any current GPU. */
const MOST_TOKENS = 1 << 18;

/**
 * The batch size that fits by the memory model: on a CPU the one that suits its cache, halved until it fits; on a
 * GPU the usual one, with room to double while that is faster.
 */
export function plannedBatch(room: BatchRoom): BatchPlan {
  const { isCpu, requestedTokens, freeBytes } = room;
  const usual = isCpu ? BUDGET.cpu : BUDGET.gpu;
  const fits = (tokens: number): boolean => {
    const bytes = bytesOf(room, tokens);
    return bytes === null || freeBytes === null || bytes <= freeBytes * SHARE_OF_FREE;
  };
  const plan = (tokens: number, most: number, reason: BatchPlan['reason']): BatchPlan => ({
    tokens,
    most,
    bytes: bytesOf(room, tokens),
    freeBytes,
    reason,
  });
  if (requestedTokens !== undefined) return plan(requestedTokens, requestedTokens, 'asked');
  let tokens: number = usual;
  while (tokens > room.longest && !fits(tokens)) tokens = Math.max(room.longest, Math.floor(tokens / 2));
  let most = tokens;
  if (!isCpu) while (most < MOST_TOKENS && bytesOf(room, most * 2) !== null && fits(most * 2)) most *= 2;
  return plan(tokens, most, tokens === usual ? 'usual' : 'memory');
}

/** For all concurrent batches, with texts of maximum length, which need most. */
function bytesOf({ longest, mostRows, count, bytesOf: of }: BatchRoom, tokens: number): number | null {
  const rows = Math.max(1, Math.min(mostRows, Math.floor(tokens / longest)));
  const bytes = of?.(rows, Math.min(longest, Math.max(1, tokens))) ?? null;
  return bytes === null ? null : bytes * count;
}

/** The minimum speedup that justifies doubling a batch. */
const WORTH = 1.05;

/** The batch size during a run: doubled while that is faster, halved when memory runs out. */
export class Budget {
  private rate = 0;
  private most: number;

  constructor(
    public tokens: number,
    most: number,
  ) {
    this.most = most;
  }

  /** Reports the speed in tokens per second of batches with `used` tokens. */
  rated(used: number, tokensPerS: number): void {
    if (used !== this.tokens || this.most <= used) return;
    if (tokensPerS >= this.rate * WORTH) {
      this.rate = tokensPerS;
      this.tokens = Math.min(this.most, used * 2);
      return;
    }
    this.tokens = Math.max(1, Math.floor(used / 2));
    this.most = this.tokens;
  }

  /** A batch with `used` tokens did not fit: further ones get at most half of that. */
  outOfMemory(used: number): void {
    this.tokens = Math.max(1, Math.min(this.tokens, Math.floor(used / 2)));
    this.most = this.tokens;
  }
}
