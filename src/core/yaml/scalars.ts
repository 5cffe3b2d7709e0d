import type { ScalarNode, ScalarValue, YamlNode } from './node';
import { resolve } from './path';

/** The loader of the file: loaders disagree on plain scalars. */
export type Loader =
  /** PyYAML's SafeLoader, YAML 1.1: `yes` is true, `1_000` an integer, `1e-4` a string. */
  | 'pyyaml'
  /** OmegaConf: PyYAML with the usual floats, so `1e-4` is a number. */
  | 'omegaconf'
  /** HyperPyYAML: PyYAML with `!new:`, `!name:` and `!ref <a>`. */
  | 'hyperpyyaml'
  /** JSON. */
  | 'json';

/** A value as the loader passes it to the framework. */
export type Plain = ScalarValue | readonly Plain[] | { readonly [key: string]: Plain };

const TRUE = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const NULL = /^(?:~|null|Null|NULL|)$/;
const INTEGER = /^[-+]?(?:0b[01_]+|0x[\da-fA-F_]+|0[0-7_]+|0|[1-9][\d_]*)$/;
const SEXAGESIMAL = /^[-+]?(?:[1-9][\d_]*(?::[0-5]?\d)+|\d[\d_]*(?::[0-5]?\d)+\.[\d_]*)$/;
const FLOAT = /^[-+]?(?:\d[\d_]*\.[\d_]*|\.\d[\d_]*)(?:[eE][-+]\d+)?$/;
/** OmegaConf replaces PyYAML's resolver with this one (omegaconf/_utils.py, get_yaml_loader). */
const OMEGACONF_FLOAT =
  /^[-+]?(?:\d[\d_]*\.[\d_]*(?:[eE][-+]?\d+)?|\d[\d_]*[eE][-+]?\d+|\.[\d_]+(?:[eE][-+]\d+)?)$/;
const SPECIAL_FLOAT = /^([-+]?)\.(inf|Inf|INF|nan|NaN|NAN)$/;

/** A scalar as the loader reads it: quoted text stays text, plain text is resolved by the loader's rules. */
export function loaded(node: ScalarNode, loader: Loader): ScalarValue {
  const isTyped = loader === 'json' || node.exact === true || node.style !== 'plain';
  if (isTyped || node.source.startsWith('!')) return node.value;
  return resolvePlain(node.source, loader === 'omegaconf' ? OMEGACONF_FLOAT : FLOAT);
}

function resolvePlain(text: string, float: RegExp): ScalarValue {
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  if (NULL.test(text)) return null;
  const digits = text.replaceAll('_', '');
  if (INTEGER.test(text)) return integer(digits);
  if (float.test(text)) return Number(digits);
  if (SEXAGESIMAL.test(text)) return sexagesimal(digits);
  const special = SPECIAL_FLOAT.exec(text);
  if (!special) return text;
  if (special[2]?.toLowerCase() === 'nan') return Number.NaN;
  return special[1] === '-' ? -Infinity : Infinity;
}

function integer(digits: string): number {
  const sign = digits.startsWith('-') ? -1 : 1;
  const unsigned = digits.replace(/^[-+]/, '');
  // YAML 1.1 octal: `010` is eight.
  const octal = /^0[0-7]+$/.test(unsigned);
  return sign * (octal ? Number.parseInt(unsigned, 8) : Number(unsigned));
}

function sexagesimal(digits: string): number {
  const sign = digits.startsWith('-') ? -1 : 1;
  const parts = digits.replace(/^[-+]/, '').split(':');
  return sign * parts.reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** Limit of nodes per value: configs have hundreds; an alias bomb exceeds any memory. */
const MOST_NODES = 10_000;

/**
 * A whole value with aliases resolved. Opaque scalars keep their text: callers that need their value check first.
 * Parts beyond the limit are null.
 */
export function plainOf(node: YamlNode, loader: Loader): Plain {
  let left = MOST_NODES;
  const plain = (inner: YamlNode): Plain => {
    const at = left-- > 0 ? resolve(inner) : null;
    if (at === null) return null;
    if (at.kind === 'scalar') return loaded(at, loader);
    if (at.kind === 'sequence') return at.items.map(plain);
    return Object.fromEntries(at.entries.map(({ key, value }) => [key, plain(value)]));
  };
  return plain(node);
}
