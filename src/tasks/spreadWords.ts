import { shellLine } from '../core/launch/words';
import type { ClusterPlace } from '../jobs/job';
import { placeName } from '../jobs/job';
import type { HostOfMany } from './ports';

/** Where the parts of an embedding go. */
export type Spread =
  | { readonly kind: 'hosts'; readonly hosts: readonly HostOfMany[] }
  | {
      readonly kind: 'cluster';
      readonly place: ClusterPlace;
      readonly name: string;
      readonly parts: number;
    };

/** How this user reaches other machines. */
export interface Reach {
  /** The config that ssh is to read; null: its own. */
  readonly sshConfig: string | null;
  /** How Headroom is called there; empty: as it is usual there. */
  readonly hostCommand: readonly string[];
  /** The Python there calculates, whether Headroom is there or not. */
  readonly onlyPython: boolean;
}

/** A command as the setting has it; null: it is none that a command line can be given word for word. */
export function commandIn(value: unknown): readonly string[] | null {
  const isWord = (word: unknown): word is string =>
    // What begins with a dash would be an option of our own.
    typeof word === 'string' && word.trim() !== '' && !word.startsWith('-');
  return Array.isArray(value) && value.every(isWord) ? value : null;
}

/** The command of an embedding with what spreads it; it reads everything again by itself. */
export function spreadWords(
  argv: readonly string[],
  spread: Spread,
  { sshConfig, hostCommand, onlyPython }: Reach,
): readonly string[] {
  const own = argv.filter(word => word !== '--verify');
  const ssh = sshConfig === null ? [] : ['--ssh-config', sshConfig];
  const called = [
    ...(hostCommand.length === 0 ? [] : ['--host-command', ...hostCommand]),
    ...(onlyPython ? ['--only-python'] : []),
  ];
  if (spread.kind === 'hosts') {
    return [...own, ...ssh, ...called, '--hosts', ...spread.hosts.map(({ alias }) => alias)];
  }
  const { place, parts } = spread;
  const many = ['--parts', String(parts)];
  if (place.engine === 'ray') return [...own, ...called, '--ray', place.address, ...many];
  const login = place.alias === null ? [] : [place.alias];
  const partition = place.partition === null ? [] : ['--partition', place.partition];
  return [...own, ...ssh, ...called, '--slurm', ...login, ...partition, ...many];
}

/** `gpu-a (GPU 0, GPU 1), gpu-b (its processors)`. */
export function whereText(spread: Spread): string {
  if (spread.kind === 'cluster') return placeName(spread.place);
  return spread.hosts
    .map(({ name, gpus }) => {
      const on = gpus.length === 0 ? 'its CPU' : gpus.map(({ index }) => `GPU ${index}`).join(', ');
      return `${name} (${on})`;
    })
    .join(', ');
}

/** How it is split, and what becomes of the parts. */
export function partsText(spread: Spread, reach: Reach): readonly string[] {
  const count = partCount(spread);
  const parts = count === 1 ? 'All texts are one part' : `The texts are split into ${count} equal parts`;
  const each = spread.kind === 'hosts' ? 'one on each GPU' : 'each a job of the scheduler';
  return [
    `${parts}, ${each}.`,
    'A part that fails is retried elsewhere up to three times. When all parts are done, Headroom downloads, merges and verifies them.',
    ...programText(spread, reach),
  ];
}

function programText(spread: Spread, { hostCommand, onlyPython }: Reach): readonly string[] {
  const where = spread.kind === 'hosts' ? 'each host' : 'each machine that runs a part';
  const scripts = 'with sentence-transformers and the scripts that Headroom copies there';
  if (onlyPython) return [`On ${where}, its own Python computes the vectors, ${scripts}.`];
  const isCopied =
    spread.kind === 'hosts' || (spread.place.engine === 'slurm' && spread.place.alias !== null);
  const otherwise = `Otherwise, its own Python computes the vectors, ${scripts}.`;
  if (hostCommand.length > 0) {
    const called = `On ${where}, Headroom starts with: ${shellLine(hostCommand)}.`;
    return isCopied ? [called, otherwise] : [called];
  }
  return isCopied ? [`On ${where}, headroom is used if it is installed. ${otherwise}`] : [];
}

/** One on each GPU; a host without any takes one on its processors. */
export const partCount = (spread: Spread): number =>
  spread.kind === 'cluster'
    ? spread.parts
    : spread.hosts.reduce((sum, { gpus }) => sum + Math.max(1, gpus.length), 0);
