import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { parse } from 'yaml';
import { FILE_RULES } from '../../src/core/analyse/fileFindings';
import { allRules } from '../../src/core/rules/allRules';
import { GOALS } from '../../src/core/plan/goals';
import { facts } from '../../src/core/rules/facts/registry';
import { faultsOf } from '../unit/brief';
import { lineOf, sources, textOf } from './sources';
import type { Source } from './sources';

/** Words that confuse readers, and spellings that are not American English. */
const BANNED = [
  'besides?|whoever|somebody|nobody|whom|nought',
  '(?:un)?(?:quanti|initiali|tokeni|normali|utili|recogni|optimi|summari|organi|speciali)s(?:e[dsr]?|ing|ation)',
  'analys(?:e[ds]?|ing)|behaviours?|colours?|neighbours?|favou?rite|catalogues?|licences?|cancell(?:ed|ing)',
];
const STUMBLING = new RegExp(`\\b(?:${BANNED.join('|')})\\b`, 'i');

/** Rooms whose texts are shown by VS Code and the CLI, including core for both. */
const ROOMS = [
  ...['cli', 'editor', 'embed', 'gpu', 'host', 'jobs', 'lengths', 'panel', 'profile', 'tasks', 'world'],
  ...['core/render', 'core/rules', 'core/plan'],
].map(room => `src/${room}`);

/** Rooms with texts of VS Code's interface. */
const WINDOW = ['editor', 'host', 'panel', 'tasks', 'web'].map(room => `src/${room}`);

/** Rooms whose errors reach the user as they are. */
const SAYING = ['cli', 'embed', 'gpu', 'jobs', 'lengths', 'profile', 'remote', 'world', 'core/launch'].map(
  room => `src/${room}`,
);

/** Quotations keep their spelling: a source, an id, a pattern, a license. */
const QUOTING = /^(?:id|sources?|example|counterexample|LICENSE|APACHE_2|[A-Z_]*SOURCES?)$/;

const isQuotation = (node: ts.Node): boolean =>
  ((ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) && QUOTING.test(node.name.getText())) ||
  ts.isImportDeclaration(node) ||
  ts.isLiteralTypeNode(node);

/** Texts of several words in a file, with their nodes. */
function* texts(node: ts.Node): Generator<ts.Node & { readonly text: string }> {
  if (isQuotation(node)) return;
  if ((ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) && node.text.includes(' ')) {
    yield node;
  }
  const children: ts.Node[] = [];
  node.forEachChild(child => void children.push(child));
  for (const child of children) yield* texts(child);
}

const stumbled = (file: Source): readonly string[] =>
  [...texts(file.tree)].flatMap(node => {
    const word = STUMBLING.exec(node.text)?.[0];
    return word === undefined ? [] : [`${file.path}:${lineOf(file, node)} ${word}`];
  });

/** Fields of dialect files and of their schema that users read. */
const SHOWN = new Set(['text', 'why', 'unknown', 'refuse', 'note', 'doubt', 'message', 'description']);

/** Texts for users in a dialect file. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && SHOWN.has(name)) yield inner;
    else yield* textsIn(inner);
  }
}

/** The message of a fact with keys as users see them: their last name and a value. */
const withKeys = (message: string): string => message.replaceAll(/\{(?:[^}]*\.)?([^}.]+)\}/g, '`$1: x`');

/** A text with short names in its placeholders; null if it is composed elsewhere. */
function filled(node: ts.Expression | undefined): string | null {
  if (node === undefined) return null;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `name${literal.text}`).join('');
  }
  if (!ts.isBinaryExpression(node)) return null;
  const [left, right] = [filled(node.left), filled(node.right)];
  return left === null || right === null ? null : left + right;
}

/** Errors whose text is for the user, by class; their text is the first argument or the one after a kind. */
const ERRORS =
  /^(?:BadInput|JobError|RayAway|Unreachable|EmbedError|ShardFlaw|ProfileError|CatalogError|NoAnswer|Refusal)$/;

