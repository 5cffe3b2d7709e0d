import { relative, resolve, sep } from 'node:path';

/**
 * A command as it stands where the folder was copied to: what names a file below the folder here, alone or behind `--key=`,
 * names it from the folder's root there.
 */
export function argvThere(argv: readonly string[], folder: string): readonly string[] {
  return argv.map(word => {
    const [, key = '', path = ''] = /^(--?[\w.-]+=)?(.*)$/s.exec(word) ?? [];
    return key + pathThere(path, folder);
  });
}

/** A path below the folder, from its root and with slashes; any other as it is. */
export function pathThere(path: string, folder: string): string {
  const root = resolve(folder);
  if (path !== root && !path.startsWith(root.endsWith(sep) ? root : root + sep)) return path;
  const inside = relative(root, path).split(sep).join('/');
  return inside === '' ? '.' : inside;
}
