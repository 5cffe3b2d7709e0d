import type { Span } from '../text/span';
import { definedFlag, optionHanded, optionNamed } from './commandLine';
import type { Evaluation } from './frame';
import type { Call, Value } from './value';

const SIGNATURE = 'inspect.signature';

/** An attribute of what a call returns: an option, a flag, or the parameters of a signature; null: not known. */
export const attributeOfCall = (call: Call, name: string, span: Span, evaluation: Evaluation): Value | null =>
  optionHanded(call, name, span, evaluation) ??
  optionNamed(call.name, name, evaluation) ??
  definedFlag(call, name, evaluation) ??
  typeOfDevice(call, name, span) ??
  (call.name === SIGNATURE ? { kind: 'call', span, call, part: 0 } : null);

/** `torch.device("cuda:0").type`. */
function typeOfDevice({ name, args: [first] }: Call, attribute: string, span: Span): Value | null {
  const isType = name === 'torch.device' && attribute === 'type' && first?.value.kind === 'scalar';
  if (!isType || typeof first.value.value !== 'string') return null;
  return { kind: 'scalar', span, value: first.value.value.split(':')[0] ?? '' };
}

/** The parameters of a function of a library, as the run would look them up: `set(inspect.signature(f).parameters)`. */
export function isOfSignature(value: Value): boolean {
  if (value.kind !== 'call') return false;
  const { name, on, args } = value.call;
  if (name === SIGNATURE || name === 'dataclasses.fields') return true;
  const [first] = args;
  return (on !== null && isOfSignature(on)) || (first !== undefined && isOfSignature(first.value));
}
