import type { YamlNode } from '../../yaml/node';
import { flagsOf } from '../command/flags';
import { located } from '../command/located';
import { entriesOf, itemsOf } from '../command/nodes';
import { flagNamesOf } from '../command/servers';
import { argument } from '../command/word';
import file from '../vllm.yaml';
import type { Setting } from '../engine/compose';
import type { YamlPath } from '../../yaml/path';
import { ownOf } from '../../yaml/tables';

/** Keys whose spelling differs from their flag. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'model-tag': 'model',
  'model-id': 'model',
  tp: 'tensor-parallel-size',
  'tp-size': 'tensor-parallel-size',
  'tensor-parallel': 'tensor-parallel-size',
  'pipeline-parallel': 'pipeline-parallel-size',
  'data-parallel': 'data-parallel-size',
  pp: 'pipeline-parallel-size',
};

/** `maxModelLen`, `max_model_len` and `max-model-len` are one flag. */
export const flagName = (key: string): string => {
  const dashed = key
    .replaceAll('_', '-')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();
  return ownOf(OTHER_NAMES, dashed) ?? dashed;
};

/** A mapping's entries as flags of the engine, with their positions. */
export function flagsIn(node: YamlNode | null, path: YamlPath): Setting[] {
  return entriesOf(node).map(({ key, keySpan, value }) => ({
    path: [flagName(key)],
    keySpan,
    value,
    from: [...path, key],
  }));
}

const names = flagNamesOf(file.program?.server ?? {});

/** A list of arguments as flags; `text` is that of their file. */
export function argsIn(list: YamlNode | null, text: string): readonly Setting[] {
  const words = itemsOf(list).flatMap(item =>
    item.kind === 'scalar' ? [argument(located(item, text), new Map(), 'kubernetes')] : [],
  );
  return flagsOf(words, names).settings;
}
