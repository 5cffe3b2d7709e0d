/** The line above each cell in the joined code of a notebook, as in scripts that are made of notebooks. */
export const CELL = '# %%\n';

/** Code of one cell in the text of its notebook: below a line that begins the cell, ended by a line break. */
export const cellText = (code: string): string => `${CELL}${code}${code.endsWith('\n') ? '' : '\n'}`;
