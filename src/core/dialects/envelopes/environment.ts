import type { YamlNode } from '../../yaml/node';
import { resolve } from '../../yaml/path';
import type { YamlPath } from '../../yaml/path';
import type { EnvironmentEntry } from '../command/job';
import { located, slice } from '../command/located';
import type { Launched } from '../../spec/runSpec';
import { derivedFrom, entriesOf, itemsOf, textAt } from '../command/nodes';
import { argument } from '../command/word';
import type { Word } from '../command/word';
import type { Syntax, Variables } from '../command/shellValues';

const NONE: Variables = new Map();

/** `NAME: value`. */
export function environmentMap(
  node: YamlNode | null,
  path: YamlPath,
  text: string,
  variables: Variables = NONE,
): EnvironmentEntry[] {
  return entriesOf(node).map(({ key, keySpan, value }) => {
    const at = resolve(value);
    const scalar = at?.kind === 'scalar' ? at : null;
    const word = scalar && scalar.value !== null ? argument(located(scalar, text), variables, 'shell') : null;
    return { name: key, node: scalar, word, from: [...path, key], keySpan };
  });
}

/** `- NAME=value`; a name without a value comes from the caller's environment. */
export function environmentList(
  node: YamlNode | null,
  path: YamlPath,
  text: string,
  variables: Variables = NONE,
): EnvironmentEntry[] {
  return itemsOf(node).flatMap((item, i) => {
    const at = resolve(item);
    if (at?.kind !== 'scalar') return [];
    const inner = located(at, text);
    const equals = inner.text.indexOf('=');
    const name = equals < 0 ? inner.text : inner.text.slice(0, equals);
    const value = equals < 0 ? null : slice(inner, equals + 1, inner.text.length);
    const word = value && argument(value, variables, 'shell');
    return [{ name, node: at, word, from: [...path, i], keySpan: at.span }];
  });
}

/** Kubernetes' `- name: A` with `value: b`; a reference to a secret or a field has no value. */
export function environmentPairs(node: YamlNode | null, path: YamlPath, text: string): EnvironmentEntry[] {
  return itemsOf(node).flatMap((item, i) => {
    const name = textAt(item, 'name');
    if (name === null) return [];
    const value = entriesOf(item).find(({ key }) => key === 'value');
    const at = value ? resolve(value.value) : null;
    const scalar = at?.kind === 'scalar' ? at : null;
    const word = scalar && argument(located(scalar, text), NONE, 'kubernetes');
    return [{ name, node: scalar, word, from: [...path, i, 'value'], keySpan: value?.keySpan ?? item.span }];
  });
}

/** The words of a list of arguments. */
export function argumentsIn(
  node: YamlNode | null,
  text: string,
  variables: Variables,
  syntax: Syntax,
): readonly Word[] {
  return itemsOf(node).flatMap(item => {
    const at = resolve(item);
    return at?.kind === 'scalar' ? [argument(located(at, text), variables, syntax)] : [];
  });
}

/** Of all GPUs of a machine, a program sees those that a variable of its container lists. */
export function withVisible(launched: Launched, environment: readonly EnvironmentEntry[]): Launched {
  const seen = environment.find(({ name }) => /^(?:CUDA|NVIDIA)_VISIBLE_DEVICES$/.test(name));
  const ids = /^\d+(?:,\d+)*$/.exec(seen?.word?.text ?? '')?.[0].split(',') ?? [];
  const isOpen = (launched.devices?.origin.kind ?? 'unresolved') === 'unresolved';
  if (!seen || ids.length === 0 || !isOpen) return launched;
  return { ...launched, devices: derivedFrom(seen.from, ids.length, `${seen.name} lists ${ids.length}`) };
}
