import assert from 'node:assert/strict';
import { readRooms, refusal, roomOf } from '../../scripts/lib/rooms.mjs';
import type { Source } from './sources';
import { importsOf, sources, textOf } from './sources';

const rooms = readRooms(process.cwd());
const names = Object.keys(rooms);
const house = sources('src', 'webview').filter(file => file.path.endsWith('.ts'));

describe('rooms', () => {
  it('are listed in src/rooms.json', () => {
    const strangers = house.filter(file => roomOf(rooms, file.path) === undefined).map(({ path }) => path);
    assert.deepEqual(strangers, [], 'A new room: describe it in src/rooms.json.');
    const empty = names.filter(name => !house.some(file => roomOf(rooms, file.path) === name));
    assert.deepEqual(empty, [], 'A room that is gone: take it out of src/rooms.json.');
  });

  it('are listed in the order of their imports', () => {
    const upward = names.flatMap((name, index) =>
      (rooms[name]?.sees ?? []).filter(seen => !names.slice(0, index).includes(seen)),
    );
    assert.deepEqual(upward, [], 'A room sees only rooms above it in src/rooms.json.');
  });

  it('that read, estimate, count and advise do not import each other', () => {
    const blind = names.filter(name => /^core\/(?:memory|dialects|output|lengths|advice)\b/.test(name));
    const familyOf = (name: string): string => name.split('/').slice(0, 2).join('/');
    const seen = blind.flatMap(name =>
      (rooms[name]?.sees ?? []).filter(other => blind.includes(other) && familyOf(other) !== familyOf(name)),
    );
    assert.deepEqual(seen, []);
  });

  it('import only what they may, types included', () => {
    const forbidden = house.flatMap(file =>
      importsOf(file).flatMap(({ written }) => {
        const why = refusal(rooms, file.path, written);
        return why === null ? [] : [`${file.path}: ${why}`];
      }),
    );
    assert.deepEqual(forbidden, []);
  });

  it('declare only imports that they use', () => {
    const imported = new Map<string, Set<string>>();
    for (const file of house) {
      const room = roomOf(rooms, file.path) ?? '';
      const seen = imported.get(room) ?? new Set();
      for (const { file: other } of importsOf(file)) if (other) seen.add(roomOf(rooms, other) ?? '');
      imported.set(room, seen);
    }
    const unused = names.flatMap(name =>
      (rooms[name]?.sees ?? [])
        .filter(other => !imported.get(name)?.has(other))
        .map(other => `${name} sees ${other}`),
    );
    assert.deepEqual(unused, [], 'Take what a room no longer imports out of its `sees`.');
  });

  it('import only packages that the manifest lists', () => {
    const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> };
    const known = (name: string): boolean => /^(node:|vscode$)/.test(name) || packageOf(name) in dependencies;
    const unlisted = house.flatMap(file => {
      const names = importsOf(file).filter(each => each.file === null && !each.typeOnly);
      return names.filter(each => !known(each.written)).map(each => `${file.path} imports ${each.written}`);
    });
    assert.deepEqual(unlisted, [], 'What ships is a dependency, not a devDependency.');
  });
});

/** `@scope/name/deep` → `@scope/name`. */
function packageOf(written: string): string {
  return written
    .split('/')
    .slice(0, written.startsWith('@') ? 2 : 1)
    .join('/');
}

describe('imports', () => {
  it('have no cycles, types included', () => {
    assert.deepEqual(cyclesOf(house), [], 'Move what both need into a file of its own.');
  });

  it('name the defining file: no barrels', () => {
    const barrels = house.filter(file => importsOf(file).some(each => each.reExport)).map(file => file.path);
    assert.deepEqual(barrels, []);
  });

  it('are named: no default exports', () => {
    const defaults = house
      .filter(file => /^export default\b|\bas default\b/m.test(file.text))
      .map(file => file.path);
    assert.deepEqual(defaults, []);
  });
});

/** Files in cycles of imports (Tarjan's strongly connected components), sorted. */
function cyclesOf(files: readonly Source[]): readonly (readonly string[])[] {
  const wanted = (file: Source): readonly string[] =>
    importsOf(file).flatMap(each => (each.file?.endsWith('.ts') ? [each.file] : []));
  const targets = new Map(files.map(file => [file.path, wanted(file)]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: (readonly string[])[] = [];
  const visit = (path: string): number => {
    const index = order.size;
    let low = index;
    order.set(path, index);
    open.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, lowest.get(target) ?? order.get(target) ?? low);
    }
    lowest.set(path, low);
    if (low < index) return low;
    const cycle = open.splice(open.indexOf(path));
    if (cycle.length > 1) cycles.push(cycle.sort());
    return low;
  };
  for (const { path } of files) if (!order.has(path)) visit(path);
  return cycles;
}
