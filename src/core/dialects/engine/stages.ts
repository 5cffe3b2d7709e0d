import { basename, dirname, join } from '../../text/paths';
import { find, resolve } from '../../yaml/path';
import { alone } from './compose';
import type { Composer, Composition, Layer, NearbyFiles } from './compose';

/** Stages of a run, each in one file of a folder next to the config. */
export interface Stages {
  /** Folders next to the config with one stage per file. */
  readonly folders: readonly string[];
  /** The path of a stage's keys in the composed config. */
  readonly at: string;
  /** A key that every stage has. */
  readonly marked: string;
  /** Keys that only the config has. */
  readonly config: readonly string[];
}

const STAGE = /^\d+_[\w-]+\.ya?ml$/;
const CONFIGS = ['config.yaml', 'config.yml'];
const MOST_STAGES = 32;

/**
 * The runs of a config with stages: one per stage in its folders, else one with the stage that its `defaults` name,
 * else the config alone. Opening a stage gives the same runs, via the config in the folder above.
 */
export const stageComposer =
  (stages: Stages): Composer =>
  (opened, files) =>
    new StageFinder(stages, files).find(opened);

class StageFinder {
  constructor(
    private readonly stages: Stages,
    private readonly files: NearbyFiles,
  ) {}

  async find(opened: Layer): Promise<readonly Composition[]> {
    if (!this.isStage(opened)) return this.runsOf(opened);
    const above = dirname(dirname(opened.path));
    for (const name of CONFIGS) {
      const path = join(above, name);
      const yaml = await this.files.read(path);
      const config = yaml && { path, yaml, document: 0, mount: null };
      if (!config || !this.isConfig(config)) continue;
      const runs = await this.runsOf(config);
      const among = runs.some(({ layers }) => layers.some(layer => layer.path === opened.path));
      return among ? runs : [...runs, staged(config, { ...opened, mount: this.stages.at })];
    }
    return [alone(opened, nameOf(opened))];
  }

  private async runsOf(config: Layer): Promise<readonly Composition[]> {
    const stages = await this.numbered(config);
    const all = stages.length > 0 ? stages : await this.byDefault(config);
    if (all.length === 0) return [alone(config)];
    return all.map(stage => staged(config, stage));
  }

  private async numbered(config: Layer): Promise<Layer[]> {
    const stages: Layer[] = [];
    for (const folder of this.stages.folders.map(name => join(dirname(config.path), name))) {
      const names = (await this.files.list(folder)).filter(name => STAGE.test(name)).slice(0, MOST_STAGES);
      for (const name of names) stages.push(...(await this.stageAt(join(folder, name))));
    }
    return stages;
  }

  /** Hydra's `defaults: - curriculum: name`. */
  private async byDefault(config: Layer): Promise<Layer[]> {
    const list = nodeAt(config, 'defaults');
    if (list?.kind !== 'sequence') return [];
    for (const item of list.items) {
      for (const folder of this.stages.folders) {
        const option = find(item, [folder]);
        const name = option && resolve(option.node);
        if (name?.kind !== 'scalar' || typeof name.value !== 'string') continue;
        return this.stageAt(join(join(dirname(config.path), folder), `${name.value}.yaml`));
      }
    }
    return [];
  }

  private async stageAt(path: string): Promise<Layer[]> {
    const yaml = await this.files.read(path);
    const stage = yaml && { path, yaml, document: 0, mount: this.stages.at };
    return stage && this.isStage(stage) ? [stage] : [];
  }

  private isStage(layer: Layer): boolean {
    return nodeAt(layer, this.stages.marked) !== null && !this.isConfig(layer);
  }

  private isConfig(layer: Layer): boolean {
    return this.stages.config.some(key => nodeAt(layer, key) !== null);
  }
}

const staged = (config: Layer, stage: Layer): Composition => ({
  name: nameOf(stage),
  layers: [config, stage],
});

const nodeAt = ({ yaml, document }: Layer, key: string) => {
  const found = find(yaml.documents[document]?.root ?? null, [key]);
  return found && resolve(found.node);
};

/** The stage's own name, else its file's. */
function nameOf(stage: Layer): string {
  const name = nodeAt(stage, 'name');
  const text = name?.kind === 'scalar' && typeof name.value === 'string' ? name.value : '';
  return text === '' ? basename(stage.path).replace(/\.ya?ml$/, '') : text;
}
