import { basename, dirname, join } from '../../text/paths';
import { find, resolve } from '../../yaml/path';
import { alone } from '../engine/compose';
import type { Composition, Layer, Neighbourhood } from '../engine/compose';

/** Folders beside the config that hold one stage a file. */
const FOLDERS = ['curriculum', 'text_curriculum'];
const STAGE = /^\d+_[\w-]+\.ya?ml$/;
const CONFIGS = ['config.yaml', 'config.yml'];
/** Where a stage's keys appear in the composed config. */
const MOUNT = 'curriculum';
const MOST_STAGES = 32;

/**
 * The runs of a guide-style config: one for each stage of its curriculum, else one with the stage that its
 * `defaults` name, else the config by itself. A stage opened alone leads to the same runs through the config in the
 * folder above it.
 */
export async function guideStages(opened: Layer, files: Neighbourhood): Promise<readonly Composition[]> {
  if (!isStage(opened)) return runsOf(opened, files);
  const above = dirname(dirname(opened.path));
  for (const name of CONFIGS) {
    const path = join(above, name);
    const yaml = await files.read(path);
    const config = yaml && { path, yaml, document: 0, mount: null };
    if (!config || !hasTrainer(config)) continue;
    const runs = await runsOf(config, files);
    const among = runs.some(({ layers }) => layers.some(layer => layer.path === opened.path));
    return among ? runs : [...runs, staged(config, { ...opened, mount: MOUNT })];
  }
  return [alone(opened, nameOf(opened))];
}

async function runsOf(config: Layer, files: Neighbourhood): Promise<readonly Composition[]> {
  const stages = await numberedStages(config, files);
  const all = stages.length > 0 ? stages : await defaultStage(config, files);
  if (all.length === 0) return [alone(config)];
  return all.map(stage => staged(config, stage));
}

const staged = (config: Layer, stage: Layer): Composition => ({
  name: nameOf(stage),
  layers: [config, stage],
});

async function numberedStages(config: Layer, files: Neighbourhood): Promise<Layer[]> {
  const stages: Layer[] = [];
  for (const folder of FOLDERS.map(name => join(dirname(config.path), name))) {
    const names = (await files.list(folder)).filter(name => STAGE.test(name)).slice(0, MOST_STAGES);
    for (const name of names) stages.push(...(await stageAt(join(folder, name), files)));
  }
  return stages;
}

/** Hydra's `defaults: - curriculum: name`. */
async function defaultStage(config: Layer, files: Neighbourhood): Promise<Layer[]> {
  const list = nodeAt(config, 'defaults');
  if (list?.kind !== 'sequence') return [];
  for (const item of list.items) {
    for (const folder of FOLDERS) {
      const option = find(item, [folder]);
      const name = option && resolve(option.node);
      if (name?.kind !== 'scalar' || typeof name.value !== 'string') continue;
      return stageAt(join(join(dirname(config.path), folder), `${name.value}.yaml`), files);
    }
  }
  return [];
}

async function stageAt(path: string, files: Neighbourhood): Promise<Layer[]> {
  const yaml = await files.read(path);
  const stage = yaml && { path, yaml, document: 0, mount: MOUNT };
  return stage && isStage(stage) ? [stage] : [];
}

const nodeAt = ({ yaml, document }: Layer, key: string) => {
  const found = find(yaml.documents[document]?.root ?? null, [key]);
  return found && resolve(found.node);
};

const isStage = (layer: Layer): boolean => nodeAt(layer, 'n_negatives') !== null && !hasTrainer(layer);

const hasTrainer = (layer: Layer): boolean =>
  nodeAt(layer, 'training') !== null || nodeAt(layer, 'data_loader') !== null;

/** The stage's own name, else its file's. */
function nameOf(stage: Layer): string {
  const name = nodeAt(stage, 'name');
  const text = name?.kind === 'scalar' && typeof name.value === 'string' ? name.value : '';
  return text === '' ? basename(stage.path).replace(/\.ya?ml$/, '') : text;
}