/** What the user is told when something cannot go on: errors, and values that say why. */
function* errorsOf(node: ts.Node): Generator<string> {
  const isError = ts.isNewExpression(node) && ERRORS.test(node.expression.getText());
  const isWhy = ts.isPropertyAssignment(node) && /^(?:why|reason)$/.test(node.name.getText());
  for (const text of isError ? (node.arguments ?? []) : isWhy ? [node.initializer] : []) {
    const said = filled(text);
    if (said?.includes(' ')) yield said;
  }
  const children: ts.Node[] = [];
  node.forEachChild(child => void children.push(child));
  for (const child of children) yield* errorsOf(child);
}

/** Texts of `l10n.t`, which a window shows by itself. */
function* notesOf(node: ts.Node): Generator<string> {
  const [text] = ts.isCallExpression(node) ? node.arguments : [];
  if (ts.isCallExpression(node) && text && node.expression.getText().endsWith('l10n.t')) {
    yield* [...texts(text)].map(each => each.text);
  }
  const children: ts.Node[] = [];
  node.forEachChild(child => void children.push(child));
  for (const child of children) yield* notesOf(child);
}

/** Texts of the manifest, or of all that is translated, by key. */
const translated = (path: string): readonly string[] =>
  Object.values(JSON.parse(textOf(path)) as Readonly<Record<string, string>>);

describe('words', () => {
  it('of the window are free of banned words', () => {
    const shown = [...translated('package.nls.json'), ...translated('l10n/bundle.l10n.json')];
    assert.deepEqual(
      // Values of settings are written by users.
      shown.map(text => text.replaceAll(/`[^`]*`/g, '')).filter(text => STUMBLING.test(text)),
      [],
    );
  });

  it('of messages, plans, rules and help are free of banned words', () => {
    assert.deepEqual(sources(...ROOMS).flatMap(stumbled), []);
  });

  it('of dialect files and their schema are free of banned words', () => {
    const folder = 'src/core/dialects';
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.yaml'))
      .map(name => join(folder, name));
    assert.ok(files.length > 100);
    const said = [...files, 'media/dialect.schema.json'].flatMap(file =>
      [...textsIn(parse(readFileSync(file, 'utf8')))].map(text => `${file}: ${text}`),
    );
    assert.deepEqual(
      said.map(text => text.replaceAll(/`[^`]*`/g, '')).filter(text => STUMBLING.test(text)),
      [],
    );
  });

  it('of pictures are free of banned words', () => {
    const pictures = readdirSync('media', { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('.svg'),
    );
    const said = pictures
      .map(name => readFileSync(join('media', name), 'utf8'))
      .filter(text => text.includes('<text'));
    assert.ok(said.length > 0);
    assert.deepEqual(
      said.flatMap(text => STUMBLING.exec(text)?.[0] ?? []),
      [],
    );
  });

  it('of rules begin with a verdict and one reason, within the length limit', () => {
    const summaries = [...allRules, ...Object.values(FILE_RULES)].map(({ summary }) => summary);
    const messages = facts.flatMap(of => of.facts.map(({ message }) => withKeys(message)));
    assert.deepEqual([...summaries, ...messages].flatMap(faultsOf), []);
  });

  it('of notifications, missing plans and errors do so as well', () => {
    const notes = sources(...WINDOW).flatMap(file => [...notesOf(file.tree)]);
    assert.ok(notes.length > 300);
    const shown = notes.map(text => text.replaceAll(/\{\d+\}/g, 'name'));
    const none = GOALS.map(({ none }) => `${none}.`);
    const errors = sources(...SAYING).flatMap(file => [...errorsOf(file.tree)]);
    assert.ok(errors.length > 150);
    assert.deepEqual([...shown, ...none, ...errors].flatMap(faultsOf), []);
  });

  it('that are banned are found', () => {
    const found = ['put it beside the config', 'Analysed in no time', 'a quantised model'].map(text =>
      STUMBLING.test(text),
    );
    assert.deepEqual(found, [true, true, true]);
    assert.ok(!STUMBLING.test('parallelism, a summary and an analysis'));
  });
});
