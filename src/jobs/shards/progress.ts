/** The progress of one part, from its own last progress line. */
export interface ShardProgress {
  readonly rows: number;
  readonly rowsTotal: number | null;
  readonly rowsPerS: number;
  readonly tokensPerS: number;
}

/** The last `{"event":"embed-progress",…}` in a piece of output; null if there is none. */
export function lastProgress(text: string): ShardProgress | null {
  for (const line of text.split('\n').reverse()) {
    if (!line.startsWith('{"event":"embed-progress"')) continue;
    try {
      const { rows, rowsTotal, rowsPerS, tokensPerS } = JSON.parse(line) as Record<string, unknown>;
      return {
        rows: number(rows) ?? 0,
        rowsTotal: number(rowsTotal),
        rowsPerS: number(rowsPerS) ?? 0,
        tokensPerS: number(tokensPerS) ?? 0,
      };
    } catch {
      // A line that is still being written.
    }
  }
  return null;
}

const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

export interface WholeProgress {
  readonly rows: number;
  /** Null until a part has reported its total. */
  readonly rowsTotal: number | null;
  readonly rowsPerS: number;
  readonly tokensPerS: number;
  /** Null if unknown. */
  readonly etaS: number | null;
}

/**
 * The progress of all parts. Parts of one input are similar, so a part that has not begun counts with the average
 * rows of the others.
 */
export function together(
  parts: readonly { readonly isDone: boolean; readonly progress: ShardProgress | null }[],
): WholeProgress {
  const totals = parts.map(({ progress }) => progress?.rowsTotal ?? null).filter(rows => rows !== null);
  const each = totals.length === 0 ? null : totals.reduce((sum, rows) => sum + rows, 0) / totals.length;
  const rowsTotal = each === null ? null : Math.round(each * parts.length);
  const rows = parts.reduce(
    (sum, { isDone, progress }) =>
      sum + (isDone ? (progress?.rowsTotal ?? each ?? 0) : (progress?.rows ?? 0)),
    0,
  );
  const active = parts.filter(({ isDone }) => !isDone);
  const rate = (name: 'rowsPerS' | 'tokensPerS') =>
    active.reduce((sum, { progress }) => sum + (progress?.[name] ?? 0), 0);
  const rowsPerS = rate('rowsPerS');
  const left = rowsTotal === null ? null : Math.max(0, rowsTotal - rows);
  const etaS = left === 0 ? 0 : left === null || rowsPerS === 0 ? null : left / rowsPerS;
  return { rows: Math.round(rows), rowsTotal, rowsPerS, tokensPerS: rate('tokensPerS'), etaS };
}
