import { BUDGET } from './size';

/** Bytes that a batch of so many texts of so many tokens takes in addition to the model; null where no one can say. */
export type BatchBytes = (rows: number, width: number) => number | null;

/** How large batches are, and by what. Tokens are rows × longest. */
export interface BatchPlan {
  readonly tokens: number;
  /** What it may grow to while that is faster. */
  readonly most: number;
  /** Of the largest batch that begins the run, by the memory model; null where it does not know the model. */
  readonly bytes: number | null;
  /** Where batches are calculated, when the run begins; null where no one knows. */
  readonly freeBytes: number | null;
  readonly reason: 'asked' | 'usual' | 'memory';
}

export interface BatchRoom {
  readonly isCpu: boolean;
  /** What someone asked for. */
  readonly wished: number | undefined;
  /** Tokens of the longest text that the model takes. */
  readonly longest: number;
  readonly mostRows: number;
  /** Batches at a time. */
  readonly count: number;
  readonly bytesOf: BatchBytes | null;
  readonly freeBytes: number | null;
}

/** The rest is for what the memory model does not see, and for neighbours. */
const SHARE_OF_FREE = 0.8;
/** More tokens at a time are faster on no GPU that there is. */
const MOST_TOKENS = 1 << 18;

/**
 * What fits by the memory model: on a CPU as much as its cache likes, halved until it does; on a GPU from the usual on, with
 * room to double while that is faster.
 */
export function plannedBatch(room: BatchRoom): BatchPlan {
  const { isCpu, wished, freeBytes } = room;
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
  if (wished !== undefined) return plan(wished, wished, 'asked');
  let tokens: number = usual;
  while (tokens > room.longest && !fits(tokens)) tokens = Math.max(room.longest, Math.floor(tokens / 2));
  let most = tokens;
  if (!isCpu) while (most < MOST_TOKENS && bytesOf(room, most * 2) !== null && fits(most * 2)) most *= 2;
  return plan(tokens, most, tokens === usual ? 'usual' : 'memory');
}

/** Of all batches at a time, of texts as long as the model takes them: those take most. */
function bytesOf({ longest, mostRows, count, bytesOf: of }: BatchRoom, tokens: number): number | null {
  const rows = Math.max(1, Math.min(mostRows, Math.floor(tokens / longest)));
  const bytes = of?.(rows, Math.min(longest, Math.max(1, tokens))) ?? null;
  return bytes === null ? null : bytes * count;
}

/** A batch that is twice as large has to be this much faster, or it was not worth its memory. */
const WORTH = 1.05;

/** The size of batches while a run goes on: doubled while that is faster, halved when memory does not suffice. */
export class Budget {
  private rate = 0;
  private most: number;

  constructor(
    public tokens: number,
    most: number,
  ) {
    this.most = most;
  }

  /** Texts went through in batches of `used` tokens, so many tokens a second. */
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

  /** A batch of `used` tokens did not fit: what comes is half of that at most. */
  outOfMemory(used: number): void {
    this.tokens = Math.max(1, Math.min(this.tokens, Math.floor(used / 2)));
    this.most = this.tokens;
  }
}
