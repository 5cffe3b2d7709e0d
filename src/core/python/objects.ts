import type { Span } from '../text/span';
import { scopeNamed } from './bindings';
import type { Assigned, Scope } from './bindings';
import { fromElsewhere } from './elsewhere';
import type { Evaluation, Frame, Given as GivenArguments } from './frame';
import type { ClassStatement, FunctionStatement } from './syntax';
import type { Call, Value } from './value';
import { agreed, partOf } from './values';
import { callsIn, mentions } from './wanted';

/** `self.name = value` in a method. */
interface Given {
  readonly one: Assigned;
  readonly frame: Frame;
  /** `self.model = wrap(self.model)`: it comes after the others. */
  readonly isWrapped: boolean;
}

/** An attribute that the methods of an object's class give it; null: none does. */
export function attributeGiven(
  call: Call,
  of: ClassStatement,
  name: string,
  use: Span,
  evaluator: Evaluation,
): Value | null {
  const methods = of.body.filter(one => one.kind === 'function');
  const here = methods.find(({ span }) => use.start >= span.start && use.end <= span.end);
  const given = here ? givenBy(here, call, name, evaluator) : [];
  const before = given.findLast(({ one }) => one.at <= use.start);
  if (before) return valueOf(before, evaluator);
  const attributes = evaluator.objects.attributes.get(call) ?? new Map<string, Value | null>();
  evaluator.objects.attributes.set(call, attributes);
  const key = `${name} ${of.span.start} ${here?.name ?? ''}`;
  const found = attributes.get(key);
  if (found !== undefined) return found && { ...found, span: use };
  const others = methods.flatMap(method => (method === here ? [] : givenBy(method, call, name, evaluator)));
  const value =
    agreedOn(others, use, evaluator) ??
    (name === 'hparams' ? keptArguments(call, of, use, evaluator) : null) ??
    fromBase(call, of, name, use, evaluator);
  attributes.set(key, value);
  return value;
}

/**
 * What Lightning keeps of an object's arguments as `self.hparams` (lightning core/mixins/hparams_mixin.py): those of
 * `__init__`, or the options that `save_hyperparameters` gets; null: it is not called.
 */
function keptArguments(call: Call, of: ClassStatement, use: Span, evaluator: Evaluation): Value | null {
  const init = methodNamed(of, '__init__');
  const scope = init && scopeNamed(evaluator.module.scope, init);
  const [kept] = (scope?.steps ?? [])
    .flatMap(({ statement }) => callsIn(statement))
    .filter(({ name }) => name === 'save_hyperparameters');
  if (!init || !scope || !kept) return null;
  const frame = frameFor(init, scope, call, evaluator);
  const [first] = evaluator.args(kept.expression, frame).args;
  if (first?.name === null && first.value.kind !== 'scalar') return { ...first.value, span: use };
  const fields = init.parameters.slice(1).flatMap(({ name: key, stars }) => {
    const value = stars === 0 ? frame.parameters.get(key)?.() : undefined;
    return value ? [{ key, keySpan: use, value }] : [];
  });
  return { kind: 'fields', span: use, fields };
}

function valueOf({ one, frame }: Given, evaluator: Evaluation): Value {
  const value = evaluator.of(one.value, frame);
  return one.part === null ? value : partOf(value, one.part);
}

/** The last that wraps the others, else what all say; null: none says anything. */
function agreedOn(given: readonly Given[], use: Span, evaluator: Evaluation): Value | null {
  const last = given.findLast(one => one.isWrapped);
  if (last) return valueOf(last, evaluator);
  const values = given.map(one => valueOf(one, evaluator));
  // `self.trainer = None` until a method makes it.
  const stated = values.filter(value => value.kind !== 'scalar' || value.value !== null);
  const all = stated.length > 0 ? stated : values;
  return all.length > 0 ? { ...agreed(all, use), span: use } : null;
}

function givenBy(
  method: FunctionStatement,
  call: Call,
  name: string,
  evaluator: Evaluation,
): readonly Given[] {
  const [self] = method.parameters;
  const scope = scopeNamed(evaluator.module.scope, method);
  const assigned =
    self && scope?.assigned.get(self.name)?.filter(one => one.attribute === name && one.within.length === 0);
  if (!scope || !assigned || assigned.length === 0) return [];
  const frame = frameFor(method, scope, call, evaluator);
  return assigned
    .filter(one => evaluator.reached(one.way, [], frame) !== false)
    .map(one => ({ one, frame, isWrapped: mentions(one.value, `.${name}`) || wraps(one, name) }));
}

