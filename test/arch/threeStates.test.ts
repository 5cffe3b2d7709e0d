import assert from 'node:assert/strict';
import ts from 'typescript';
import { lineOf, nodes, source, sources } from './sources';
import type { Source } from './sources';

const isNull = (type: ts.TypeNode): boolean =>
  ts.isLiteralTypeNode(type) && type.literal.kind === ts.SyntaxKind.NullKeyword;

const isUndefined = (type: ts.TypeNode): boolean => type.kind === ts.SyntaxKind.UndefinedKeyword;

const mayBeNull = (type: ts.TypeNode | undefined): boolean =>
  type !== undefined && ts.isUnionTypeNode(type) && type.types.some(isNull);

/** `T | null | undefined`, or `?: T | null`: two ways to have no value, which only a comment distinguishes. */
function hasThreeStates(node: ts.Node): boolean {
  if (ts.isUnionTypeNode(node)) return node.types.some(isNull) && node.types.some(isUndefined);
  const isMember = ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node);
  return (isMember || ts.isMappedTypeNode(node)) && node.questionToken !== undefined && mayBeNull(node.type);
}

const found = (of: Source): readonly string[] =>
  [...nodes(of.tree)].filter(hasThreeStates).map(node => `${of.path}:${lineOf(of, node)}`);

function inText(text: string): readonly string[] {
  const tree = ts.createSourceFile('given.ts', text, ts.ScriptTarget.ES2023, true);
  return found({ path: 'given.ts', text, lines: 1, tree });
}

describe('three-state values', () => {
  it('are `Maybe` in the memory model and the run specification, never null and undefined', () => {
    const files = sources('src/core/memory', 'src/core/spec');
    assert.ok(files.includes(source('src/core/spec/maybe.ts')));
    assert.deepEqual(files.flatMap(found), []);
  });

  it('are found however they are written', () => {
    assert.equal(inText('interface A { readonly a?: string | null }').length, 1);
    assert.equal(inText('type A = { readonly [K in "a"]?: string | null };').length, 1);
    assert.equal(inText('function f(a?: string | null): string | undefined | null {}').length, 2);
    assert.deepEqual(inText('interface A { a?: string; b: string | null; c: string | undefined }'), []);
  });
});
