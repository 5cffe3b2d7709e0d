import type { Span } from '../text/span';
import { scopeOf } from './bindings';
import { fromElsewhere } from './elsewhere';
import type { Frame } from './frame';
import type { ClassStatement, Expression, Statement } from './syntax';
import type { ProgramHome, Value } from './value';
import { fieldDefault, open } from './values';

/** The classes of one program: their attributes, and what they are derived from. */
export class Classes {
  private readonly frames = new Map<readonly Statement[], Frame>();
  private readonly asked = new Set<ClassStatement>();

  constructor(
    private readonly module: Frame,
    private readonly valueOf: (expression: Expression, frame: Frame) => Value,
  ) {}

  /** The class outside the program that a class is derived from. */
  baseOf(of: ClassStatement): string {
    const base = this.above(of);
    if (base?.kind === 'name') return base.name;
    if (base?.kind !== 'class' || base.of.name === of.name) return '';
    return this.once(of, () => (base.home ?? this).baseOf(base.of)) ?? '';
  }

  /** What a class is derived from. */
  private above({ bases: [first] }: ClassStatement): Value | undefined {
    return first && this.valueOf(first, this.module);
  }

  /** Null for a class whose bases lead back to it. */
  private once<T>(of: ClassStatement, ask: () => T): T | null {
    if (this.asked.has(of)) return null;
    this.asked.add(of);
    try {
      return ask();
    } finally {
      this.asked.delete(of);
    }
  }

  attributeIn(home: ProgramHome | undefined, of: ClassStatement, name: string, span: Span): Value {
    return home
      ? fromElsewhere(home.attributeOf(of, name, span), span, home)
      : this.attribute(of, name, span);
  }

  /** An attribute of a class of the program. */
  attribute(of: ClassStatement, name: string, span: Span): Value {
    const { body } = of;
    const stated = body.findLast(
      (one): one is Extract<Statement, { kind: 'assign' }> =>
        one.kind === 'assign' && one.targets.some(target => target.kind === 'name' && target.name === name),
    );
    // Names of the class itself come first: `SIZE = "1b"; NAME = f"gemma-{SIZE}"`.
    if (stated) return { ...fieldDefault(this.valueOf(stated.value, this.frameOfClass(body))), span };
    const base = this.above(of);
    const found =
      base?.kind === 'class' ? this.once(of, () => this.attributeIn(base.home, base.of, name, span)) : null;
    return found ?? open(span);
  }

  private frameOfClass(body: readonly Statement[]): Frame {
    const known = this.frames.get(body);
    if (known) return known;
    const frame = { scope: scopeOf(body), above: this.module, parameters: new Map() };
    this.frames.set(body, frame);
    return frame;
  }
}
