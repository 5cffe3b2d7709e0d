/** Fields of a waiting job and their widths: squeue truncates longer values. */
const FIELDS = [
  ['JobArrayID', 60],
  ['Partition', 200],
  ['tres-alloc', 300],
  ['tres-per-node', 200],
  ['tres-per-job', 200],
] as const;

/** Arguments that list waiting jobs with their requests. */
export const WAITING = ['-h', '-t', 'PD', '-O', FIELDS.map(field => field.join(':')).join(',')] as const;

const GPU = /\bgpu\b/;

/** Jobs that wait for GPUs, by partition; a job that accepts several partitions counts in each. */
export function parseQueue(stdout: string): ReadonlyMap<string, number> {
  const waiting = new Map<string, number>();
  for (const line of stdout.split(/\r?\n/)) {
    const [id = '', partitions = '', ...requests] = cut(line);
    if (!requests.some(text => GPU.test(text))) continue;
    for (const name of partitions.split(',')) {
      waiting.set(name, (waiting.get(name) ?? 0) + tasks(id));
    }
  }
  return waiting;
}

function cut(line: string): readonly string[] {
  let at = 0;
  return FIELDS.map(([, width]) => line.slice(at, (at += width)).trim());
}

/** The number of remaining tasks in an array: `8_[2-5,9%2]`; 1 for a single job. */
function tasks(id: string): number {
  const list = /_\[([^\]%]*)/.exec(id)?.[1];
  if (list === undefined) return 1;
  const counts = list.split(',').map(range => {
    const [, first, last, step] = /^(\d+)(?:-(\d+))?(?::(\d+))?$/.exec(range) ?? [];
    return last === undefined ? 1 : Math.floor((Number(last) - Number(first)) / Number(step ?? 1)) + 1;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
