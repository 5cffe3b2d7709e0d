// Compact tables of facts: a group's `shared` contains what most of its rows have, a row only its differences.

export function groupBy(list, keyOf) {
  const groups = new Map();
  for (const one of list) {
    const key = keyOf(one);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one);
  }
  return groups;
}

/** For every fact the most common value in the list (absence is a value, too). */
export function mostCommon(list) {
  const shared = {};
  for (const name of new Set(list.flatMap(Object.keys))) {
    const counts = new Map();
    for (const one of list) {
      const text = JSON.stringify(one[name] ?? null);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const [text] = [...counts].sort((a, b) => b[1] - a[1])[0];
    if (text !== 'null') shared[name] = JSON.parse(text);
  }
  return shared;
}

/** A row's differences from its group; null removes a shared fact. */
export function difference(own, shared) {
  const names = new Set([...Object.keys(own), ...Object.keys(shared)]);
  const differing = [...names].filter(name => JSON.stringify(own[name]) !== JSON.stringify(shared[name]));
  return Object.fromEntries(differing.map(name => [name, own[name] ?? null]));
}

/** Removes trailing empty cells. */
export function trimmed(cells) {
  const isEmpty = cell =>
    cell === null || cell === '' || (typeof cell === 'object' && Object.keys(cell).length === 0);
  let length = cells.length;
  while (length > 0 && isEmpty(cells[length - 1])) length--;
  return cells.slice(0, length);
}
