import { shellLine } from '../core/launch/words';
import type { ClusterPlace } from '../jobs/job';
import { placeName } from '../jobs/job';
import type { HostOfMany } from '../core/compare/machines';
import { commas } from '../core/text/lists';
import { english } from '../core/text/say';
import type { Say } from '../core/text/say';

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
  /** The config file for ssh; null: ssh's default. */
  readonly sshConfig: string | null;
  /** The command that starts Headroom on other machines; empty: the default. */
  readonly hostCommand: readonly string[];
  /** The host's Python computes, even if Headroom is installed there. */
  readonly onlyPython: boolean;
}

/** A command from the setting; null if it cannot be passed on a command line word for word. */
export function commandIn(value: unknown): readonly string[] | null {
  const isWord = (word: unknown): word is string =>
    // A leading dash would be one of our own options.
    typeof word === 'string' && word.trim() !== '' && !word.startsWith('-');
  return Array.isArray(value) && value.every(isWord) ? value : null;
}

/** The command of an embedding with the arguments that spread it; the command reads everything else itself. */
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
export function whereText(spread: Spread, say: Say = english): string {
  if (spread.kind === 'cluster') return placeName(spread.place, say);
  const all = spread.hosts.map(({ name, gpus }) => {
    const on =
      gpus.length === 0
        ? say('its CPU')
        : commas(
            say,
            gpus.map(({ index }) => `GPU ${index}`),
          );
    return say('{0} ({1})', name, on);
  });
  return commas(say, all);
}

function splitText(say: Say, spread: Spread): string {
  const count = partCount(spread);
  if (spread.kind === 'hosts') {
    return count === 1
      ? say('All texts are one part, one on each GPU.')
      : say('The texts are split into {0} equal parts, one on each GPU.', count);
  }
  return count === 1
    ? say('All texts are one part, each a job of the scheduler.')
    : say('The texts are split into {0} equal parts, each a job of the scheduler.', count);
}

/** How the work is split, and what happens to the parts. */
export function partsText(spread: Spread, reach: Reach, say: Say = english): readonly string[] {
  return [
    splitText(say, spread),
    say(
      'A part that fails is retried elsewhere up to three times. When all parts are done, Headroom downloads, merges and verifies them.',
    ),
    ...programText(say, spread, reach),
  ];
}

function programText(say: Say, spread: Spread, { hostCommand, onlyPython }: Reach): readonly string[] {
  const where = spread.kind === 'hosts' ? say('each host') : say('each machine that runs a part');
  if (onlyPython) {
    return [
      say(
        'On {0}, its own Python computes the vectors, with sentence-transformers and the scripts that Headroom copies there.',
        where,
      ),
    ];
  }
  const isCopied =
    spread.kind === 'hosts' || (spread.place.engine === 'slurm' && spread.place.alias !== null);
  const otherwise = say(
    'Otherwise, its own Python computes the vectors, with sentence-transformers and the scripts that Headroom copies there.',
  );
  if (hostCommand.length > 0) {
    const called = say('On {0}, Headroom starts with: {1}.', where, shellLine(hostCommand));
    return isCopied ? [called, otherwise] : [called];
  }
  return isCopied ? [say('On {0}, headroom is used if it is installed. {1}', where, otherwise)] : [];
}

/** One part per GPU; a host without a GPU takes one on its CPU. */
export const partCount = (spread: Spread): number =>
  spread.kind === 'cluster'
    ? spread.parts
    : spread.hosts.reduce((sum, { gpus }) => sum + Math.max(1, gpus.length), 0);
