// npm run --silent recognition -- --corpus DIR --json Reports as which dialect the files of an index are
// recognized: the right one, none, or another. DIR is the folder that holds `llm/` and `general/`, each with its
// INDEX.jsonl.
import { join } from 'node:path';
import { readConfig } from '../../../src/core/reading/read';
import type { World } from '../../../src/core/analyse/world';
import { NodeFiles } from '../../../src/world/nodeFiles';
import { jsonLines, runTool, textOf } from '../toolArguments';
import type { Given } from '../toolArguments';
import { GROUPS } from './groups';

interface Row {
  readonly file: string;
  readonly dialect: string;
}

interface Tally {
  files: number;
  right: number;
  none: number;
}

/** Files that start a run or wrap it have a dialect of their own, whatever they start. */
const AROUND: ReadonlySet<string> = new Set([
  'compose',
  'k8s',
  'skypilot',
  'slurm',
  'ray',
  'dstack',
  'spectrum',
]);

/** Hydra's trees are read by Hydra's rules where their framework adds none. */
const TREES: ReadonlySet<string> = new Set(['yolo_mit', 'rl']);

const world: World = {
  files: new NodeFiles('/'),
  models: { find: () => Promise.resolve({ model: null, why: null, dependencies: [] }) },
};

const isRight = (group: string, dialect: string): boolean =>
  dialect === group ||
  (GROUPS[group] ?? []).includes(dialect) ||
  AROUND.has(dialect) ||
  (dialect === 'hydra' && TREES.has(group));

async function main(given: Given): Promise<number> {
  const [corpus = ''] = given.paths('corpus', 'folder');
  const byGroup: Record<string, Tally> = {};
  const wrong: { file: string; group: string; got: string }[] = [];
  const none: string[] = [];
  for (const part of ['llm', 'general']) {
    for (const { file, dialect: group } of jsonLines(join(corpus, part, 'INDEX.jsonl')) as readonly Row[]) {
      const path = join(corpus, part, file);
      const { dialect } = await readConfig(path, textOf(path), world, { aborted: false });
      const tally = (byGroup[group] ??= { files: 0, right: 0, none: 0 });
      tally.files += 1;
      if (dialect === null) {
        tally.none += 1;
        none.push(`${part}/${file}`);
      } else if (isRight(group, dialect)) tally.right += 1;
      else wrong.push({ file: `${part}/${file}`, group, got: dialect });
    }
  }
  const files = Object.values(byGroup).reduce((sum, tally) => sum + tally.files, 0);
  const rightOrNone = (files - wrong.length) / files;
  const result = { files, rightOrNone, none: none.length, wrong, unread: none, byGroup };
  console.log(given.has('json') ? JSON.stringify(result) : JSON.stringify(result, null, 2));
  return 0;
}

void runTool({ one: ['corpus'], none: ['json'] }, main);
