import type { FrameworkId } from '../../spec/frameworkId';
import type { Framework, Launched, StatedRelease } from '../../spec/runSpec';
import { patternFrom } from '../../spec/filePattern';
import { compareReleases } from '../../spec/version';
import type { YamlNode } from '../../yaml/node';
import type { Dialect, Evidence } from '../dialect';
import { Unreadable } from './keyReader';
import type { RunReader } from './runReader';

/** A key's value in a run's files; null: they do not have the key. */
type Found = (key: string) => { readonly node: YamlNode } | null;

/** The engine that a run hands its model to; null where the files leave the key open. */
function engineOf(dialect: Dialect, run: RunReader): FrameworkId | null {
  try {
    return dialect.engines?.find(({ runs }) => runs(run))?.id ?? null;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** What installs packages for a run. */
interface Installing {
  readonly launched?: Pick<Launched, 'releases'>;
  readonly installs?: readonly StatedRelease[];
}

/**
 * What the commands around a run install is what it has, whatever its keys would allow. An image's release is the
 * server's, which has its own defaults by release.
 */
const installedBy = ({ launched, installs = [] }: Installing): readonly StatedRelease[] => [
  ...(launched?.releases ?? []).filter(({ from }) => from.startsWith('install of')),
  ...installs,
];

/**
 * The releases that a config was written for: the newest ones that accept all of its keys. A config without dated
 * keys is read as by today's release. What is installed next to the run decides.
 */
export function frameworkOf(dialect: Dialect, find: Found, run: RunReader, files: Installing): Framework {
  const { name, version, libraries } = dialect.framework;
  const id = engineOf(dialect, run) ?? dialect.framework.id;
  const releases: Record<string, string> = { ...libraries, [name]: version };
  for (const evidence of dialect.evidence ?? []) {
    if (!isIn(evidence, find)) continue;
    for (const [library, release] of Object.entries(evidence.upTo)) {
      const now = releases[library];
      if (now === undefined || compareReleases(release, now) < 0) releases[library] = release;
    }
  }
  const installs = installedBy(files);
  for (const { library, release } of installs) {
    if (Object.hasOwn(releases, library)) releases[library] = release;
  }
  const { [name]: now = version, ...others } = releases;
  const stated = installs.findLast(({ library }) => library === name);
  const known = { id, name, version: now, ...(stated && { from: stated.from }) };
  return Object.keys(others).length > 0 ? { ...known, libraries: others } : known;
}

function isIn({ keys, values }: Evidence, find: Found): boolean {
  const found = keys.flatMap(key => find(key) ?? []);
  if (values === undefined) return found.length > 0;
  const pattern = patternFrom(values);
  return found.some(({ node }) => node.kind === 'scalar' && pattern.test(String(node.value)));
}
