// Writes l10n/bundle.l10n.json: every text for people that is translated, with the English text as the key.
// VS Code reads `l10n/bundle.l10n.<language>.json`.
//   node scripts/l10n.mjs [--check]
import { mkdirSync, readFileSync, readdirSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = join(root, 'l10n/bundle.l10n.json');

/** Where texts are said, as there is no `vscode`. */
const SAYING = [
  ...['src/core/', 'src/jobs/', 'src/tasks/jobText.ts', 'src/tasks/spreadWords.ts'],
  ...['src/panel/meterFormat.ts', 'src/panel/meterTooltip.ts', 'src/panel/meterView.ts'],
].map(path => join(root, path));
/** The interface itself, in core and of a window, whose functions take any text. */
const OWN = ['src/core/text/say.ts', 'src/host/say.ts'].map(path => join(root, path));

/** Tables of core with texts, and where those are. */
const TABLES = [['src/core/rules/data/releaseMemory.json', ['says', 'because', 'do']]];

/** `l10n.t` of VS Code, and `t` of the panel's page. */
const T = /^((vscode\.)?l10n\.)?t$/;
/** What says a text to whoever reads it, and what marks the texts of tables. */
const SAY = /^(?:(?:\w+\.)*say|template)$/;

/** Texts of one file's calls; a text that is composed at run time cannot be translated and is rejected. */
function textsOf(path) {
  const source = readFileSync(path, 'utf8');
  const takesText = SAYING.some(folder => path.startsWith(folder)) ? SAY : T;
  if (OWN.includes(path) || !/\b(?:t|say|template)\(/.test(source)) return [];
  const tree = ts.createSourceFile(path, source, ts.ScriptTarget.ES2023, true);
  const constants = constantsOf(tree);
  const texts = [];
  const visit = node => {
    if (ts.isCallExpression(node) && takesText.test(node.expression.getText())) {
      texts.push(...literals(node.arguments[0], { path, tree, constants }));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return texts;
}

/** Names of keys that a file states once: `const KEY = 'a.b'`. */
function constantsOf(tree) {
  const constants = new Map();
  for (const statement of tree.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (initializer && ts.isStringLiteralLike(initializer)) constants.set(name.getText(), initializer.text);
    }
  }
  return constants;
}

function literals(node, at) {
  if (ts.isConditionalExpression(node)) {
    return [...literals(node.whenTrue, at), ...literals(node.whenFalse, at)];
  }
  const text = literal(node, at.constants);
  if (text !== null) return [text];
  const line = at.tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  throw new Error(`${at.path}:${line}: a text for people needs to be a literal with {0} placeholders.`);
}

/** The text of a literal, of a sum of literals, or of one with constants of its file; null: it is composed. */
function literal(node, constants) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return joined([node.left, node.right].map(part => literal(part, constants)));
  }
  if (!ts.isTemplateExpression(node)) return null;
  const parts = node.templateSpans.flatMap(({ expression, literal: { text } }) => [
    constants.get(expression.getText()) ?? null,
    text,
  ]);
  return joined([node.head.text, ...parts]);
}

const joined = parts => (parts.includes(null) ? null : parts.join(''));

const inFolder = (folder, depth) =>
  readdirSync(join(root, folder), { recursive: depth })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(root, folder, name));

const textsOfTable = ([path, fields]) =>
  JSON.parse(readFileSync(join(root, path), 'utf8')).flatMap(row =>
    fields.flatMap(field => row[field] ?? []),
  );

/** The bundle for the current sources. */
export function l10nBundle() {
  const files = [...inFolder('src', true), ...inFolder('webview', false)];
  const texts = [...new Set([...files.flatMap(textsOf), ...TABLES.flatMap(textsOfTable)])].sort();
  return `${JSON.stringify(Object.fromEntries(texts.map(text => [text, text])), null, 2)}\n`;
}

/** Returns whether the bundle changed (with `check`: whether it would change). */
export function writeL10n({ check = false } = {}) {
  const text = l10nBundle();
  if (existsSync(bundle) && readFileSync(bundle, 'utf8') === text) return false;
  if (check) return true;
  mkdirSync(dirname(bundle), { recursive: true });
  writeFileSync(bundle, text);
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  if (writeL10n({ check })) {
    console[check ? 'error' : 'log'](`${check ? 'stale' : 'wrote'}: l10n/bundle.l10n.json`);
    process.exitCode = check ? 1 : 0;
  }
}
