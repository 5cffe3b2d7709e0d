// Writes l10n/bundle.l10n.json: every text for people that is translated, with the English text as the key.
// VS Code reads `l10n/bundle.l10n.<language>.json`.
//   node scripts/l10n.mjs [--check]
import { mkdirSync, readFileSync, readdirSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { isAlias, parseDocument, visit as visitYaml } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = join(root, 'l10n/bundle.l10n.json');

/** Where texts are said, as there is no `vscode`. */
const SAYING = [
  ...['src/core/', 'src/jobs/', 'src/tasks/jobText.ts', 'src/tasks/spreadWords.ts'],
  ...[
    'src/panel/meterFormat.ts',
    'src/panel/meterTooltip.ts',
    'src/panel/meterView.ts',
    'src/panel/page/asText.ts',
  ],
].map(path => join(root, path));
/** The interface itself, in core and of a window, whose functions take any text. */
const OWN = ['src/core/text/say.ts', 'src/host/say.ts'].map(path => join(root, path));

/** Tables of core with texts, and where those are. */
const TABLES = [['src/core/rules/data/releaseMemory.json', ['says', 'because', 'do']]];

/**
 * Where texts are composed in English before their reader is known: estimates, readings, records of jobs, states of hosts. A
 * window says them by the templates at these places (`src/core/text/retell.ts`).
 */
const COMPOSED = [
  ...[
    'src/core/memory/',
    'src/core/dialects/',
    'src/core/reading/',
    'src/core/learn/',
    'src/core/speed/',
    'src/core/analyse/',
  ],
  ...['src/jobs/', 'src/gpu/', 'src/remote/'],
].map(path => join(root, path));
/** Calls that take such a text, and properties that hold one. */
const NOTING =
  /(?:^|\.)(?:assume|guess|suppose|lack|notKnown|needed|unknown|unresolved|derived(?:From)?|failed|rowAt|methodRow|addRow)$/;
const HOLDING = new Set(['formula', 'why', 'note', 'assumed', 'message', 'todo']);

/** What says the end of a sentence whose subject is a key: of a value that does not fit, or that another place decides. */
const ENDING = new Set(['unfit', 'left']);

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

/** Templates of the composed texts of one file. */
function phrasesOf(path) {
  // Its reasons are for those who read the code.
  if (path.endsWith('src/core/speed/constants.ts')) return [];
  if (!COMPOSED.some(folder => path.startsWith(folder))) return [];
  const tree = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true);
  const texts = [];
  const marked = [];
  const visit = node => {
    if (ts.isCallExpression(node) && NOTING.test(node.expression.getText())) {
      texts.push(...node.arguments.flatMap(variants));
    }
    const holds = ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node);
    if (holds && node.initializer && HOLDING.has(node.name.getText())) {
      texts.push(...variants(node.initializer));
    }
    texts.push(...endingsOf(node).map(sentenceOf));
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'phrase') {
      marked.push(...variants(node.template));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return [...texts.filter(isText), ...marked];
}

/** The ends of sentences at a call, or at a property. */
function endingsOf(node) {
  if (ts.isCallExpression(node) && ENDING.has(node.expression.getText())) return variants(node.arguments[0]);
  return ts.isPropertyAssignment(node) && ENDING.has(node.name.getText()) ? variants(node.initializer) : [];
}

const sentenceOf = ending =>
  `{0} ${ending.replaceAll(/\{(\d+)\}/g, (_, place) => `{${Number(place) + 1}}`)}.`;

/** Not a name, a path, or a citation of one with its line. */
const isText = text => /\p{L}{2}/u.test(text) && / /.test(text) && (!FILE.test(text) || isSaidOf(text));
const FILE = /[\w-]\.(?:py|rs|cc|sh|md)\b/;
const isSaidOf = text => / \p{Ll}{2}/u.test(text.replaceAll(/\S*[\w-]\.(?:py|rs|cc|sh|md)\b/g, ''));

/** The templates that a literal can be, one for each choice in it; none if it is composed elsewhere. */
function variants(node) {
  if (ts.isParenthesizedExpression(node)) return variants(node.expression);
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) return [...variants(node.whenTrue), ...variants(node.whenFalse)];
  if (!ts.isTemplateExpression(node)) return [];
  return node.templateSpans
    .reduce(
      (all, span) => all.flatMap(({ text, places }) => spanned(span, text, places)),
      [{ text: node.head.text, places: 0 }],
    )
    .map(({ text }) => text);
}

function spanned({ expression, literal: { text: after } }, text, places) {
  const choice = ts.isConditionalExpression(expression) ? variants(expression) : [];
  if (choice.length !== 2 || choice.join('').includes('{')) {
    return [{ text: `${text}{${places}}${after}`, places: places + 1 }];
  }
  return choice.map(one => ({ text: `${text}${one}${after}`, places }));
}

/** Keys of dialects' files with a reason or a remark. `{name}` stands for a value. */
const REASONS = new Set(['why', 'unknown', 'refuse', 'note']);

/** The texts in dialects' files, and in the description of their format: reasons, the help on keys, and titles of more than names. */
function dialectTextsOf(path) {
  const texts = [];
  const file = parseDocument(readFileSync(path, 'utf8'));
  visitYaml(file, {
    Pair(_, { key, value }, above) {
      const text = isAlias(value) ? value.resolve(file)?.value : value?.value;
      if (typeof text !== 'string') return;
      if (REASONS.has(key.value)) texts.push(...[templateOf(text)].filter(isText));
      const isHelp = key.value === 'default' && above.some(one => one.key?.value === 'help');
      const isTitle = key.value === 'title' && / \p{Ll}{2}/u.test(text);
      if (key.value === 'text' || ((isHelp || isTitle) && text.includes(' '))) texts.push(text);
    },
  });
  return texts;
}

function templateOf(reason) {
  let places = 0;
  return reason.replaceAll(/\{[^{}]*\}/g, () => `{${places++}}`);
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

const inFolder = (folder, depth, ending = '.ts') =>
  readdirSync(join(root, folder), { recursive: depth })
    .filter(name => name.endsWith(ending))
    .map(name => join(root, folder, name));

const textsOfTable = ([path, fields]) =>
  JSON.parse(readFileSync(join(root, path), 'utf8')).flatMap(row =>
    fields.flatMap(field => row[field] ?? []),
  );

/** The bundle for the current sources. */
export function l10nBundle() {
  const files = [...inFolder('src', true), ...inFolder('webview', false)];
  const dialects = inFolder('src/core/dialects', true, '.yaml').flatMap(dialectTextsOf);
  const composed = [...files.flatMap(phrasesOf), ...dialects];
  const texts = [
    ...new Set([...files.flatMap(textsOf), ...TABLES.flatMap(textsOfTable), ...composed]),
  ].sort();
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
