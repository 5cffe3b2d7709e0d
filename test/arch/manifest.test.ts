import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import ts from 'typescript';
import { allRules } from '../../src/core/rules/allRules';
import { FILE_RULES } from '../../src/core/analyse/fileFindings';
import { filesBelow, nodes, source, sources, stringsOf, textOf } from './sources';

interface Setting {
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly scope?: string;
}

interface Manifest {
  readonly activationEvents?: readonly string[];
  readonly contributes?: {
    readonly commands?: readonly {
      readonly command: string;
      readonly title: string;
      readonly category?: string;
    }[];
    readonly configuration?: Section | readonly Section[];
    readonly menus?: Readonly<
      Record<string, readonly { readonly command?: string; readonly submenu?: string }[]>
    >;
    readonly keybindings?: readonly { readonly command: string }[];
    readonly languageModelTools?: readonly { readonly name: string; readonly inputSchema: object }[];
  };
  readonly capabilities?: {
    readonly untrustedWorkspaces?: {
      readonly supported: unknown;
      readonly restrictedConfigurations?: readonly string[];
    };
  };
}

interface Section {
  readonly properties: Readonly<Record<string, Setting>>;
}

const texts = JSON.parse(textOf('package.nls.json')) as Readonly<Record<string, string>>;
const manifest = JSON.parse(textOf('package.json'), (_, value: unknown) =>
  typeof value === 'string' ? (texts[/^%(.+)%$/.exec(value)?.[1] ?? ''] ?? value) : value,
) as Manifest;

/** Members of the manifest that VS Code shows to users. */
const SHOWN = new Set([
  ...['title', 'name', 'label', 'category', 'description', 'markdownDescription', 'displayName'],
  ...['enumDescriptions', 'markdownEnumDescriptions', 'contextualTitle', 'altText'],
]);

/** Every string in the manifest with its member; strings in a list belong to the list's member. */
function* stringsIn(value: unknown, member: string): Generator<{ member: string; text: string }> {
  if (typeof value === 'string') yield { member, text: value };
  else if (Array.isArray(value)) for (const one of value) yield* stringsIn(one, member);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) yield* stringsIn(one, name);
  }
}

/** The raw manifest, with its `%key%`s. */
const written: unknown = JSON.parse(textOf('package.json'));

const contributed = manifest.contributes ?? {};
const commands = (contributed.commands ?? []).map(each => each.command).sort();
const sections = [contributed.configuration ?? []].flat();
const settings = sections.flatMap(section => Object.entries(section.properties));
const settingKeys = settings.map(([key]) => key.replace(/^headroom\./, '')).sort();

/** Names of an interface's members: the lists of commands and settings that the code is checked against. */
function membersOf(path: string, interfaceName: string): readonly string[] {
  if (!existsSync(path)) return [];
  for (const node of nodes(source(path).tree)) {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== interfaceName) continue;
    return node.members
      .map(({ name }) => (name && (ts.isStringLiteral(name) || ts.isIdentifier(name)) ? name.text : ''))
      .sort();
  }
  return [];
}

/** Strings in the editor's rooms, except in the file that declares them. */
const usedStrings = (declaredIn: string): ReadonlySet<string> =>
  new Set(
    sources('src')
      .filter(file => file.path !== declaredIn && !file.path.startsWith('src/core/'))
      .flatMap(stringsOf),
  );

