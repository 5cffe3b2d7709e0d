import assert from 'node:assert/strict';
import ts from 'typescript';
import { packs } from '../../src/core/dialects/defined/packs';
import { dialects } from '../../src/core/dialects/registry';
import { allRules } from '../../src/core/rules/allRules';
import { filesBelow, nodes, source, textOf } from './sources';

const GENERATED = 'registry.ts';
const code = filesBelow('src', '.ts', '.json', '.yaml').filter(path => !path.endsWith(GENERATED));

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Matches a whole word: `sam2` in `training.model.sam2.SAM2Train`, but not in `mysam2`. */
const wordOf = (text: string): RegExp => new RegExp(String.raw`(?<![\w-])${escaped(text)}(?![\w-])`);

/** Where a project may be named: in its pack, and in the facts about its configs. */
function placesOf(id: string): ReadonlySet<string> {
  const isPack = (path: string): boolean =>
    path.startsWith('src/core/dialects/packs/') && textOf(path).includes(`\nid: ${id}\n`);
  const isFacts = (path: string): boolean =>
    path.startsWith('src/core/rules/facts/') && textOf(path).includes(`packs: ['${id}']`);
  return new Set(code.filter(path => isPack(path) || isFacts(path)));
}

const isText = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isRegularExpressionLiteral(node);

/** Whether a text, a pattern or data of a file contains the word; comments may. */
function names(path: string, word: RegExp): boolean {
  // Patterns escape dots with a backslash.
  const text = textOf(path);
  if (!word.test(text.replaceAll('\\.', '.'))) return false;
  if (!path.endsWith('.ts')) return true;
  return [...nodes(source(path).tree)].some(
    node =>
      isText(node) &&
      !ts.isImportDeclaration(node.parent) &&
      word.test(node.getText().replaceAll('\\.', '.')),
  );
}

describe('packs', () => {
  for (const { id, evidence } of packs) {
    it(`${id}: its modules are named only in its pack`, () => {
      const own = placesOf(id);
      assert.ok(own.size > 0, `no file has the pack ${id}`);
      for (const module of evidence.modules ?? []) {
        const word = wordOf(module);
        assert.deepEqual(
          code.filter(path => !own.has(path) && names(path, word)),
          [],
          module,
        );
      }
    });
  }

  it('hold the keys that identify their projects, instead of the general dialects', () => {
    for (const { id, evidence, extends: general } of packs) {
      for (const dialect of dialects.filter(one => general.includes(one.id))) {
        const rows = Object.values(dialect.quantities).flatMap(row =>
          typeof row === 'object' && 'keys' in row ? row.keys : [],
        );
        for (const key of evidence.keys ?? []) {
          assert.ok(
            !rows.some(one => one === key || one.startsWith(`${key}.`)),
            `${id}: ${key} in ${dialect.id}`,
          );
        }
      }
    }
  });

  it('extend existing dialects, and have evidence for their configs', () => {
    const ids = packs.map(({ id }) => id);
    assert.deepEqual([...new Set(ids)], ids);
    for (const pack of packs) {
      const { modules = [], keys = [] } = pack.evidence;
      assert.ok(modules.length + keys.length > 0, pack.id);
      for (const id of pack.extends) {
        const general = dialects.find(dialect => dialect.id === id);
        assert.ok(general?.packs?.includes(pack), `${id} does not take ${pack.id}`);
      }
    }
  });

  it('are named only by rules that are about one project', () => {
    for (const rule of allRules) {
      for (const id of rule.packs ?? []) {
        const pack = packs.find(one => one.id === id);
        assert.ok(pack && rule.dialects?.every(dialect => pack.extends.includes(dialect)), rule.id);
      }
    }
  });
});
