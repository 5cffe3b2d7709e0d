import type { SyntaxNode, Tree } from '@lezer/common';
import { moved } from './moved';
import { syntaxTree } from './tree';
import { Expressions, childrenOf, dotted } from './expressions';
import type {
  Branch,
  Decorator,
  Expression,
  FunctionStatement,
  ImportedName,
  Parameter,
  Statement,
} from './syntax';

/** Nested deeper, nothing is read: no program of people is. */
const DEEPEST = 60;

/**
 * The statements of a program. Never throws; what is broken is left out, and a text with thousands of mistakes is no
 * program.
 */
export function parseProgram(text: string): readonly Statement[] {
  const tree = syntaxTree(text);
  if (tree === null) return [];
  const found = known.get(tree) ?? new Statements(text).of(tree.topNode, 0);
  known.set(tree, found);
  return found;
}

/** A tree is kept while its text is, so it has one text. */
const known = new WeakMap<Tree, readonly Statement[]>();

/** Functions and classes of trees that are taken over from another text, and where they stood. */
const definitions = new WeakMap<Tree, { readonly at: number; readonly statements: readonly Statement[] }>();

const DEFINITION = /^(?:Function|Class)Definition$|^DecoratedStatement$/;

class Statements {
  private readonly expressions: Expressions;

  constructor(private readonly text: string) {
    this.expressions = new Expressions(text);
  }

  of(node: SyntaxNode, depth: number): readonly Statement[] {
    if (depth > DEEPEST) return [];
    return childrenOf(node).flatMap(child => {
      const tree = DEFINITION.test(child.name) ? child.tree : null;
      const known = tree && definitions.get(tree);
      // New objects: the other text may be of a file that this one imports.
      if (known) return moved(known.statements, child.from - known.at);
      const found = [this.statement(child, depth + 1) ?? []].flat();
      if (tree) definitions.set(tree, { at: child.from, statements: found });
      return found;
    });
  }

  private statement(node: SyntaxNode, depth: number): Statement | readonly Statement[] | null {
    const span = { start: node.from, end: node.to };
    switch (node.name) {
      case 'ImportStatement':
        return { span, ...this.imported(node) };
      case 'AssignStatement':
        return this.assignment(node);
      case 'UpdateStatement':
        return this.update(node);
      case 'ExpressionStatement':
        return this.expressed(node, 0);
      case 'ReturnStatement':
        return this.returned(node);
      // `raise SystemExit(main())` starts a program.
      case 'RaiseStatement':
        return this.expressed(node, 1);
      case 'StatementGroup':
        return this.of(node, depth);
      case 'DecoratedStatement':
        return this.decorated(node, depth);
      case 'FunctionDefinition':
        return this.definition(node, depth);
      case 'ClassDefinition':
        return this.classDefinition(node, depth);
      case 'IfStatement':
        return { kind: 'branches', span, branches: this.branches(node, depth) };
      default:
        return this.compound(node, depth);
    }
  }

  private compound(node: SyntaxNode, depth: number): Statement | null {
    const span = { start: node.from, end: node.to };
    switch (node.name) {
      case 'ForStatement':
      case 'WhileStatement':
        return { kind: 'loop', span, ...this.loopHead(node), body: this.bodyOf(node, depth) };
      case 'MatchStatement':
        return { kind: 'branches', span, branches: this.cases(node, depth) };
      case 'WithStatement':
      case 'TryStatement':
        return this.block(node, depth);
      default:
        return null;
    }
  }

  private expressed(node: SyntaxNode, at: number): Statement | null {
    const child = childrenOf(node)[at];
    const span = { start: node.from, end: node.to };
    return child ? { kind: 'expression', span, value: this.expression(child) } : null;
  }

  private returned(node: SyntaxNode): Statement {
    const span = { start: node.from, end: node.to };
    const values = childrenOf(node).slice(1);
    return { kind: 'return', span, value: values.length > 0 ? this.expressions.several(values) : null };
  }

