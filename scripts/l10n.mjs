// Writes l10n/bundle.l10n.json: every text that the extension passes to `l10n.t`, for translation.
// VS Code reads `l10n/bundle.l10n.<language>.json`, with the English text as the key.
//   node scripts/l10n.mjs [--check]
import { mkdirSync, readFileSync, readdirSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = join(root, 'l10n/bundle.l10n.json');

/** `l10n.t` of VS Code, and `t` of the panel's page. */
const isCallOfT = node =>
  ts.isCallExpression(node) && /^((vscode\.)?l10n\.)?t$/.test(node.expression.getText());

/** Texts of one file's calls; a text that is composed at run time cannot be translated and is rejected. */
function textsOf(path) {
  const source = readFileSync(path, 'utf8');
  if (!/\bt\(/.test(source)) return [];
  const tree = ts.createSourceFile(path, source, ts.ScriptTarget.ES2023, true);
  const texts = [];
  const visit = node => {
    if (isCallOfT(node)) texts.push(...literals(node.arguments[0], path, tree));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return texts;
}

function literals(node, path, tree) {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) {
    return [...literals(node.whenTrue, path, tree), ...literals(node.whenFalse, path, tree)];
  }
  const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  throw new Error(`${path}:${line}: l10n.t needs a literal text with {0} placeholders.`);
}

/** The bundle for the current sources. */
export function l10nBundle() {
  const files = readdirSync(join(root, 'src'), { recursive: true })
    .filter(name => name.endsWith('.ts') && !name.startsWith('core'))
    .map(name => join(root, 'src', name));
  const pages = readdirSync(join(root, 'webview'))
    .filter(name => name.endsWith('.ts'))
    .map(name => join(root, 'webview', name));
  const texts = [...new Set([...files, ...pages].flatMap(textsOf))].sort();
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
