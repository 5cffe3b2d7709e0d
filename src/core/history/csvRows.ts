/** The rows of a table with commas; cells in quotes may have commas. Linear; line breaks in cells end the row. */
export function rowsOfCsv(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .map(line => line.replace(/\r$/, ''))
    .filter(line => line !== '')
    .map(cellsOf);
}

function cellsOf(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(',');
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let i = 0; i < line.length; i++) {
    const char = line[i] ?? '';
    if (char === '"' && isQuoted && line[i + 1] === '"') cell += line[++i] ?? '';
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === ',' && !isQuoted) {
      cells.push(cell);
      cell = '';
    } else cell += char;
  }
  return [...cells, cell];
}