  private classDefinition(node: SyntaxNode, depth: number): Statement {
    const list = node.getChild('ArgList');
    const bases = list ? this.expressions.argumentsOf(list).filter(({ name }) => name === null) : [];
    return {
      kind: 'class',
      span: { start: node.from, end: node.to },
      name: this.nameOf(node.getChild('VariableName')),
      bases: bases.map(({ value }) => value),
      decorators: [],
      declared: this.declaredIn(node),
      body: this.bodyOf(node, depth),
    };
  }

  private declaredIn(node: SyntaxNode): readonly string[] {
    const statements = node.getChildren('Body').flatMap(body => body.getChildren('AssignStatement'));
    return statements
      .filter(one => one.getChild('TypeDef') !== null)
      .map(one => this.nameOf(one.getChild('VariableName')));
  }

  private expression(node: SyntaxNode): Expression {
    return this.expressions.of(node, 0);
  }

  private nameOf(node: SyntaxNode | null): string {
    return node ? this.text.slice(node.from, node.to) : '';
  }

  private bodyOf(node: SyntaxNode, depth: number): readonly Statement[] {
    return node.getChildren('Body').flatMap(body => this.of(body, depth));
  }

  /** `a = b = value`, `a, b = value`, `a: int = value`. */
  private assignment(node: SyntaxNode): Statement | null {
    const sides: SyntaxNode[][] = [[]];
    for (const child of childrenOf(node)) {
      if (child.name === 'AssignOp') sides.push([]);
      else if (child.name !== 'TypeDef') sides.at(-1)?.push(child);
    }
    const [value, ...targets] = sides.toReversed().map(side => this.expressions.several(side));
    if (!value || targets.length === 0) return null;
    return { kind: 'assign', span: { start: node.from, end: node.to }, targets, value, operator: null };
  }

  private update(node: SyntaxNode): Statement | null {
    const [target, sign, value] = childrenOf(node);
    if (!target || !sign || !value) return null;
    return {
      kind: 'assign',
      span: { start: node.from, end: node.to },
      targets: [this.expression(target)],
      value: this.expression(value),
      operator: this.nameOf(sign).slice(0, -1),
    };
  }

  private imported(node: SyntaxNode) {
    const words = childrenOf(node).map(child => this.text.slice(child.from, child.to));
    const from = words[0] === 'from';
    const at = words.indexOf('import');
    const module = from ? words.slice(1, at).join('') : '';
    const rest = words.slice(at + 1).filter(word => word !== '(' && word !== ')');
    const names: ImportedName[] = [];
    for (const part of split(rest)) {
      const as = part.indexOf('as');
      const path = (as < 0 ? part : part.slice(0, as)).join('');
      if (path === '' || path === '*') continue;
      const local = as < 0 ? undefined : part[as + 1];
      const first = path.split('.')[0] ?? path;
      names.push(
        from
          ? { local: local ?? path, qualified: dotted(module, path) }
          : { local: local ?? first, qualified: local === undefined ? first : path },
      );
    }
    return { kind: 'import', names, star: from && rest.includes('*') ? module : null } as const;
  }

  private decorated(node: SyntaxNode, depth: number): readonly Statement[] {
    const decorators = node.getChildren('Decorator').map((decorator): Decorator => {
      const names = decorator.getChildren('VariableName');
      const list = decorator.getChild('ArgList');
      return {
        name: names.map(name => this.nameOf(name)).join('.'),
        span: { start: decorator.from, end: decorator.to },
        args: list ? this.expressions.argumentsOf(list) : [],
      };
    });
    return this.of(node, depth).map(one =>
      one.kind === 'function' || one.kind === 'class' ? { ...one, decorators } : one,
    );
  }

  private definition(node: SyntaxNode, depth: number): FunctionStatement {
    const list = node.getChild('ParamList');
    return {
      kind: 'function',
      span: { start: node.from, end: node.to },
      name: this.nameOf(node.getChild('VariableName')),
      parameters: list ? this.parameters(list) : [],
      decorators: [],
      body: this.bodyOf(node, depth),
    };
  }

