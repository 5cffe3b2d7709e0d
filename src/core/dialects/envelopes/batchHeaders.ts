import type { Launched } from '../../spec/runSpec';
import { CUDA, derivedFrom } from '../command/nodes';

/** Comment lines in which LSF, PBS and Torque state the GPUs of a script. */
interface Header {
  readonly key: string;
  /** Groups: the text of the request; the GPUs per host. */
  readonly line: RegExp;
  /** If it matches, the job has several hosts, and the GPUs of one host are not those of the run. */
  readonly unless: RegExp;
}

const HEADERS: readonly Header[] = [
  // bsub(1) of LSF 10.1: `-gpu "num=N[/task | host]"`, by default on each host.
  {
    key: 'bsub.gpu',
    line: /^#BSUB[ \t]{1,20}-gpu[ \t]{1,20}"?[^"\n]{0,200}?\b(num=(\d{1,3}))(?!\d|\/task)/m,
    unless: /^#BSUB[^\n]*\bptile\b/m,
  },
  // Before `-gpu`: a resource of each host.
  {
    key: 'bsub.R',
    line: /^#BSUB[ \t]+-R[ \t][^\n]{0,200}?\b(ngpus_excl_p=(\d{1,3}))\b/m,
    unless: /^#BSUB[^\n]*\bptile\b/m,
  },
  // pbs_resources(7): chunks of which each has its GPUs; one chunk is on one host.
  {
    key: 'pbs.select',
    line: /^#PBS[ \t]+-l[ \t]+select=(?:1:)?(?!\d+:)[^\n+]{0,200}?\b(ngpus=(\d{1,3}))\b(?![^\n]*\+)/m,
    unless: /^#PBS[ \t]+-l[ \t]+select=(?!1\b)\d/m,
  },
  // qsub of Torque: `nodes=1:ppn=4:gpus=2`.
  {
    key: 'pbs.nodes',
    line: /^#PBS[ \t]+-l[ \t]+nodes=1:[^\n+]{0,200}?\b(gpus=(\d{1,3}))\b(?![^\n]*\+)/m,
    unless: /^(?!)/,
  },
];

/** Characters to search: these lines are at the top. */
const HEAD = 20_000;

/** The GPUs that the top of a script asks a batch system for; empty: none, or their number is not known. */
export function askedByHeader(text: string): Launched {
  const head = text.slice(0, HEAD);
  for (const { key, line, unless } of HEADERS) {
    const [, asked = '', count] = line.exec(head) ?? [];
    if (count === undefined || Number(count) === 0 || unless.test(head)) continue;
    return { accelerator: CUDA, devices: { ...derivedFrom([key], Number(count), asked), unit: 'GPUs' } };
  }
  return {};
}
