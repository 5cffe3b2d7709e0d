import type { Json, JsonObject } from '../parse/json';

const LINE = /^( *)([A-Za-z][\w /-]*?) ?:(?: (.*))?$/;

interface Level {
  readonly indent: number;
  readonly object: Record<string, Json>;
}

/**
 * Converts amd-smi's human-readable text to the equivalent JSON: keys in lower case, levels by indentation,
 * continuation lines joined. Each `GPU: N` starts an entry.
 */
export function textEntries(text: string): readonly JsonObject[] {
  const entries: Record<string, Json>[] = [];
  let levels: Level[] = [];
  let last: { readonly object: Record<string, Json>; readonly key: string } | null = null;
  for (const line of text.split(/\r?\n/)) {
    const found = LINE.exec(line.replace(/\t/g, '    '));
    if (!found) {
      last = continueList(last, line);
      continue;
    }
    const [, spaces = '', name = '', value] = found;
    const key = name.toLowerCase().replace(/[ -]/g, '_');
    const indent = spaces.length;
    if (indent === 0 && key === 'gpu') {
      const entry: Record<string, Json> = { gpu: value?.trim() ?? '' };
      entries.push(entry);
      levels = [{ indent: 0, object: entry }];
      last = null;
      continue;
    }
    levels = levels.filter((level, at) => at === 0 || level.indent < indent);
    const parent = levels.at(-1);
    if (!parent) continue;
    if (key in parent.object) {
      // A line is missing, so the owner of what follows is unknown until the next GPU.
      levels = [];
      last = null;
      continue;
    }
    const isSection = value === undefined || value.trim() === '';
    const child: Record<string, Json> = {};
    parent.object[key] = isSection ? child : value.trim();
    if (isSection) levels.push({ indent, object: child });
    last = isSection ? null : { object: parent.object, key };
  }
  return entries;
}

/** Continues a list that spans lines. */
function continueList(
  last: { readonly object: Record<string, Json>; readonly key: string } | null,
  line: string,
): typeof last {
  const before = last?.object[last.key];
  if (!last || line.trim() === '' || typeof before !== 'string' || !before.startsWith('[')) return null;
  last.object[last.key] = `${before} ${line.trim()}`;
  return last;
}