  private parameters(list: SyntaxNode): readonly Parameter[] {
    const parameters: Parameter[] = [];
    let stars: 0 | 1 | 2 = 0;
    let isDefault = false;
    for (const child of childrenOf(list)) {
      const last = parameters.at(-1);
      if (child.name === '*' || child.name === '**') stars = child.name === '*' ? 1 : 2;
      else if (child.name === 'AssignOp') isDefault = true;
      else if (child.name === ',') isDefault = false;
      else if (child.name === '(' || child.name === ')') continue;
      else if (isDefault && last) {
        parameters[parameters.length - 1] = { ...last, byDefault: this.expression(child) };
      } else if (child.name === 'VariableName') {
        parameters.push({ name: this.nameOf(child), byDefault: null, stars });
        stars = 0;
      }
    }
    return parameters;
  }

  private branches(node: SyntaxNode, depth: number): readonly Branch[] {
    const branches: Branch[] = [];
    let test: Expression | null = null;
    for (const child of childrenOf(node)) {
      if (child.name === 'else') test = null;
      else if (child.name === 'Body') branches.push({ test, body: this.of(child, depth) });
      else if (child.name !== 'if' && child.name !== 'elif') test = this.expression(child);
    }
    return branches;
  }

  /** `match mode:` with literals; whether other patterns fit is unknown. */
  private cases(node: SyntaxNode, depth: number): readonly Branch[] {
    const [, subject] = childrenOf(node);
    const clauses = node.getChild('MatchBody')?.getChildren('MatchClause') ?? [];
    return clauses.map(clause => {
      const [, pattern] = childrenOf(clause);
      const span = { start: clause.from, end: clause.to };
      const literal = pattern?.name === 'LiteralPattern' ? pattern.firstChild : null;
      const isGuarded = clause.getChild('Guard') !== null;
      const isRest = pattern?.name === 'CapturePattern' && !isGuarded;
      const test: Expression =
        subject && literal && !isGuarded
          ? {
              kind: 'binary',
              span,
              operator: '==',
              left: this.expression(subject),
              right: this.expression(literal),
            }
          : { kind: 'other', span };
      return { test: isRest ? null : test, body: this.bodyOf(clause, depth) };
    });
  }

  private loopHead(node: SyntaxNode): Pick<Extract<Statement, { kind: 'loop' }>, 'targets' | 'over'> {
    const children = childrenOf(node);
    const end = children.findIndex(({ name }) => name === 'in');
    const over = children[end + 1];
    if (end < 0 || !over) return { targets: [], over: null };
    return {
      targets: children.slice(1, end).map(child => this.expression(child)),
      over: this.expression(over),
    };
  }

  /** `with open(path) as file`: the name stands for what is opened; without a name, it is only called. */
  private opened(node: SyntaxNode): readonly Statement[] {
    const children = childrenOf(node);
    return children.flatMap((child, index): readonly Statement[] => {
      if (child.name === 'CallExpression' && children[index + 1]?.name !== 'as') {
        const span = { start: child.from, end: child.to };
        return [{ kind: 'expression', span, value: this.expression(child) }];
      }
      const [value, target] = [children[index - 1], children[index + 1]];
      if (child.name !== 'as' || !value || target?.name !== 'VariableName') return [];
      const span = { start: value.from, end: target.to };
      const targets = [this.expression(target)];
      return [{ kind: 'assign', span, targets, value: this.expression(value), operator: null }];
    });
  }

  private block(node: SyntaxNode, depth: number): Statement {
    const body: Statement[] = [];
    const perhaps: Statement[] = [];
    let isExcept = false;
    if (node.name === 'WithStatement') body.push(...this.opened(node));
    for (const child of childrenOf(node)) {
      if (child.name === 'except') isExcept = true;
      else if (child.name === 'else' || child.name === 'finally') isExcept = false;
      else if (child.name === 'Body') (isExcept ? perhaps : body).push(...this.of(child, depth));
    }
    return { kind: 'block', span: { start: node.from, end: node.to }, body, perhaps };
  }
}

/** Words between commas. */
function split(words: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  for (const word of words) {
    if (word === ',') parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts;
}
