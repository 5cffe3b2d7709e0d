import { join } from '../../text/paths';
import type { LogFacts, LoggedGpu, LogReader } from '../logs';
import { noFacts } from '../logs';
import { peakOf } from '../scalars';

const NAME = /\.(?:txt|psv|csv|log|out)$|sacct/i;
/** sacct's table starts within this many characters: what is before it is the command. */
const HEAD = 2000;

/**
 * Slurm's accounting: the table of `sacct -P` or `-p` with TRESUsageInMax, which states the memory of GPUs (`gres/gpumem`, since
 * Slurm 21.08), or with AllocTRES.
 */
export const sacct: LogReader = {
  async read({ path, names }, files) {
    const found: LogFacts[] = [];
    for (const name of names.filter(one => NAME.test(one)).slice(0, 200)) {
      const text = await files.text(join(path, name));
      const isTable = text !== null && /\bJobID(?:Raw)?\b/.test(text.slice(0, HEAD));
      if (isTable) found.push(...factsIn(join(path, name), text));
    }
    return found;
  },
};

type Row = Readonly<Record<string, string>>;

function factsIn(file: string, text: string): readonly LogFacts[] {
  const jobs = new Map<string, Row[]>();
  for (const row of rowsOf(text)) {
    const id = (row['JobIDRaw'] ?? row['JobID'] ?? '').split('.')[0] ?? '';
    if (!/^\d/.test(id)) continue;
    const job = jobs.get(id);
    if (job) job.push(row);
    else jobs.set(id, [row]);
  }
  return [...jobs].flatMap(([id, rows]) => factsOf(`${file}#${id}`, rows) ?? []);
}

/** Rows by column. Separated by `|`, or padded under a line of dashes. */
function rowsOf(text: string): readonly Row[] {
  const lines = text.split('\n').map(line => line.trimEnd());
  const start = lines.findIndex(line => /\bJobID(?:Raw)?\b/.test(line));
  const [head = '', ...rest] = lines.slice(start);
  const cut = head.includes('|') ? (line: string) => line.split('|') : padded(rest[0] ?? '');
  const names = cut(head).map(name => name.trim());
  return rest
    .filter(line => line !== '' && !/^[\s-]+$/.test(line))
    .map(line => {
      const cells = cut(line);
      return Object.fromEntries(names.map((name, i) => [name, (cells[i] ?? '').trim()]));
    });
}

/** Columns end where the dashes under them do. */
function padded(dashes: string): (line: string) => readonly string[] {
  const columns = [...dashes.matchAll(/-+/g)].map(
    ({ index, 0: { length } }) => [index, index + length] as const,
  );
  return line => columns.map(([from, to]) => line.slice(from, to));
}

function factsOf(run: string, rows: readonly Row[]): LogFacts | null {
  const usage = rows.map(row => row['TRESUsageInMax'] ?? '').filter(text => text.includes('gres/gpumem='));
  const gpu = gpuOf(rows);
  if (usage.length === 0 && gpu === null) return null;
  const most = Math.max(0, ...usage.map(text => amountOf(/gres\/gpumem=([^,]*)/.exec(text)?.[1] ?? '') ?? 0));
  // The amount is that of a task: with several GPUs it is the sum of theirs.
  const peak = gpu?.count === 1 || gpu === null ? peakOf('device', [most]) : null;
  const at = Date.parse(
    `${rows.map(row => row['End'] ?? row['Start'] ?? '').find(text => /^\d{4}-/.test(text)) ?? ''}Z`,
  );
  return {
    ...noFacts('sacct', run),
    atMs: Number.isNaN(at) ? null : at,
    gpu,
    peaks: peak ? [peak] : [],
  };
}

/** `gres/gpu:a100=2`, else `gres/gpu=2`. */
function gpuOf(rows: readonly Row[]): LoggedGpu | null {
  const all = rows.map(row => row['AllocTRES'] ?? row['ReqTRES'] ?? '').join(' ');
  const typed = /gres\/gpu:([\w.-]+)=(\d+)/.exec(all);
  const count = Number(typed?.[2] ?? /gres\/gpu=(\d+)/.exec(all)?.[1] ?? 0);
  return count > 0 ? { name: typed?.[1] ?? '', totalMiB: null, count } : null;
}

const SCALE: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** `38888M`; null: not an amount. */
function amountOf(text: string): number | null {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(text.trim()) ?? [];
  return digits === '' ? null : Math.round(Number(digits) * (SCALE[unit] ?? 1));
}
