import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isAlias } from './sshArguments';

/** A host that the user's ssh config names, and the file that names it. */
export interface ConfigAlias {
  readonly alias: string;
  readonly file: string;
}

/** The depth to which ssh itself follows Include. */
const MOST_DEPTH = 16;

/**
 * Hosts that ssh's config names, in its order, with Include followed; patterns are not hosts. Nothing is evaluated:
 * a host's block is left to ssh, and `Match exec` would run programs.
 */
export async function configAliases(
  configFile: string | null,
  home = homedir(),
): Promise<readonly ConfigAlias[]> {
  const folder = join(home, '.ssh');
  const found = new Map<string, ConfigAlias>();
  const seen = new Set<string>();
  const visit = async (file: string, depth: number): Promise<void> => {
    if (depth > MOST_DEPTH || seen.has(file)) return;
    seen.add(file);
    const text = await readFile(file, 'utf8').catch(() => '');
    for (const [keyword, words] of text.split(/\r?\n/).map(directiveOf)) {
      if (keyword === 'host') {
        for (const alias of words.filter(isAlias)) {
          if (!found.has(alias)) found.set(alias, { alias, file });
        }
      }
      if (keyword !== 'include') continue;
      for (const pattern of words) {
        for (const other of await filesFor(pattern, folder, home)) await visit(other, depth + 1);
      }
    }
  };
  await visit(configFile ?? join(folder, 'config'), 0);
  return [...found.values()];
}

/** `Host a "b c"` or `Include=x`: the keyword in lower case, and its words without quotes. */
function directiveOf(line: string): readonly [keyword: string, words: readonly string[]] {
  const [, keyword = '', rest = ''] = /^\s*([A-Za-z]+)(?=[\s=])\s*=?(.*)/.exec(line) ?? [];
  const words = [...rest.matchAll(/"([^"]*)"|(#.*)|(\S+)/g)].map(([, inQuotes, comment, word]) =>
    comment === undefined ? (inQuotes ?? word ?? '') : '',
  );
  return [keyword.toLowerCase(), words.filter(word => word !== '')];
}

/**
 * Files that an Include matches: `~` is the home folder, relative paths start at the config's folder, `*` and `?`
 * are wildcards.
 */
async function filesFor(pattern: string, folder: string, home: string): Promise<readonly string[]> {
  const whole = pattern.startsWith('~/') ? join(home, pattern.slice(2)) : pattern;
  const path = isAbsolute(whole) ? whole : join(folder, whole);
  const parts = path.split(/[\\/]/);
  let places = [parts[0] ?? ''];
  for (const part of parts.slice(1)) {
    const isWild = /[*?]/.test(part);
    const plain = places.map(place => `${place}/${part}`);
    places = isWild ? (await Promise.all(places.map(place => matching(`${place}/`, part)))).flat() : plain;
  }
  return places;
}

async function matching(folder: string, pattern: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const words = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  const isLike = new RegExp(`^${words.replaceAll('*', '.*').replaceAll('?', '.')}$`);
  const isHidden = (name: string) => name.startsWith('.') && !pattern.startsWith('.');
  return names
    .filter(name => isLike.test(name) && !isHidden(name))
    .sort()
    .map(name => `${folder}${name}`);
}