describe('the manifest', () => {
  it('contributes the commands that the code declares', () => {
    assert.deepEqual(commands, membersOf('src/host/commands.ts', 'Commands'));
  });

  it('puts its commands under one category', () => {
    const untitled = (contributed.commands ?? []).filter(each => !each.title || each.category !== 'Headroom');
    assert.deepEqual(untitled, []);
  });

  it('puts only its own commands into menus and on keys', () => {
    const inMenus = Object.values(contributed.menus ?? {}).flat();
    const used = [...inMenus, ...(contributed.keybindings ?? [])].flatMap(each => each.command ?? []);
    assert.deepEqual(
      used.filter(command => !commands.includes(command)),
      [],
    );
  });

  it('contributes the settings that the code declares', () => {
    assert.deepEqual(settingKeys, membersOf('src/host/settings.ts', 'Settings'));
  });

  it('contributes only settings that are read', () => {
    const used = usedStrings('src/host/settings.ts');
    assert.deepEqual(
      settingKeys.filter(key => !used.has(key)),
      [],
    );
  });

  it('describes its settings and their scope', () => {
    const mute = settings.filter(
      ([, each]) => !(each.description ?? each.markdownDescription) || !each.scope,
    );
    assert.deepEqual(
      mute.map(([key]) => key),
      [],
    );
  });

  it('lets no folder name a program: settings with paths are machine-scoped and restricted', () => {
    const restricted = manifest.capabilities?.untrustedWorkspaces?.restrictedConfigurations ?? [];
    const paths = settings.filter(([key]) => key.endsWith('.path'));
    const open = paths.filter(
      ([key, each]) => !each.scope?.startsWith('machine') || !restricted.includes(key),
    );
    assert.deepEqual(
      open.map(([key]) => key),
      [],
    );
  });

  it('has every text in package.nls.json, and no unused text there', () => {
    const used = [...stringsIn(written, '')].flatMap(({ text }) => /^%(.+)%$/.exec(text)?.[1] ?? []);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(texts).sort());
  });

  it('shows only translatable text', () => {
    const ids = new Set(['gpu-headroom', 'headroom-python']);
    // Models read a tool's name and schema; people read its title and description.
    const { contributes, ...others } = written as Manifest;
    const unseen = { name: '%hidden%', inputSchema: '%hidden%' };
    const tools = contributes?.languageModelTools?.map(tool => ({ ...tool, ...unseen }));
    const seen = { ...others, contributes: { ...contributes, languageModelTools: tools } };
    const literal = [...stringsIn(seen, '')].filter(
      ({ member, text }) => SHOWN.has(member) && !/^%.+%$/.test(text) && !ids.has(text),
    );
    assert.deepEqual(literal, []);
  });

  it('activates only for what it supports', () => {
    const eager = (manifest.activationEvents ?? []).filter(
      event => event === '*' || event === 'onStartupFinished',
    );
    assert.deepEqual(eager, []);
  });

  it('names existing files', () => {
    const named = JSON.stringify({ ...manifest, main: undefined, bin: undefined }).matchAll(
      /"(?:\.\/)?((?:media|docs)\/[^"]+)"/g,
    );
    const missing = [...named].map(match => match[1] ?? '').filter(path => !existsSync(path));
    assert.deepEqual(missing, []);
  });
});

describe('rules', () => {
  const ids = [...allRules, ...Object.values(FILE_RULES)].map(({ id }) => id);

  it('have one page each', () => {
    const pages = filesBelow('docs/rules', '.md').map(path =>
      path.slice('docs/rules/'.length, -'.md'.length),
    );
    assert.deepEqual(pages.filter(page => page !== 'README').sort(), [...ids].sort());
  });

  it('have unique ids', () => assert.equal(new Set(ids).size, ids.length));
});

describe('docs/SECURITY.md', () => {
  const page = textOf('docs/SECURITY.md');
  const rows = [...page.matchAll(/^\| `(headroom\.[\w.]+)`\s*\| (\w+)\s*\| (yes|no)\s*\|$/gm)].map(
    ([, key, scope, may]) => [key, scope, may],
  );
  const { contributes, capabilities } = JSON.parse(textOf('package.json')) as Manifest;
  const sections = [contributes?.configuration ?? []].flat() as readonly Section[];
  const settings = sections.flatMap(({ properties }) => Object.entries(properties));

  it('says for each setting whether a workspace may set it, as the manifest does', () => {
    const own: readonly unknown[] = ['machine', 'application'];
    const expected = settings.map(([key, { scope }]) => [key, scope, own.includes(scope) ? 'no' : 'yes']);
    assert.deepEqual(
      rows,
      expected.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    );
    const restricted = capabilities?.untrustedWorkspaces?.restrictedConfigurations ?? [];
    const closed = rows.flatMap(([key, , may]) => (may === 'no' ? [key] : []));
    assert.deepEqual([...restricted].sort(), closed.sort());
  });

  it('marks settings that reach other machines or start programs as closed', () => {
    const dangerous = /\.(?:path|hosts|confirm|configFile|hostCommand|python)$/;
    const open = rows.filter(([key = '', , may]) => dangerous.test(key) && may === 'yes');
    assert.deepEqual(open, []);
  });

  it('names a test for each boundary', () => {
    const [, table = ''] = page.split('## Boundaries');
    const boundaries = (table.split('\n## ')[0] ?? '')
      .split('\n')
      .filter(line => /^\| (?!-|from )/.test(line));
    assert.ok(boundaries.length > 20);
    const tests = (line: string): readonly string[] => line.match(/`test\/[\w./]+`(?=[^|]*\|$)/g) ?? [];
    assert.deepEqual(
      boundaries.filter(line => tests(line).length === 0),
      [],
    );
  });

  it('names existing tests', () => {
    const named = [...page.matchAll(/`(test\/[\w./]+)`/g)].map(([, path = '']) => path);
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter(path => !existsSync(path)),
      [],
    );
  });
});
