import assert from 'node:assert/strict';
import type { Source } from './sources';
import { importsOf, source, sources, textOf } from './sources';

/**
 * The house (DESIGN §4, drawn in CONTRIBUTING): which rooms a room may import. Rooms meet in extension.ts and in
 * cli/main.ts. `vscode` and `node` say whether a room may see the editor and the system.
 */
const rooms: Readonly<Record<string, { readonly sees: readonly string[]; vscode?: true; node?: true }>> = {
  core: { sees: [] },
  remote: { sees: ['core'], node: true },
  gpu: { sees: ['core', 'remote'], node: true },
  world: { sees: ['core'], node: true },
  jobs: { sees: ['core', 'remote'], node: true },
  embed: { sees: ['core'], node: true },
  profile: { sees: ['core'], node: true },
  lengths: { sees: ['core', 'embed'], node: true },
  host: { sees: ['core'], vscode: true, node: true },
  editor: { sees: ['core', 'host'], vscode: true },
  panel: { sees: ['core', 'remote', 'gpu', 'jobs', 'host'], vscode: true, node: true },
  tasks: { sees: ['core', 'jobs', 'host'], vscode: true, node: true },
  agent: { sees: ['core', 'gpu', 'host', 'editor'], vscode: true, node: true },
  cli: { sees: ['core', 'remote', 'gpu', 'world', 'jobs', 'embed', 'profile', 'lengths'], node: true },
  'extension.ts': {
    sees: [
      'core',
      'remote',
      'gpu',
      'world',
      'jobs',
      'embed',
      'profile',
      'host',
      'editor',
      'panel',
      'tasks',
      'agent',
    ],
    vscode: true,
    node: true,
  },
  webview: { sees: ['core', 'panel'] },
};

/** `src/core/yaml/parse.ts` → core; `webview/main.ts` → webview; null outside of the house. */
function roomOf(path: string): string | null {
  const [top, second] = path.split('/');
  return top === 'src' ? (second ?? null) : top === 'webview' ? 'webview' : null;
}

const seenBy = (room: string): string => {
  const { sees } = rooms[room] ?? { sees: [] };
  return sees.length > 0 ? sees.join(', ') : 'no other room';
};

const house = sources('src', 'webview').filter(file => file.path.endsWith('.ts'));

describe('rooms', () => {
  it('are those of the picture', () => {
    const strangers = house.filter(file => !((roomOf(file.path) ?? '') in rooms)).map(file => file.path);
    assert.deepEqual(
      strangers,
      [],
      'A new room: add it to the table in this test and to the picture in CONTRIBUTING.',
    );
  });

  it('import only the rooms they may see', () => {
    const forbidden = house.flatMap(file => {
      const room = roomOf(file.path) ?? '';
      const others = importsOf(file).map(each => each.file && roomOf(each.file));
      const unseen = others.filter(other => other && other !== room && !rooms[room]?.sees.includes(other));
      return unseen.map(other => `${file.path} imports ${other}: ${room} may see ${seenBy(room)}`);
    });
    assert.deepEqual(forbidden, []);
  });

  it('see the editor and the system only where they may', () => {
    const forbidden = house.flatMap(file => {
      const room = rooms[roomOf(file.path) ?? ''];
      const packages = importsOf(file).map(each => each.written);
      const wrong = packages.filter(
        name => (name === 'vscode' && !room?.vscode) || (name.startsWith('node:') && !room?.node),
      );
      return wrong.map(name => `${file.path} imports ${name}`);
    });
    assert.deepEqual(forbidden, []);
  });

  it('import packages that the manifest lists', () => {
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
  it('make no cycle', () => {
    const cycle = findCycle(house);
    assert.equal(cycle?.join(' → '), undefined, 'Move what both need into a file of its own.');
  });

  it('name the file that has it: no barrels', () => {
    const barrels = house.filter(file => importsOf(file).some(each => each.reExport)).map(file => file.path);
    assert.deepEqual(barrels, []);
  });

  it('are by name: no default exports', () => {
    const defaults = house
      .filter(file => /^export default\b|\bas default\b/m.test(file.text))
      .map(file => file.path);
    assert.deepEqual(defaults, []);
  });
});

/**
 * The first cycle of imports, as paths with the first one again at the end. Types may name each other (a tensor its
 * node, a node its tensors): they are gone when modules load.
 */
function findCycle(files: readonly Source[]): readonly string[] | null {
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]): readonly string[] | null => {
    if (above.includes(path)) return [...above.slice(above.indexOf(path)), path];
    if (done.has(path)) return null;
    for (const { file, typeOnly } of importsOf(source(path))) {
      const cycle = file?.endsWith('.ts') && !typeOnly ? visit(file, [...above, path]) : null;
      if (cycle) return cycle;
    }
    done.add(path);
    return null;
  };
  for (const { path } of files) {
    const cycle = visit(path, []);
    if (cycle) return cycle;
  }
  return null;
}
