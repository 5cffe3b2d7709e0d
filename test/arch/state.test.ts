import assert from 'node:assert/strict';
import ts from 'typescript';
import { lineOf, nodes, sources } from './sources';
import type { Source } from './sources';

/** Methods that change a collection. */
const CHANGES = new Set([
  'set',
  'add',
  'delete',
  'clear',
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'sort',
]);

/** Top-level variables of a file, each with its declaration. */
function topLevel({ tree }: Source): ReadonlyMap<string, ts.VariableDeclaration> {
  const declared = tree.statements
    .filter(statement => ts.isVariableStatement(statement))
    .flatMap(statement => statement.declarationList.declarations);
  return new Map(declared.flatMap(one => (ts.isIdentifier(one.name) ? [[one.name.text, one] as const] : [])));
}

const isLet = ({ parent }: ts.VariableDeclaration): boolean => (parent.flags & ts.NodeFlags.Const) === 0;

/** A collection that starts empty and has no read-only type is meant to be filled. */
function isFilledLater({ type, initializer }: ts.VariableDeclaration): boolean {
  if (!initializer || !ts.isNewExpression(initializer) || type) return false;
  const isCollection = /^(?:Weak)?(?:Map|Set)$/.test(initializer.expression.getText());
  return isCollection && (initializer.arguments?.length ?? 0) === 0;
}

const MAY_CHANGE = /\b(\w+)(?:\.(?:set|add|delete|clear|push|pop|shift|unshift|splice|sort)\(|[.[][^=\n]*=)/g;

/** Top-level variables that change: by a call of a mutating method, or by an assignment to a part. */
function changedNames(from: Source, names: ReadonlyMap<string, unknown>): readonly string[] {
  // The text rules out most files, which is faster than walking their trees.
  const may = [...from.text.matchAll(MAY_CHANGE)].some(([, name = '']) => names.has(name));
  if (!may) return [];
  return [...nodes(from.tree)].flatMap(node => {
    const base = changedBy(node);
    return base && ts.isIdentifier(base) && names.has(base.text)
      ? [`${from.path}:${lineOf(from, node)} changes ${base.text}`]
      : [];
  });
}

function changedBy(node: ts.Node): ts.Expression | null {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    return CHANGES.has(node.expression.name.text) ? node.expression.expression : null;
  }
  const isAssignment =
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    node.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
  if (!isAssignment) return null;
  const { left } = node;
  return ts.isPropertyAccessExpression(left) || ts.isElementAccessExpression(left) ? left.expression : null;
}

/** Files that may still keep state: caches of texts and trees, keyed by their object. */
const LEFT: readonly string[] = [
  'src/core/dialects/command/nodes.ts',
  'src/core/dialects/defined/compile.ts',
  'src/core/dialects/engine/layers.ts',
  'src/core/dialects/engine/signature.ts',
  'src/core/dialects/write.ts',
  'src/core/output/clean.ts',
  'src/core/python/parse.ts',
  'src/core/python/tree.ts',
  'src/core/python/wanted.ts',
  'src/core/yaml/path.ts',
];

const stateIn = (file: Source): readonly string[] => {
  const names = topLevel(file);
  const declared = [...names].flatMap(([name, declaration]) =>
    isLet(declaration) || isFilledLater(declaration)
      ? [`${file.path}:${lineOf(file, declaration)} keeps ${name}`]
      : [],
  );
  return [...declared, ...changedNames(file, names)];
};

describe('module state in core', () => {
  const files = sources('src/core').map(file => ({ path: file.path, state: stateIn(file) }));

  it('belongs to objects that are passed in', () => {
    assert.deepEqual(
      files.filter(({ path }) => !LEFT.includes(path)).flatMap(({ state }) => state),
      [],
    );
  });

  it('exists only where the list allows it', () => {
    const keeping = files.filter(({ state }) => state.length > 0).map(({ path }) => path);
    assert.deepEqual(
      LEFT.filter(path => !keeping.includes(path)),
      [],
    );
  });
});
