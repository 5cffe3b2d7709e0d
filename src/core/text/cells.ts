/** The line above each cell in the joined code of a notebook, as in scripts that are made of notebooks. */
export const CELL = '# %%\n';

/** Code of one cell in the text of its notebook: below a line that begins the cell, ended by a line break. */
export const cellText = (code: string): string => `${CELL}${code}${code.endsWith('\n') ? '' : '\n'}`;

/** A line (from 1) of a notebook's joined cells as its reader counts: `cell 2, line 1`; null: the text is no notebook's. */
export function lineInCells(text: string, line: number): string | null {
  if (!text.startsWith(CELL)) return null;
  const above = text.split('\n').slice(0, line);
  const starts = above.flatMap((one, at) => (`${one}\n` === CELL ? [at] : []));
  return `cell ${starts.length}, line ${line - 1 - (starts.at(-1) ?? 0)}`;
}
