import { dirname } from '../text/paths';
import type { Span } from '../text/span';
import type { ScalarValue } from '../yaml/node';
import { numberIn } from './literals';
import { pathOf, strOf } from './operators';
import type { Argument, FieldValue, Value } from './value';

/** Functions that say whether the GPU computes in bf16. */
const BF16 =
  /(?:^|\.)(?:is_bfloat16_supported|is_bf16_supported|is_torch_bf16_gpu_available|is_torch_bf16_available)$/;

/** CUDA is there: Headroom is asked about runs on GPUs. */
const CUDA = /^torch\.cuda\.is_available$/;

type BuiltIn = (args: readonly Argument[], span: Span) => Value | null;

const firstOf = (args: readonly Argument[]): Value | undefined =>
  args.find(({ name }) => name === null)?.value;

const listOf: BuiltIn = (args, span) => {
  const first = firstOf(args);
  return first?.kind === 'items' ? { ...first, span } : null;
};

/** The default of a variable of the environment. */
const defaultOf: BuiltIn = (args, span) => {
  const second = args.filter(({ name }) => name === null)[1]?.value;
  return second ? { ...second, span } : { kind: 'open', span, isUnset: true };
};

const ofScalar =
  (convert: (value: ScalarValue) => ScalarValue): BuiltIn =>
  (args, span) => {
    const first = firstOf(args);
    return first?.kind === 'scalar' ? { kind: 'scalar', span, value: convert(first.value) } : null;
  };

const BUILT_INS: Readonly<Record<string, BuiltIn>> = {
  dict: (args, span) => dictOf(args, span),
  list: listOf,
  tuple: listOf,
  set: listOf,
  int: (args, span) => numberOf('int', firstOf(args), span),
  float: (args, span) => numberOf('float', firstOf(args), span),
  str: ofScalar(strOf),
  bool: ofScalar(Boolean),
  min: (args, span) => extremeOf('min', args, span),
  max: (args, span) => extremeOf('max', args, span),
  len: (args, span) => lengthOf(firstOf(args), span),
  'os.getenv': defaultOf,
  'os.environ.get': defaultOf,
  'os.path.join': (args, span) => joined(args, span),
  'pathlib.Path': (args, span) => joined(args, span),
  'os.path.dirname': ofScalar(path => (typeof path === 'string' ? dirname(path) : path)),
  'os.path.abspath': ofScalar(path => path),
  'os.path.realpath': ofScalar(path => path),
  'omegaconf.OmegaConf.create': (args, span) => sameAs(args, span),
  'omegaconf.OmegaConf.merge': (args, span) => merged(args, span),
};

/** Functions that look through a model for its linear layers, whose names LoRA gets: QLoRA's `find_all_linear_names`. */
const ALL_LINEAR = /(?:^|_)all_linear(?:_|$)/;

/** The result of a function of the program; PEFT's own word where it goes through the layers of a model. */
export const foundInModel = (name: string, result: Value): Value =>
  result.kind !== 'items' && ALL_LINEAR.test(name)
    ? { kind: 'scalar', span: result.span, value: 'all-linear' }
    : result;

/** What a few functions of Python return for known arguments; null for others. */
export function builtInCall(name: string, args: readonly Argument[], span: Span): Value | null {
  // In fp16, which older GPUs use instead, a run takes the same memory.
  if (BF16.test(name)) return { kind: 'scalar', span, value: true };
  if (name === 'torch.cuda.get_device_capability') return capability(span);
  if (CUDA.test(name)) return { kind: 'scalar', span, value: true };
  return Object.hasOwn(BUILT_INS, name) ? (BUILT_INS[name]?.(args, span) ?? null) : null;
}

/** Ampere's: what programs ask for is whether the GPU computes in bf16. */
const capability = (span: Span): Value => ({
  kind: 'items',
  span,
  items: [8, 0].map(value => ({ kind: 'scalar', span, value })),
});

function lengthOf(of: Value | undefined, span: Span): Value | null {
  const parts = of?.kind === 'items' ? of.items : of?.kind === 'fields' ? of.fields : null;
  return parts && { kind: 'scalar', span, value: parts.length };
}

function sameAs(args: readonly Argument[], span: Span): Value | null {
  const first = firstOf(args);
  return first ? { ...first, span } : null;
}

/** Of sections with one name, the keys of the later one win. */
function merged(args: readonly Argument[], span: Span): Value | null {
  const all = args.map(({ value }) => value);
  const [first, ...others] = all;
  // What is set within a module or an unknown object leaves it what it is.
  if (first?.kind !== 'fields' && first?.kind !== 'call') return first ? { ...first, span } : null;
  let result: Value = first;
  for (const other of others) {
    if (other.kind !== 'fields') return null;
    result = result.kind === 'call' ? withFields(result, other.fields, span) : over(result, other, span);
  }
  return result;
}

/** An object whose attributes are set: those of its sections that it was not made with stay as they are. */
function withFields(
  object: Extract<Value, { kind: 'call' }>,
  fields: readonly FieldValue[],
  span: Span,
): Value {
  const { args } = object.call;
  const set = fields.flatMap((field): readonly Argument[] => {
    const before = args.findLast(({ name }) => name === field.key)?.value;
    if (field.value.kind === 'fields' && before?.kind !== 'fields') return [];
    const value = before ? over(before, field.value, span) : field.value;
    return [{ ...field, name: field.key, position: -1, value, isOwn: false }];
  });
  return { ...object, call: { ...object.call, args: [...args, ...set] } };
}

/** One dictionary over another: of sections in both, the keys of the upper one win. */
export function over(below: Value, above: Value, span: Span, depth = 0): Value {
  if (below.kind !== 'fields' || above.kind !== 'fields' || depth > 8) return above;
  const own = below.fields.filter(({ key }) => !above.fields.some(field => field.key === key));
  const fields = above.fields.map(field => {
    const beneath = below.fields.findLast(({ key }) => key === field.key);
    return beneath ? { ...field, value: over(beneath.value, field.value, span, depth + 1) } : field;
  });
  return { kind: 'fields', span, fields: [...own, ...fields] };
}

function dictOf(args: readonly Argument[], span: Span): Value | null {
  const [first] = args;
  if (args.length === 1 && first?.name === null) {
    return first.value.kind === 'fields' ? { ...first.value, span } : null;
  }
  if (args.some(({ name }) => name === null)) return null;
  const fields = args.map(({ name, keySpan, value }) => ({ key: name ?? '', keySpan, value }));
  return { kind: 'fields', span, fields };
}

function numberOf(name: string, of: Value | undefined, span: Span): Value | null {
  if (of?.kind !== 'scalar' || of.value === null) return null;
  const value = typeof of.value === 'string' ? numberIn(of.value.trim()) : Number(of.value);
  if (value === null) return null;
  const { at } = of;
  return { kind: 'scalar', span, value: name === 'int' ? Math.trunc(value) : value, ...(at && { at }) };
}

function extremeOf(name: 'min' | 'max', args: readonly Argument[], span: Span): Value | null {
  const numbers = args.map(({ value }) => (value.kind === 'scalar' ? value.value : null));
  if (numbers.length < 2 || !numbers.every(number => typeof number === 'number')) return null;
  return { kind: 'scalar', span, value: Math[name](...numbers) };
}

function joined(args: readonly Argument[], span: Span): Value | null {
  const parts = args.map(({ value }) => (value.kind === 'scalar' ? value.value : null));
  if (!parts.every(part => typeof part === 'string')) return null;
  return { kind: 'scalar', span, value: pathOf(parts) };
}
