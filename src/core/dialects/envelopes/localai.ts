import { embedded } from '../command/located';
import { nodeAt, entriesOf, rootOf, textAt } from '../command/nodes';
import { layerOf, layerOfDocument, mapOf } from '../engine/settings';
import { alone } from '../engine/compose';
import type { Composition, Layer } from '../engine/compose';
import { flagsIn } from '../vllm/keys';

/** A gallery entry contains the config as a text. */
export function localaiRuns(opened: Layer): Promise<readonly Composition[]> {
  const text = nodeAt(rootOf(opened), 'config_file');
  const document = text?.kind === 'scalar' ? embedded(text, opened.yaml) : null;
  return Promise.resolve([runOf(document ? layerOfDocument(opened, document, null) : opened)]);
}

/** `backend: vllm` passes its keys on. */
function runOf(config: Layer): Composition {
  const root = rootOf(config);
  if (!root || textAt(root, 'backend') !== 'vllm') return alone(config);
  const model = entriesOf(nodeAt(root, 'parameters')).find(({ key }) => key === 'model');
  const settings = [
    ...flagsIn(root, []).filter(({ path: [key] }) => key !== 'parameters' && key !== 'template'),
    ...(model
      ? [{ path: ['model'], keySpan: model.keySpan, value: model.value, from: ['parameters', 'model'] }]
      : []),
  ];
  return { name: '', dialect: 'vllm', layers: [layerOf(config, mapOf(settings, root.span), null)] };
}
