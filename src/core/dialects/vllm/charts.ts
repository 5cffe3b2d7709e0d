import type { Quantity } from '../../spec/quantity';
import type { YamlNode } from '../../yaml/node';
import type { YamlPath } from '../../yaml/path';
import { CUDA, nodeAt, entriesOf, gpuLimit, itemsOf, rootOf, statedAt, textAt } from '../command/nodes';
import { releaseOfImage } from '../command/pins';
import { layerOf, mapOf } from '../engine/settings';
import type { Composition, Layer, Setting } from '../engine/compose';
import { alone } from '../engine/compose';
import { argsIn, flagName, flagsIn } from './keys';
import { engineSettings } from './sections';
import type { EngineSection } from './sections';

/**
 * The servers in a file: one per model of a Helm chart's values, one per variant of a recipe, or the one of a
 * `--config` file, whose keys may have dashes or underscores.
 */
export function vllmRuns(opened: Layer): Promise<readonly Composition[]> {
  const root = rootOf(opened);
  const models = itemsOf(nodeAt(root, 'servingEngineSpec', 'modelSpec'));
  if (models.length > 0) return Promise.resolve(models.map((model, i) => chartRun(opened, model, i)));
  const variants = entriesOf(nodeAt(root, 'variants'));
  if (variants.length > 0 && nodeAt(root, 'model', 'model_id')) {
    return Promise.resolve(variants.map(({ key, value }) => recipeRun(opened, key, value)));
  }
  const section = root && engineSettings(root, opened.yaml.text);
  return Promise.resolve([section ? sectionRun(opened, section) : flatRun(opened)]);
}

/** A program of one's own around the engine. */
function sectionRun(opened: Layer, { settings, node, path }: EngineSection): Composition {
  const root = rootOf(opened);
  const span = root?.span ?? { start: 0, end: 0 };
  const image = nodeAt(node, 'image') ?? nodeAt(root, 'image');
  const release = releaseOfImage(textAt(image) ?? tagged(image));
  const devices =
    root && gpuLimit([{ node, path }, ...(path.length > 0 ? [{ node: root, path: [] }] : [])], opened);
  return {
    name: '',
    layers: [layerOf(opened, mapOf(settings, span), null)],
    launched: { ...(devices && { accelerator: CUDA, devices }), ...(release && { releases: [release] }) },
  };
}

/** The image of `repository` and `tag`. */
const tagged = (node: YamlNode | null): string =>
  ['repository', 'tag'].map(key => textAt(node, key) ?? '').join(':');

function flatRun(opened: Layer): Composition {
  const root = rootOf(opened);
  const renamed = entriesOf(root).some(({ key }) => flagName(key) !== key);
  if (!renamed || !root) return alone(opened);
  const entries = root.entries.map(entry => ({ ...entry, key: flagName(entry.key), from: [entry.key] }));
  return { name: '', layers: [layerOf(opened, { ...root, entries }, null)] };
}

/** production-stack, helm/values.yaml. */
function chartRun(opened: Layer, model: YamlNode, i: number): Composition {
  const path: YamlPath = ['servingEngineSpec', 'modelSpec', i];
  const config = nodeAt(model, 'vllmConfig');
  const settings = [
    ...settingAt(model, path, 'modelURL', 'model'),
    ...flagsIn(config, [...path, 'vllmConfig']).filter(({ path: [key] }) => key !== 'extra-args'),
    ...argsIn(nodeAt(config, 'extraArgs'), opened.yaml.text),
  ];
  const gpus = Number(textAt(model, 'requestGPU'));
  const devices: Quantity<number> | null =
    Number.isInteger(gpus) && gpus > 0 ? statedAt(opened, [...path, 'requestGPU'], gpus) : null;
  const release = releaseOfImage(tagged(model));
  return {
    name: textAt(model, 'name') ?? String(i + 1),
    layers: [layerOf(opened, mapOf(settings, model.span), null)],
    launched: { accelerator: CUDA, ...(devices && { devices }), ...(release && { releases: [release] }) },
  };
}

/** vllm-project/recipes: `model` has the values that all variants share. */
function recipeRun(opened: Layer, name: string, variant: YamlNode): Composition {
  const root = rootOf(opened);
  const model = nodeAt(root, 'model');
  const path: YamlPath = ['variants', name];
  const own = settingAt(variant, path, 'model_id', 'model');
  const settings = [
    ...(own.length > 0 ? own : settingAt(model, ['model'], 'model_id', 'model')),
    ...argsIn(nodeAt(model, 'base_args'), opened.yaml.text),
    ...argsIn(nodeAt(variant, 'extra_args'), opened.yaml.text),
  ];
  return { name, layers: [layerOf(opened, mapOf(settings, variant.span), null)] };
}

function settingAt(node: YamlNode | null, path: YamlPath, key: string, flag: string): Setting[] {
  const entry = entriesOf(node).find(one => one.key === key);
  return entry ? [{ path: [flag], keySpan: entry.keySpan, value: entry.value, from: [...path, key] }] : [];
}
