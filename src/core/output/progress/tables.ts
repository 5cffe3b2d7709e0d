import { numberOf } from '../size';
import type { LineFields } from './fields';
import type { ProgressState } from './progress';

/** What a column of a table counts, by its name. */
const COLUMNS: readonly (readonly [keyof ProgressState, RegExp])[] = [
  ['epoch', /^epochs?$/i],
  ['step', /^(?:global[_ ])?(?:steps?|iter(?:ation)?s?|batch)$/i],
  ['loss', /^(?:train(?:ing)?[_ ])?loss$/i],
  ['learningRate', /^(?:lr|learning[_ ]rate)$/i],
];

/** People's tables have fewer columns, and shorter lines. */
const [MOST_COLUMNS, LONGEST] = [24, 400];

function cellsOf(line: string): readonly string[] {
  const inner = line.trim().replace(/^[|│]|[|│]$/g, '');
  const isRuled = /[|│]/.test(inner);
  const cells = inner.split(isRuled ? /[|│]/ : /\t| {2,}|,/).map(cell => cell.trim());
  return isRuled ? cells : cells.filter(cell => cell !== '');
}

/** Reads tables whose heading names a counter and the loss: of notebooks, of fastai, as CSV. */
export class Tables {
  private columns: readonly (keyof ProgressState | null)[] = [];

  /** The state of a row; null if the line is none. Remembers the last heading. */
  take(line: string): LineFields | null {
    if (line.length > LONGEST) return null;
    const cells = cellsOf(line);
    if (cells.length < 2 || cells.length > MOST_COLUMNS) return null;
    const names = cells.map(cell => COLUMNS.find(([, name]) => name.test(cell))?.[0] ?? null);
    const isHeading = names.includes('loss') && (names.includes('step') || names.includes('epoch'));
    if (isHeading) this.columns = names;
    return isHeading ? null : this.row(cells);
  }

  private row(cells: readonly string[]): LineFields | null {
    if (cells.length !== this.columns.length) return null;
    const found = this.columns.flatMap((name, at) => {
      const value = name === null ? null : numberOf(cells[at] ?? '');
      return name === null || value === null ? [] : [[name, value] as const];
    });
    const state: ProgressState = Object.fromEntries(found);
    const isCounted = state.step !== undefined || state.epoch !== undefined;
    return isCounted && state.loss !== undefined ? { state, weak: new Set() } : null;
  }
}