function frameFor(method: FunctionStatement, scope: Scope, call: Call, evaluator: Evaluation): Frame {
  const own = evaluator.objects.frames.get(call) ?? new Map<FunctionStatement, Frame>();
  evaluator.objects.frames.set(call, own);
  const known = own.get(method);
  if (known) return known;
  const object: Value = { kind: 'call', span: call.span, call, part: 0 };
  const [self] = method.parameters;
  const natural = evaluator.natural(scope);
  const frame =
    method.name === '__init__'
      ? evaluator.frameOf(method, call, call.span, object)
      : { ...natural, parameters: new Map(natural.parameters).set(self?.name ?? '', () => object) };
  own.set(method, frame);
  return frame;
}

const wraps = ({ value }: Assigned, name: string): boolean =>
  value.kind === 'call' && value.args.some(arg => mentions(arg.value, `.${name}`));

/** An attribute of the class beneath, whose `__init__` gets what `super().__init__(…)` says. */
function fromBase(
  call: Call,
  own: ClassStatement,
  name: string,
  use: Span,
  evaluator: Evaluation,
): Value | null {
  const [first] = own.bases;
  const base = first && evaluator.of(first, evaluator.module);
  if (base?.kind !== 'class' || base.home) return null;
  const init = methodNamed(own, '__init__');
  const scope = init && scopeNamed(evaluator.module.scope, init);
  if (!init || !scope) return attributeGiven(call, base.of, name, use, evaluator);
  for (const { statement } of scope.steps) {
    const value = statement.kind === 'expression' ? statement.value : null;
    if (value?.kind !== 'call' || value.callee.kind !== 'member') continue;
    if (value.callee.name !== '__init__') continue;
    const frame = frameFor(init, scope, call, evaluator);
    return attributeGiven({ ...call, ...evaluator.args(value, frame) }, base.of, name, use, evaluator);
  }
  return attributeGiven(call, base.of, name, use, evaluator);
}

/** A method that a class defines itself. */
export const methodNamed = ({ body }: ClassStatement, name: string): FunctionStatement | null =>
  body.find((one): one is FunctionStatement => one.kind === 'function' && one.name === name) ?? null;

type ClassValue = Extract<Value, { kind: 'class' }>;

/** What a class method of a class of the project returns: `Config.from_yaml(path)`; null: it has none of this name. */
export function resultOfClassMethod(
  of: ClassValue,
  name: string,
  given: GivenArguments,
  span: Span,
  evaluator: Evaluation,
): Value | null {
  const home = of.home ?? evaluator;
  const value = home.classResult(of.of, name, given, span, of.of);
  return value && of.home ? fromElsewhere(value, span, of.home) : value;
}

/** The same in the class's own file; `made`: the class that it is called on, which may be derived from it. */
export function resultInClass(
  of: ClassStatement,
  name: string,
  given: GivenArguments,
  span: Span,
  made: ClassStatement,
  evaluator: Evaluation,
): Value | null {
  const method = methodNamed(of, name);
  if (!method) {
    const [first] = of.bases;
    const base = first && evaluator.of(first, evaluator.module);
    // A class of another file would be made there.
    return base?.kind === 'class' && !base.home
      ? evaluator.classResult(base.of, name, given, span, made)
      : null;
  }
  const isOfClass = method.decorators.some(one => one.name === 'classmethod');
  if (!isOfClass && !method.decorators.some(one => one.name === 'staticmethod')) return null;
  const own: Value = { kind: 'class', span, of: made };
  const first = { name: null, position: 0, keySpan: span, value: own, isOwn: false } as const;
  const others = given.args.map(arg => (arg.name === null ? { ...arg, position: arg.position + 1 } : arg));
  const args = isOfClass ? [first, ...others] : given.args;
  return evaluator.result(method, evaluator.frameOf(method, { ...given, args }, span), span);
}

/** What a method of an object's own class returns; null: the class has none of this name. */
export function resultOfMethod(
  call: Call,
  name: string,
  given: GivenArguments,
  span: Span,
  evaluator: Evaluation,
): Value | null {
  const { derived, derivedIn } = call;
  const method = derived && methodNamed(derived, name);
  if (!method) return null;
  if (derivedIn && derivedIn !== evaluator) return derivedIn.methodResult(call, name, given, span);
  const object: Value = { kind: 'call', span, call, part: 0 };
  const value = evaluator.result(method, evaluator.frameOf(method, given, span, object), span);
  return derivedIn ? fromElsewhere(value, span, derivedIn) : value;
}
