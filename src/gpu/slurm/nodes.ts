import { gpusInTres, parseGres } from './gres';
import type { Gres } from './gres';
import { isRecord } from '../../core/text/json';

/** A node as slurmctld describes it. */
export interface SlurmNode {
  readonly name: string;
  /** The words of its state, in capitals: `MIXED`, `DRAIN`, `NOT_RESPONDING`. */
  readonly states: ReadonlySet<string>;
  readonly partitions: readonly string[];
  /** All of its GPUs, by type. */
  readonly gpus: readonly Gres[];
  /** The GPUs that jobs hold; null if unknown. */
  readonly gpusUsed: readonly Gres[] | null;
  /** Shares of GPUs that jobs hold instead of whole ones. */
  readonly shardsUsed: readonly Gres[];
  /** Why it is drained or down, in its administrator's words. */
  readonly reason: string | null;
}

/** Older versions append these to the state's word. */
const MARKS: Readonly<Record<string, string>> = {
  '*': 'NOT_RESPONDING',
  '~': 'POWERED_DOWN',
  '#': 'POWERING_UP',
  '%': 'POWERING_DOWN',
  '!': 'POWER_DOWN',
  $: 'MAINT',
  '@': 'REBOOT_ISSUED',
  '^': 'REBOOT_REQUESTED',
  '-': 'PLANNED',
};

/** Nodes in the output of `scontrol show node`, as JSON or one per line; null if it is neither. */
export function parseNodes(stdout: string): readonly SlurmNode[] | null {
  const text = stdout.trimStart();
  return text.startsWith('{') ? fromJson(text) : fromLines(text);
}

function fromLines(text: string): readonly SlurmNode[] | null {
  const lines = text.split(/\r?\n/).filter(line => line.startsWith('NodeName='));
  if (lines.length === 0) return /^No nodes in the system/m.test(text) ? [] : null;
  return lines.map(fromLine);
}

function fromLine(line: string): SlurmNode {
  // Free text (OS, Reason, Comment) may contain anything, but comes after the real field of that name.
  const field = (name: string) => new RegExp(`(?:^|\\s)${name}=(\\S*)`).exec(line)?.[1] ?? null;
  const reason = /\sReason=(.*?)(?:\s(?:Comment|Extra|InstanceId|InstanceType)=|$)/.exec(line)?.[1] ?? '';
  return nodeOf({
    name: field('NodeName') ?? '',
    states: statesIn(field('State') ?? ''),
    partitions: listOf(field('Partitions')),
    gres: field('Gres') ?? '',
    gresUsed: field('GresUsed'),
    tres: field('CfgTRES') ?? '',
    tresUsed: field('AllocTRES') ?? '',
    reason,
  });
}

/** `MIXED+DRAIN`, `IDLE*+DRAIN`, `down~`. */
function statesIn(text: string): readonly string[] {
  return text.split('+').flatMap(word => {
    const [, state = '', marks = ''] = /^([A-Za-z_]*)(\W*)$/.exec(word) ?? [];
    return [state.toUpperCase(), ...(marks.match(/./g) ?? []).flatMap(mark => MARKS[mark] ?? [])].filter(
      Boolean,
    );
  });
}

const listOf = (text: string | null): readonly string[] =>
  (text ?? '').split(',').filter(name => name !== '' && name !== '(null)');

function fromJson(text: string): readonly SlurmNode[] | null {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(document)) return null;
  const { nodes, errors } = document;
  if (!Array.isArray(nodes)) return null;
  // Errors are also reported in a document: without a node it is not an answer.
  if (nodes.length === 0 && Array.isArray(errors) && errors.length > 0) return null;
  return nodes.filter(isRecord).map(fromRecord);
}

function fromRecord(node: Readonly<Record<string, unknown>>): SlurmNode {
  const text = (name: string) => (typeof node[name] === 'string' ? node[name] : null);
  // A list since 23.02; before, a word with separate flags.
  const words = (name: string) => {
    const value = node[name];
    if (Array.isArray(value)) return value.filter(word => typeof word === 'string');
    return typeof value === 'string' ? value.split(',') : [];
  };
  return nodeOf({
    name: text('name') ?? '',
    states: [...words('state'), ...words('state_flags')].flatMap(statesIn),
    partitions: words('partitions').filter(Boolean),
    gres: text('gres') ?? '',
    gresUsed: text('gres_used'),
    tres: text('tres') ?? '',
    tresUsed: text('tres_used') ?? '',
    reason: text('reason') ?? '',
  });
}

interface Fields {
  readonly name: string;
  readonly states: readonly string[];
  readonly partitions: readonly string[];
  readonly gres: string;
  readonly gresUsed: string | null;
  readonly tres: string;
  readonly tresUsed: string;
  readonly reason: string;
}

function nodeOf(fields: Fields): SlurmNode {
  const { name, partitions } = fields;
  const all = parseGres(fields.gres);
  const used = fields.gresUsed === null ? null : parseGres(fields.gresUsed);
  const reason = fields.reason.trim();
  return {
    name,
    partitions,
    states: new Set(fields.states),
    gpus: named(all, 'gpu'),
    gpusUsed: used ? named(used, 'gpu') : usedByTres(fields),
    shardsUsed: named(used ?? [], 'shard'),
    reason: reason === '' || reason === '(null)' ? null : reason,
  };
}

const named = (all: readonly Gres[], name: string): readonly Gres[] => all.filter(gres => gres.name === name);

/** Versions before 17.11 report used resources only here, and only if GPUs are accounted. */
function usedByTres({ tres, tresUsed }: Fields): readonly Gres[] | null {
  return gpusInTres(tres) === null ? null : (gpusInTres(tresUsed) ?? []);
}
