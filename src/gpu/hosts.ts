import { isAlias } from './ssh/arguments';

/** A host as the setting `headroom.hosts` has it: `"alias"` or `{"ssh": "alias", "name": "…"}`. */
export interface SshSpec {
  readonly kind: 'ssh';
  readonly alias: string;
  readonly name: string;
}

export type HostSpec = SshSpec;

/** Reads one form of an entry: null when it is another form, a sentence when it is this one and wrong. */
type SpecReader = (entry: Readonly<Record<string, unknown>>) => HostSpec | string | null;

const readers: readonly SpecReader[] = [readSsh];

export interface Hosts {
  readonly specs: readonly HostSpec[];
  /** A sentence for each entry that was left out. */
  readonly problems: readonly string[];
}

/** The hosts of the setting, each once; what is wrong is left out and told. */
export function readHosts(value: unknown): Hosts {
  const specs = new Map<string, HostSpec>();
  const problems: string[] = [];
  for (const entry of Array.isArray(value) ? (value as readonly unknown[]) : []) {
    const spec = specOf(entry);
    if (typeof spec === 'string') problems.push(spec);
    else if (!specs.has(idOf(spec))) specs.set(idOf(spec), spec);
  }
  return { specs: [...specs.values()], problems };
}

/** The id that its watch has. */
export const idOf = (spec: HostSpec): string => `${spec.kind}:${spec.alias}`;

function specOf(entry: unknown): HostSpec | string {
  const form = typeof entry === 'string' ? { ssh: entry } : entry;
  if (typeof form === 'object' && form !== null) {
    for (const read of readers) {
      const spec = read(form as Readonly<Record<string, unknown>>);
      if (spec !== null) return spec;
    }
  }
  return `${JSON.stringify(entry)} is no host; write "alias" or {"ssh": "alias"}.`;
}

function readSsh({ ssh, name }: Readonly<Record<string, unknown>>): HostSpec | string | null {
  if (ssh === undefined) return null;
  if (typeof ssh !== 'string' || !isAlias(ssh)) {
    return `${JSON.stringify(ssh)} is not the name of an SSH host.`;
  }
  return { kind: 'ssh', alias: ssh, name: typeof name === 'string' && name.trim() !== '' ? name : ssh };
}
