import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';

const root = process.cwd();

/** One import, export-from or `import()` of a file. */
interface Import {
  /** As written: `../core/ports`, `vscode`. */
  readonly written: string;
  /** File relative to the root; null for a package. */
  readonly file: string | null;
  readonly reExport: boolean;
  /** A type import, which does not exist at run time. */
  readonly typeOnly: boolean;
}

/** The parts of a source file that the rules use. Paths are relative to the root, with `/`. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly tree: ts.SourceFile;
}

const cache = new Map<string, Source>();
const imports = new Map<Source, readonly Import[]>();

/** Files below a folder with these endings; empty if the folder does not exist. */
export function filesBelow(folder: string, ...endings: readonly string[]): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const names = entries
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(join(root, folder), join(parentPath, name)));
  const wanted = names.filter(name => endings.some(ending => name.endsWith(ending)));
  return wanted.map(name => join(folder, name).split(sep).join('/')).sort();
}

/** A file's text. */
export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Reads and parses a file once. */
export function source(path: string): Source {
  const known = cache.get(path);
  if (known) return known;
  const text = textOf(path);
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const read = { path, text, lines: text.split('\n').length - 1, tree };
  cache.set(path, read);
  return read;
}

/** All sources below the folders. */
export function sources(...folders: readonly string[]): readonly Source[] {
  return folders.flatMap(folder => filesBelow(folder, '.ts', '.mjs').map(source));
}

/** Every node of a file, parents first. */
export function* nodes(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  node.forEachChild(child => void children.push(child));
  for (const child of children) yield* nodes(child);
}

/** The line of a node, from 1. */
export const lineOf = ({ tree }: Source, node: ts.Node): number =>
  tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;

/** A file's imports, including types. */
export function importsOf(from: Source): readonly Import[] {
  const found = imports.get(from) ?? readImports(from);
  imports.set(from, found);
  return found;
}

function readImports(from: Source): readonly Import[] {
  return [...nodes(from.tree)].flatMap(node => {
    const written = importedBy(node);
    if (written === null) return [];
    const reExport = ts.isExportDeclaration(node);
    return [{ written, file: resolved(from.path, written), reExport, typeOnly: isTypeOnly(node) }];
  });
}

function importedBy(node: ts.Node): string | null {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return literal(node.moduleSpecifier);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return literal(node.argument.literal);
  const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isCall ? literal(node.arguments[0]) : null;
}

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  return ts.isImportTypeNode(node) || (ts.isExportDeclaration(node) && node.isTypeOnly);
}

const literal = (node: ts.Node | undefined): string | null =>
  node && ts.isStringLiteral(node) ? node.text : null;

function resolved(from: string, written: string): string | null {
  if (!written.startsWith('.')) return null;
  const base = relative(root, join(root, dirname(from), written))
    .split(sep)
    .join('/');
  return (
    [base, `${base}.ts`, `${base}/index.ts`].find(
      path => existsSync(join(root, path)) && /\.\w+$/.test(path),
    ) ?? base
  );
}

/** The text of every string in a file, including templates without placeholders. */
export function stringsOf(of: Source): readonly string[] {
  const found: string[] = [];
  for (const node of nodes(of.tree)) if (ts.isStringLiteralLike(node)) found.push(node.text);
  return found;
}
