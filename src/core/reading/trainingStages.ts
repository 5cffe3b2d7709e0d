import { plainName } from '../dialects/generic/leaves';
import { words } from '../dialects/generic/vocabulary';
import type { Entry, MapNode, YamlNode } from '../yaml/node';
import { resolve } from '../yaml/path';

/** A stage of training that a config has a section for, and the config without its other stages. */
export interface Stage {
  readonly name: string;
  readonly root: MapNode;
}

/** Sections below the root among which stages lie: `training: {sft: …, dpo: …}`. */
const DEEPEST = 1;

/**
 * The stages of a config for several: sections next to each other that each have a batch and a learning rate of their
 * own, those called after a trainer. Fewer than two such sections are none.
 */
export function stagesOf(root: MapNode, depth = 0): readonly Stage[] {
  const stages = root.entries.filter(isStage);
  if (stages.length > 1) {
    return stages
      .filter(({ key }) => words.trainers.test(plainName(key)))
      .map(stage => ({
        name: stage.key,
        root: { ...root, entries: root.entries.filter(one => one === stage || !stages.includes(one)) },
      }));
  }
  if (depth >= DEEPEST) return [];
  return root.entries.flatMap(entry => {
    const section = mapOf(entry.value);
    const inner = section ? stagesOf(section, depth + 1) : [];
    return inner.map(({ name, root: value }) => ({
      name,
      root: { ...root, entries: root.entries.map(one => (one === entry ? { ...entry, value } : one)) },
    }));
  });
}

function isStage({ value }: Entry): boolean {
  const names = mapOf(value)?.entries.map(({ key }) => plainName(key)) ?? [];
  const has = (...patterns: readonly RegExp[]): boolean =>
    names.some(name => patterns.some(pattern => pattern.test(name)));
  return has(words.batch, words.batchOfDevice) && has(words.learningRate);
}

const mapOf = (node: YamlNode): MapNode | null => {
  const at = resolve(node);
  return at?.kind === 'map' ? at : null;
};
