// The manifest with its texts: package.json refers to them by `%key%`, package.nls.json contains them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

const read = name => JSON.parse(readFileSync(join(root, name), 'utf8'));

/** package.json as VS Code shows it, with every `%key%` replaced by its English text. */
export function localizedManifest() {
  const texts = read('package.nls.json');
  return filled(read('package.json'), texts);
}

function filled(value, texts) {
  if (Array.isArray(value)) return value.map(one => filled(one, texts));
  if (typeof value === 'string') return texts[/^%(.+)%$/.exec(value)?.[1]] ?? value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, texts)]));
}
