/** Cells of a line whose columns stand at least two spaces apart; single spaces belong to a cell (`171 W`). */
export function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .split(/\s{2,}/)
    .filter(cell => cell !== '');
}

/** A row by the names of its columns; null when it has not as many cells. */
export function rowBy(
  names: readonly string[],
  cells: readonly string[],
): ReadonlyMap<string, string> | null {
  return names.length === cells.length ? new Map(names.map((name, at) => [name, cells[at] ?? ''])) : null;
}

/** Cells of a CSV line, with quotes where a cell has them. */
export function csvCells(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    (quoted?.replaceAll('""', '"') ?? plain ?? '').trim(),
  );
}
