// The address of the repository in a package's manifest. The sources name none, because a clone does not know where it will
// be published: the address comes from the flag, the job that builds a release, or the clone's own remote.
import { spawnSync } from 'node:child_process';

/** An address on the web of a repository's remote; null for a folder, and for a machine without a name on the web. */
export function webAddress(remote) {
  const [, host, path] =
    /^(?:https?:\/\/(?:[^@/\s]*@)?|ssh:\/\/git@|git@|git\+https:\/\/)([\w-]+(?:\.[\w-]+)+)(?::\d+)?[/:]([\w./-]+?)(?:\.git)?\/?$/.exec(
      remote.trim(),
    ) ?? [];
  return path === undefined ? null : `https://${host}/${path}`;
}

/** The repository's address, from what is stated first: `--repository=`, the manifest, a job on GitHub, the remote. */
export function repositoryOf(manifest, { flag, env, remote }) {
  const stated = [
    flag,
    manifest.repository?.url ?? manifest.repository,
    env.GITHUB_REPOSITORY && `${env.GITHUB_SERVER_URL ?? 'https://github.com'}/${env.GITHUB_REPOSITORY}`,
    remote,
  ];
  return stated.map(one => (one ? webAddress(one) : null)).find(one => one !== null) ?? null;
}

/** The manifest with everything that follows from the repository's address; without one, as it is. */
export function completed(manifest, address) {
  if (address === null) return manifest;
  const issues = /^https:\/\/[^/]*gitlab/.test(address) ? `${address}/-/issues` : `${address}/issues`;
  return {
    ...manifest,
    repository: { type: 'git', url: `${address}.git` },
    bugs: { url: issues },
    homepage: `${address}#readme`,
  };
}

/** The manifest for a package that is built here, and a sentence where no address is known. */
export function manifestHere(manifest, args = process.argv, env = process.env) {
  const flag = args.find(one => one.startsWith('--repository='))?.slice('--repository='.length);
  const git = spawnSync('git', ['remote', 'get-url', 'origin'], { encoding: 'utf8' });
  const remote = git.status === 0 ? git.stdout : '';
  const address = repositoryOf(manifest, { flag, env, remote });
  if (flag !== undefined && webAddress(flag) === null) {
    throw new Error(`--repository=${flag} is not an address.`);
  }
  if (address === null) {
    console.log(
      'No repository is known: the manifest has no repository, bugs and homepage, and the page has no pictures. --repository=URL names it.',
    );
  }
  return completed(manifest, address);
}
