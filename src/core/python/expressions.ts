import type { Span } from '../text/span';
import type { SyntaxNode } from '@lezer/common';
import type { ScalarValue } from '../yaml/node';
import { numberIn, textIn } from './literals';
import type { ArgumentExpression, DictEntry, Expression } from './syntax';

/** Nested deeper, an expression is not read. */
const DEEPEST = 80;

export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.name !== 'Comment' && !child.type.isError) children.push(child);
  }
  return children;
}

/** A name within a module. */
export const dotted = (module: string, name: string): string => (module === '' ? name : `${module}.${name}`);

const PUNCTUATION: ReadonlySet<string> = new Set(['(', ')', '[', ']', '{', '}', ',', ':', '.']);

const BRACKETS: ReadonlySet<string> = new Set(['(', ')', '[', ']', '{', '}']);

const CONSTANTS: Readonly<Record<string, boolean | null>> = { True: true, False: false, None: null };

/** Reads expressions of one text. */
export class Expressions {
  constructor(private readonly text: string) {}

  of(node: SyntaxNode, depth: number): Expression {
    const span = { start: node.from, end: node.to };
    if (depth > DEEPEST) return { kind: 'other', span };
    const constant = this.constant(node);
    if (constant !== undefined) return { kind: 'constant', span, value: constant };
    switch (node.name) {
      case 'VariableName':
        return { kind: 'name', span, name: this.source(node) };
      case 'FormatString':
      case 'ContinuedString':
        return { kind: 'text', span, parts: this.parts(node, depth) };
      case 'ArrayExpression':
      case 'TupleExpression':
      case 'SetExpression':
        return this.list(this.contents(node), span, depth + 1);
      case 'ParenthesizedExpression': {
        const [only] = this.contents(node);
        return only ? { ...this.of(only, depth + 1), span } : { kind: 'other', span };
      }
      case 'DictionaryExpression':
        return { kind: 'dict', span, entries: this.entries(node, depth) };
      case 'CallExpression':
        return this.call(node, depth);
      case 'MemberExpression':
        return this.member(node, depth);
      default:
        return node.name.endsWith('ComprehensionExpression')
          ? this.comprehension(node, depth)
          : this.operation(node, depth);
    }
  }

  /** The value of a literal; undefined for others. */
  private constant(node: SyntaxNode): ScalarValue | undefined {
    const source = this.source(node);
    switch (node.name) {
      case 'Boolean':
      case 'None':
        return CONSTANTS[source] ?? null;
      case 'Number':
        return numberIn(source) ?? undefined;
      case 'String':
        return textIn(source) ?? undefined;
      default:
        return undefined;
    }
  }

  /** With one `for` and at most one `if`. */
  private comprehension(node: SyntaxNode, depth: number): Expression {
    const span = { start: node.from, end: node.to };
    const children = childrenOf(node).filter(({ name }) => !BRACKETS.has(name));
    const place = (word: string): number => children.findIndex(({ name }) => name === word);
    const [start, within, condition] = [place('for'), place('in'), place('if')];
    const [first, colon, second] = children.slice(0, Math.max(start, 0));
    const [over, test = null, ...more] = children
      .slice(within + 1)
      .filter((_, at) => at + within + 1 !== condition);
    const isPlain = more.length === 0 && (test === null) === condition < 0;
    if (!first || !over || !isPlain) return { kind: 'other', span };
    const inner = (child: SyntaxNode): Expression => this.of(child, depth + 1);
    return {
      kind: 'comprehension',
      span,
      key: colon ? inner(first) : null,
      value: inner(second ?? first),
      target: this.several(children.slice(start + 1, within)),
      over: inner(over),
      test: test && inner(test),
    };
  }

  /** `[*some, one]` is `some + [one]`. */
  private list(nodes: readonly SyntaxNode[], span: Span, depth: number): Expression {
    const parts: Expression[] = [];
    let plain: Expression[] = [];
    const close = (): void => {
      if (plain.length > 0) parts.push({ kind: 'list', span, items: plain });
      plain = [];
    };
    for (const [at, node] of nodes.entries()) {
      if (node.name === '*') continue;
      const one = this.of(node, depth);
      if (nodes[at - 1]?.name === '*') {
        close();
        parts.push(one);
      } else plain.push(one);
    }
    close();
    const [first = { kind: 'list', span, items: [] } as const, ...others] = parts;
    return others.reduce<Expression>(
      (left, right) => ({ kind: 'binary', span, operator: '+', left, right }),
      first,
    );
  }

  /** Expressions between commas: a tuple without parentheses, or a single one. */
  several(nodes: readonly SyntaxNode[]): Expression {
    const [first] = nodes;
    const last = nodes.at(-1);
    if (!first || !last) return { kind: 'other', span: { start: 0, end: 0 } };
    if (nodes.length === 1) return this.of(first, 0);
    const items = nodes.filter(({ name }) => name !== ',').map(node => this.of(node, 0));
    return { kind: 'list', span: { start: first.from, end: last.to }, items };
  }

