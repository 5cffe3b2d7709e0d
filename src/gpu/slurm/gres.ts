/** One kind of generic resource on a node: `gpu:a100:8(S:0-1)`, `gpu:4`, `shard:16`. */
export interface Gres {
  readonly name: string;
  /** Null if the cluster defines no type, so that jobs cannot request it by type. */
  readonly type: string | null;
  readonly count: number;
  /** The text in parentheses: sockets, or the devices in use. */
  readonly detail: string;
}

/** slurm.conf allows these suffixes for counts. */
const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
  p: 2 ** 50,
};

const COUNT = /^(\d+)([kmgtp]?)$/i;

/** Parses a list of resources as scontrol and sinfo print it, configured or used; other entries are omitted. */
export function parseGres(text: string): readonly Gres[] {
  return entries(text).flatMap(entry => gresOf(entry) ?? []);
}

/** Splits at commas outside parentheses: `gpu:a100:2(IDX:0,3),shard:1`. */
function entries(text: string): readonly string[] {
  return text.match(/[^,()]+(?:\([^()]*\)[^,()]*)*/g) ?? [];
}

function gresOf(entry: string): Gres | null {
  // A device without a type is `gpu:4`, in some lists `shard:(null):1(IDX:0)`.
  const plain = entry.trim().replace('(null)', '');
  const [, head = '', detail = ''] = /^([^(]*)(?:\(([^)]*)\))?/.exec(plain) ?? [];
  const [name = '', ...words] = head.split(':').filter(word => word !== 'no_consume');
  const count = COUNT.exec(words.at(-1) ?? '');
  if (name === '' || !count) return null;
  const type = words.slice(0, -1).join(':');
  const factor = FACTORS[(count[2] ?? '').toLowerCase()] ?? 1;
  return { name, type: type === '' ? null : type, count: Number(count[1]) * factor, detail };
}

/**
 * Converts trackable resources (`cpu=16,mem=4000M,gres/gpu=8,gres/gpu:a100=8`). If types are given, the total is
 * omitted; null if the cluster does not track GPUs there.
 */
export function gpusInTres(text: string): readonly Gres[] | null {
  const found = [...text.matchAll(/gres\/(gpu)(?::([^=,/]+))?=(\d+)/g)].map(([, name = '', type, count]) => ({
    name,
    type: type ?? null,
    count: Number(count),
    detail: '',
  }));
  if (found.length === 0) return null;
  const typed = found.filter(({ type }) => type !== null);
  return typed.length > 0 ? typed : found;
}
