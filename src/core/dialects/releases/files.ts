import { addPins, releaseIn } from '../command/pins';
import type { Pins } from '../command/pins';
import { packageName } from '../../spec/version';
import { dockerPins } from './dockerfile';

/** A kind of file that says which releases a project has; `rank`: lower wins. */
interface ReleaseFile {
  readonly name: RegExp;
  readonly rank: number;
  readonly read: (text: string) => Pins;
}

/** Files next to a config that state releases, locks first. */
const FILES: readonly ReleaseFile[] = [
  { name: /^(?:uv|poetry|pdm)\.lock$/, rank: 0, read: lockedIn },
  { name: /^(?:pixi\.lock|conda-lock\.ya?ml)$/, rank: 0, read: builtIn },
  { name: /^Pipfile\.lock$/, rank: 0, read: pipfileLock },
  { name: /^requirements[\w.-]{0,40}\.txt$|^constraints[\w.-]{0,40}\.txt$/, rank: 1, read: requirementsIn },
  { name: /^pyproject\.toml$|^pixi\.toml$|^Pipfile$/, rank: 2, read: tomlPins },
  { name: /^setup\.(?:py|cfg)$/, rank: 2, read: setupPins },
  { name: /^(?:environment|conda)[\w.-]{0,40}\.ya?ml$/, rank: 2, read: listedIn },
  {
    name: /^(?:[\w.-]{1,60}\.)?(?:Dockerfile|Containerfile)(?:\.[\w.-]{1,60})?$/i,
    rank: 3,
    read: dockerPins,
  },
];

/** The names among a folder's files that state releases, the surest first. */
export function releaseFilesIn(names: readonly string[]): readonly string[] {
  return names
    .flatMap(name => {
      const file = FILES.find(one => one.name.test(name));
      return file ? [{ name, rank: file.rank }] : [];
    })
    .toSorted((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

/** The releases that a file states; null: a file of another name. Any text is read without an error. */
export const releasesOfFile = (name: string, text: string): Pins | null =>
  FILES.find(one => one.name.test(name))?.read(text) ?? null;

/** The release of a package by a folder of its metadata (`vllm-0.8.5.dist-info`); null: another folder. */
export function releaseOfMetadata(folder: string, library: string): string | null {
  const [, own = '', release = null] = /^([\w.]{1,80})-(\d[\w.+]{0,40})\.dist-info$/.exec(folder) ?? [];
  return packageName(own) === packageName(library) ? release : null;
}

/** pip, requirement files: options and links are no requirements. */
function requirementsIn(text: string): Pins {
  const pins = new Map<string, string>();
  addPins(
    pins,
    text.split('\n').filter(line => !line.trimStart().startsWith('-')),
  );
  return pins;
}

/** `[[package]]` tables of uv, Poetry and PDM: a name, and right after it the version. */
function lockedIn(text: string): Pins {
  const pins = new Map<string, string>();
  let name = '';
  for (const line of text.split('\n')) {
    const [, key, value = ''] = /^(name|version) = "([^"]{1,100})"/.exec(line) ?? [];
    if (key === 'name') name = packageName(value);
    else if (key === 'version' && name !== '' && !pins.has(name)) pins.set(name, value);
    else if (line.startsWith('[')) name = '';
  }
  return pins;
}

/** Locks of pixi and conda-lock name the built files: `…/vllm-0.8.5-cp38-abi3-….whl`, `…/vllm-0.8.5.tar.gz`. */
function builtIn(text: string): Pins {
  const pins = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name = '', release = ''] =
      /\/([A-Za-z][\w.]{0,60}?)-(\d[\w.]{0,40}?)(?:-[^/\s]{1,200}|\.tar\.gz)$/.exec(
        line.trim().slice(-400),
      ) ?? [];
    if (name !== '' && !pins.has(packageName(name))) pins.set(packageName(name), release);
  }
  return pins;
}

function pipfileLock(text: string): Pins {
  const pins = new Map<string, string>();
  let name = '';
  for (const line of text.split('\n')) {
    const [, opened] = /^\s*"([\w.-]{1,80})": \{/.exec(line) ?? [];
    const [, version] = /^\s*"version": "==([^"]{1,40})"/.exec(line) ?? [];
    if (opened !== undefined) name = packageName(opened);
    else if (version !== undefined && !pins.has(name)) pins.set(name, version);
  }
  return pins;
}

/** Requirements in quotes (PEP 621), and `name = "^1.2"` or `name = { version = "…" }` of Poetry and pixi. */
function tomlPins(file: string): Pins {
  const pins = new Map<string, string>();
  for (const line of file.split('\n')) {
    const plain = line.trim().slice(0, 1000);
    if (plain.startsWith('#')) continue;
    const [, name, inline, listed] =
      /^"?([\w.-]{1,80})"?\s{0,10}=\s{0,10}(?:"([^"]{1,100})"|\{[^}]{0,200}?version\s{0,10}=\s{0,10}"([^"]{1,100})")/.exec(
        plain,
      ) ?? [];
    const stated = inline ?? listed;
    const release = stated === undefined ? null : releaseIn(/^\d/.test(stated) ? `==${stated}` : stated);
    if (name !== undefined && release !== null && !NOT_PACKAGES.has(name)) {
      if (!pins.has(packageName(name))) pins.set(packageName(name), release);
    } else {
      const quoted = [...plain.matchAll(/["']([^"']{3,200})["']/g)];
      addPins(
        pins,
        quoted.map(([, text = '']) => text),
      );
    }
  }
  return pins;
}

/** Keys of a project's own table. */
const NOT_PACKAGES: ReadonlySet<string> = new Set(['version', 'requires-python', 'python']);

/** setuptools: requirements in quotes (`install_requires=["vllm==0.8.5"]`), or one a line below `install_requires =`. */
function setupPins(text: string): Pins {
  const pins = new Map<string, string>();
  const lines = text.split('\n').map(line => line.slice(0, 1000));
  const quoted = lines.flatMap(line =>
    /^\s{0,200}#/.test(line) ? [] : [...line.matchAll(/["']([^"']{3,200})["']/g)].map(([, one = '']) => one),
  );
  addPins(pins, [...quoted, ...lines.filter(line => /^\s{1,40}[A-Za-z]/.test(line))]);
  return pins;
}

/** Conda's environments: items of lists, those of pip among them. */
function listedIn(text: string): Pins {
  const pins = new Map<string, string>();
  addPins(
    pins,
    text.split('\n').flatMap(line => {
      const [, item] = /^\s{0,40}-\s{1,10}["']?([^"'#]{3,200})/.exec(line) ?? [];
      return item === undefined ? [] : [item.replace(/^[\w-]{1,40}::/, '')];
    }),
  );
  return pins;
}