  argumentsOf(list: SyntaxNode, depth = 0): readonly ArgumentExpression[] {
    const found: ArgumentExpression[] = [];
    let stars: 0 | 1 | 2 = 0;
    const children = childrenOf(list);
    if (children.some(({ name }) => name === 'for')) {
      const keySpan = { start: list.from, end: list.to };
      return [{ name: null, stars: 0, keySpan, value: this.comprehension(list, depth + 1) }];
    }
    for (let at = 0; at < children.length; at++) {
      const child = children[at];
      if (!child || PUNCTUATION.has(child.name)) continue;
      const value = children[at + 2];
      if (child.name === '*' || child.name === '**') stars = child.name === '*' ? 1 : 2;
      else if (children[at + 1]?.name === 'AssignOp' && value) {
        const keySpan = { start: child.from, end: child.to };
        const name = this.source(child);
        found.push({ name, stars: 0, keySpan, value: this.of(value, depth + 1) });
        at += 2;
      } else {
        const keySpan = { start: child.from, end: child.to };
        found.push({ name: null, stars, keySpan, value: this.of(child, depth + 1) });
        stars = 0;
      }
    }
    return found;
  }

  private source(node: SyntaxNode): string {
    return this.text.slice(node.from, node.to);
  }

  private contents(node: SyntaxNode): readonly SyntaxNode[] {
    return childrenOf(node).filter(({ name }) => !PUNCTUATION.has(name));
  }

  private call(node: SyntaxNode, depth: number): Expression {
    const [callee] = childrenOf(node);
    const list = node.getChild('ArgList');
    const span = { start: node.from, end: node.to };
    if (!callee || !list) return { kind: 'other', span };
    return {
      kind: 'call',
      span,
      callee: this.of(callee, depth + 1),
      args: this.argumentsOf(list, depth + 1),
      list: { start: list.from, end: list.to },
    };
  }

  private member(node: SyntaxNode, depth: number): Expression {
    const span = { start: node.from, end: node.to };
    const [of, ...rest] = childrenOf(node);
    const property = node.getChild('PropertyName');
    if (!of) return { kind: 'other', span };
    if (property) return { kind: 'member', span, of: this.of(of, depth + 1), name: this.source(property) };
    const [index, ...others] = rest.filter(({ name }) => name !== '[' && name !== ']');
    if (!index || others.length > 0) return { kind: 'other', span };
    return { kind: 'item', span, of: this.of(of, depth + 1), index: this.of(index, depth + 1) };
  }

  private operation(node: SyntaxNode, depth: number): Expression {
    const span = { start: node.from, end: node.to };
    const children = childrenOf(node);
    const inner = (child: SyntaxNode): Expression => this.of(child, depth + 1);
    const [first, second, third] = children;
    if (node.name === 'UnaryExpression' && first && second && children.length === 2) {
      return { kind: 'unary', span, operator: this.source(first), of: inner(second) };
    }
    if (node.name === 'BinaryExpression' && first && children.length >= 3) {
      const right = children.at(-1);
      const operator = children.slice(1, -1).map(child => this.source(child));
      if (right) {
        return {
          kind: 'binary',
          span,
          operator: operator.join(' '),
          left: inner(first),
          right: inner(right),
        };
      }
    }
    const otherwise = children[4];
    if (node.name === 'ConditionalExpression' && first && third && otherwise) {
      return { kind: 'choice', span, test: inner(third), then: inner(first), otherwise: inner(otherwise) };
    }
    const body = children.at(-1);
    return node.name === 'LambdaExpression' && body
      ? { kind: 'other', span, body: inner(body) }
      : { kind: 'other', span };
  }

  private entries(node: SyntaxNode, depth: number): readonly DictEntry[] {
    const entries: DictEntry[] = [];
    let key: Expression | null = null;
    for (const child of childrenOf(node)) {
      if (child.name === ':' || child.name === '{' || child.name === '}') continue;
      if (child.name === ',' || child.name === '**') key = null;
      else if (key === null && child.nextSibling?.name === ':') key = this.of(child, depth + 1);
      else {
        entries.push({ key, value: this.of(child, depth + 1) });
        key = null;
      }
    }
    return entries;
  }

  /** The texts and expressions of an f-string, or of several strings behind each other. */
  private parts(node: SyntaxNode, depth: number): readonly (string | Expression)[] {
    if (node.name === 'ContinuedString') {
      return childrenOf(node).flatMap(child => {
        if (child.name === 'FormatString') return this.parts(child, depth + 1);
        const value = textIn(this.source(child));
        return value ?? [{ kind: 'other', span: { start: child.from, end: child.to } } as const];
      });
    }
    const [, quote = ''] = /^[a-zA-Z]*('''|"""|'|")/.exec(this.source(node)) ?? [];
    let at = node.from + this.source(node).indexOf(quote) + quote.length;
    const parts: (string | Expression)[] = [];
    for (const child of childrenOf(node)) {
      if (child.name !== 'FormatReplacement') continue;
      parts.push(this.text.slice(at, child.from));
      const contents = this.contents(child);
      const [only] = contents;
      const isPlain = only !== undefined && contents.length === 1;
      parts.push(
        isPlain ? this.of(only, depth + 1) : { kind: 'other', span: { start: child.from, end: child.to } },
      );
      at = child.to;
    }
    parts.push(this.text.slice(at, node.to - quote.length));
    return parts;
  }
}
