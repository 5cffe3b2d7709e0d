import { basename, join } from '../../text/paths';
import type { LogReader } from '../logs';
import { noFacts } from '../logs';
import { configsIn } from '../nearConfigs';
import { Scalars } from '../scalars';

const METRICS = 'metrics.csv';

/** PyTorch Lightning: `metrics.csv` of its CSVLogger (loggers/csv_logs.py), and the folder `version_N` of any logger. */
export const lightning: LogReader = {
  async read({ path, names }, files) {
    const isVersion = /^version_\d+$/.test(basename(path)) && names.includes('hparams.yaml');
    const table = names.includes(METRICS) ? await files.text(join(path, METRICS)) : null;
    if (table === null && !isVersion) return [];
    const scalars = new Scalars();
    const steps = table === null ? null : readTable(scalars, table);
    if (table !== null && steps === null && !isVersion) return [];
    return [
      {
        ...noFacts('lightning', path),
        peaks: scalars.peaks(),
        speed: scalars.speed(),
        steps: steps ?? null,
        configs: await configsIn(path, files),
      },
    ];
  },
};

/** Adds all columns; returns the number of steps, null for a table that is not Lightning's. */
function readTable(scalars: Scalars, text: string): number | null {
  const [head = [], ...rows] = rowsOfCsv(text);
  const at = head.indexOf('step');
  if (at < 0 || !head.includes('epoch')) return null;
  let most = 0;
  for (const row of rows) {
    for (const [i, name] of head.entries()) {
      const cell = row[i] ?? '';
      if (i !== at && cell !== '') scalars.add(name, Number(cell));
    }
    const step = Number(row[at] ?? '');
    // Lightning counts steps from 0.
    if (Number.isFinite(step)) most = Math.max(most, step + 1);
  }
  return most;
}

/** The rows of a table with commas; cells in quotes may have commas. Linear; line breaks in cells end the row. */
function rowsOfCsv(text: string): readonly (readonly string[])[] {
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
