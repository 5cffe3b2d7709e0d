import type { PlaceKind } from '../core/compare/place';
import type { JobPlace } from '../jobs/job';

/** Valid host names for ssh; a leading dash would be an option. */
const ALIAS = /^[A-Za-z0-9_][A-Za-z0-9_.@:%+-]*$/;
/** Names of Slurm partitions that are safe as arguments. */
const PARTITION = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/**
 * Parses a place of a task's definition: `here`, `ssh:gpu-box`, `slurm`, `slurm:a100`, `slurm:a100@login` (a
 * partition behind a login node), `slurm@login`, `ray:http://127.0.0.1:8265`,
 * `kubernetes:IMAGE?context=lab&claim=data&folder=/data`. Null: none of these.
 */
export function placeOfWord(word: string): JobPlace | null {
  if (word === 'here') return { engine: 'local' };
  if (word.startsWith('ssh:')) return sshPlace(word.slice('ssh:'.length));
  if (word.startsWith('ray:')) return rayPlace(word.slice('ray:'.length));
  if (word.startsWith('kubernetes:')) return kubernetesPlace(word.slice('kubernetes:'.length));
  return slurmPlace(word);
}

/** The word of a place: the inverse of `placeOfWord`. */
export function wordOfPlace(place: JobPlace): string {
  switch (place.engine) {
    case 'local':
      return 'here';
    case 'ssh':
      return `ssh:${place.alias}`;
    case 'ray':
      return `ray:${place.address}`;
    case 'kubernetes': {
      const more = new URLSearchParams();
      for (const name of KUBERNETES) if (place[name] !== null) more.set(name, place[name]);
      return `kubernetes:${place.image}${more.size === 0 ? '' : `?${more.toString()}`}`;
    }
    case 'slurm':
      return `slurm${place.partition === null ? '' : `:${place.partition}`}${place.alias === null ? '' : `@${place.alias}`}`;
  }
}

function sshPlace(alias: string): JobPlace | null {
  return ALIAS.test(alias) ? { engine: 'ssh', alias, folder: null } : null;
}

function rayPlace(address: string): JobPlace | null {
  return /^https?:\/\/[^\s]+$/.test(address) ? { engine: 'ray', address } : null;
}

/** An image has no question mark. */
const KUBERNETES = ['context', 'namespace', 'folder', 'claim'] as const;

function kubernetesPlace(word: string): JobPlace | null {
  const [image = '', more = ''] = word.split('?');
  const given = new URLSearchParams(more);
  if (image === '' || [...given.keys()].some(name => !KUBERNETES.some(one => one === name))) return null;
  const of = (name: (typeof KUBERNETES)[number]): string | null => given.get(name);
  return {
    engine: 'kubernetes',
    image,
    context: of('context'),
    namespace: of('namespace'),
    folder: of('folder'),
    claim: of('claim'),
  };
}

function slurmPlace(word: string): JobPlace | null {
  const found = /^slurm(?::([^@]+))?(?:@(.+))?$/.exec(word);
  if (!found) return null;
  const [, partition = null, alias = null] = found;
  const isSafe = (partition === null || PARTITION.test(partition)) && (alias === null || ALIAS.test(alias));
  return isSafe ? { engine: 'slurm', alias, partition } : null;
}

/**
 * A place of a comparison as a job's place. Its id starts with its host's (`ssh:box/0`, `slurm:login/a100/…`,
 * `ray:10.0.0.7:8265/…`, `ray:https:%2F%2Fray.lab/…`); null for a GPU type of the catalog.
 */
export function placeOfCompared(kind: PlaceKind, id: string): JobPlace | null {
  const [host = '', part = ''] = id.split('/');
  const alias = host.slice(host.indexOf(':') + 1);
  switch (kind) {
    case 'local':
      return { engine: 'local' };
    case 'ssh':
      return sshPlace(alias);
    case 'slurm':
      return slurmPlace(`slurm${part === '' ? '' : `:${part}`}${alias === 'local' ? '' : `@${alias}`}`);
    case 'ray':
      return rayPlace(addressOf(decodeURIComponent(alias)));
    case 'metrics':
    case 'kubernetes':
    case 'catalog':
      return null;
  }
}

/** Ids omit the scheme if it is http. */
const addressOf = (word: string): string => (/^https?:\/\//.test(word) ? word : `http://${word}`);
