// Maps positions in bundles to sources. Node can do it for every stack, but reads the maps of all loaded files for
// it, which takes a tenth of the quick suites' time. Here a map is read only when a failed test names its file.
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PLACE = /(file:\/\/)?(\/[^\s():]+\.m?js):(\d+):(\d+)/g;

const maps = new Map();

function mapOf(file) {
  if (!maps.has(file)) {
    const there = existsSync(`${file}.map`);
    maps.set(file, there ? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8'))) : null);
  }
  return maps.get(file);
}

/** A stack with positions in sources, relative to the working folder; a position without a map is unchanged. */
export const inSources = stack =>
  stack.replace(PLACE, (place, scheme, path, line, column) => {
    const file = scheme ? fileURLToPath(`${scheme}${path}`) : path;
    const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!found?.originalSource) return place;
    const source = relative('.', resolve(dirname(file), found.originalSource));
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
