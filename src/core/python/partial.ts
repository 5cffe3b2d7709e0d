import type { Given } from './frame';
import type { CallExpression } from './syntax';
import type { Value } from './value';

const PARTIAL = 'functools.partial';

/** What `partial(f, a)(b)` calls, with both arguments; null: the target is no such call. */
export function partOfCall(
  target: Value,
  { args, open }: Given,
): { readonly target: Value; readonly given: Given } | null {
  if (target.kind !== 'call' || target.call.name !== PARTIAL) return null;
  const [first, ...others] = target.call.args;
  if (first?.name !== null) return null;
  const before = others.map(arg => (arg.name === null ? { ...arg, position: arg.position - 1 } : arg));
  const count = before.filter(({ name }) => name === null).length;
  // What the call names wins.
  const kept = before.filter(({ name }) => name === null || !args.some(arg => arg.name === name));
  const behind = args.map(arg => (arg.name === null ? { ...arg, position: arg.position + count } : arg));
  return { target: first.value, given: { args: [...kept, ...behind], open: open ?? target.call.open } };
}

/**
 * The call of a function that another one makes later: `partial(f, tokenizer=tok)`,
 * `data.map(f, fn_kwargs={"tokenizer": tok})` (datasets/arrow_dataset.py); null: the call makes none.
 */
export function laterCall(
  expression: CallExpression,
  name: string,
): { readonly expression: CallExpression; readonly name: string } | null {
  const byRay = handedToRay(expression);
  if (byRay) return byRay;
  const [first, ...others] = expression.args;
  const called = first?.name === null || first?.name === 'function' ? first.value : undefined;
  if (called?.kind !== 'name') return null;
  const handed = others.flatMap(arg =>
    arg.name === 'fn_kwargs' ? [{ ...arg, name: null, stars: 2 as const }] : [],
  );
  if (name !== 'partial' && handed.length === 0) return null;
  const args = name === 'partial' ? others : handed;
  return { expression: { ...expression, callee: called, args }, name: called.name };
}

/** `Worker.remote(a)`, `Worker.options(…).bind(a)`: Ray calls `Worker(a)` elsewhere (ray/actor.py, ray/serve/deployment.py). */
function handedToRay(expression: CallExpression): { expression: CallExpression; name: string } | null {
  const { callee } = expression;
  if (callee.kind !== 'member' || (callee.name !== 'remote' && callee.name !== 'bind')) return null;
  const { of } = callee;
  const inner = of.kind === 'call' ? of.callee : null;
  const own = inner?.kind === 'member' && inner.name === 'options' ? inner.of : of;
  return own.kind === 'name' ? { expression: { ...expression, callee: own }, name: own.name } : null;
}
