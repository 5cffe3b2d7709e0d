import type { Evaluation } from './frame';
import type { Span } from '../text/span';
import type { Argument, Call, Value } from './value';
import { objectFields } from './parsedClasses';

/*
 * Calls that turn settings from one form into another: an object into a dictionary, a dictionary into an object whose
 * attributes are its keys, a name into an attribute.
 */

const AS_FIELDS =
  /^(?:vars|dataclasses\.asdict|attr\.asdict|attrs\.asdict)$|\(\)\.(?:model_dump|dict|to_dict)$/;
/** Libraries of dictionaries whose keys are attributes as well. */
const AS_OBJECT =
  /^(?:easydict\.EasyDict|munch\.(?:M|m)unchify|munch\.Munch|box\.Box|addict\.Dict|ml_collections\.(?:config_dict\.)?ConfigDict|yacs\.config\.CfgNode|omegaconf\.(?:DictConfig|OmegaConf\.structured)|types\.SimpleNamespace|argparse\.Namespace)$/;

/** The settings that a call returns in another form; null: it is another call, or they are not known. */
export function settingsAs(
  name: string,
  on: Value | null,
  args: readonly Argument[],
  span: Span,
  evaluation: Evaluation,
): Value | null {
  if (name === 'getattr') return attributeNamed(args, span, evaluation);
  const [first, ...others] = args;
  if (name === 'dataclasses.replace' && first?.value.kind === 'call') {
    const { call } = first.value;
    return { ...first.value, span, call: { ...call, args: [...call.args, ...others] } };
  }
  if (AS_FIELDS.test(name)) return fieldsOf(on?.kind === 'call' ? on : first?.value, span, evaluation);
  if (!AS_OBJECT.test(name)) return null;
  if (first?.name === null) return fieldsOf(first.value, span, evaluation);
  const fields = args.map(arg => ({ key: arg.name ?? '', keySpan: arg.keySpan, value: arg.value }));
  return { kind: 'fields', span, fields };
}

function fieldsOf(of: Value | undefined, span: Span, evaluation: Evaluation): Value | null {
  if (of?.kind === 'fields') return { ...of, span };
  return of?.kind === 'call' ? objectFields(of.call, span, evaluation) : null;
}

/** `getattr(of, "name", default)`. */
function attributeNamed(
  [of, name, byDefault]: readonly Argument[],
  span: Span,
  evaluation: Evaluation,
): Value | null {
  if (!of || name?.value.kind !== 'scalar') return null;
  const found = evaluation.member(of.value, String(name.value.value), span);
  const isKnown = found.kind !== 'open' || !isWhole(of.value);
  return isKnown || !byDefault ? found : { ...byDefault.value, span };
}

/** All attributes of a value are known. */
const isWhole = (value: Value): boolean =>
  value.kind === 'fields' ||
  (value.kind === 'call' && value.call.derived !== null && value.call.open === null);

/** A key of a dictionary's class that the program derives: `class Config(dict)`. */
export function keyOfDictionary(call: Call, name: string, span: Span, evaluation: Evaluation): Value | null {
  const first = call.name === 'dict' ? call.args.find(arg => arg.name === null)?.value : undefined;
  return first?.kind === 'fields' ? evaluation.member(first, name, span) : null;
}

/** pydantic's ways to make an object of a dictionary; null: it is another call. */
export function validatedAs(
  of: Extract<Value, { kind: 'class' }>,
  method: string,
  args: readonly Argument[],
): Pick<Call, 'name' | 'args' | 'open'> | null {
  const [first] = args;
  if (!/^(?:model_validate|parse_obj|from_dict)$/.test(method) || first?.value.kind !== 'fields') return null;
  if (of.of.body.some(one => one.kind === 'function' && one.name === method)) return null;
  const stated = first.value.fields.map(field => ({ ...field, name: field.key, position: -1, isOwn: false }));
  return { name: '', args: stated, open: null };
}
