import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../../src/core/reading/read';
import type { Reading } from '../../../src/core/reading/read';
import { GROUPS } from '../reading/groups';
import { NodeFiles } from '../../../src/world/nodeFiles';
import { running, worldOf } from '../../unit/dialects/support';

/** Configs kept outside the repository, with an index that describes them. */
const corpus = join(process.env['HEADROOM_SHARED'] ?? '../shared', 'corpus');

interface Row {
  readonly file: string;
  readonly dialect: string;
  readonly kind?: string;
}

/** Our dialects, by the name that the index gives the dialect. */
const OURS: Readonly<Record<string, string>> = {
  axolotl: 'axolotl',
  'hf-trl': 'hf-trl',
  hf_trainer_yaml: 'hf-trainer',
  accelerate: 'accelerate',
  deepspeed: 'deepspeed',
};

/**
 * Other dialects that are correct for files of a group: an operator's resource is a manifest, whatever it serves.
 */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  vllm: ['k8s'],
  ray: ['k8s'],
  verl: ['skypilot'],
  none: ['compose', 'spectrum'],
  yolo_mit: ['hydra'],
  rl: ['hydra'],
};

/** Files of frameworks that wrap others, as another column of the index says. */
const ENVELOPES: ReadonlySet<string> = new Set([
  'axolotl-ai-cloud__axolotl/docker-compose.yaml: compose',
  'volcengine__verl/examples/skypilot/verl-grpo.yaml: skypilot',
]);

/** Written for no framework: read by the names of their keys. */
const GENERIC = new Set([
  'asteroid-team__asteroid/egs/avspeech/looking-to-listen/local/conf.yml: generic',
  'synthetic__cc0/vision/segformer_like.yaml: generic',
  'synthetic__cc0/yaml_traps/yaml11_scalars.yaml: generic',
]);

/** In other groups in the index, but still ours. */
const ALSO_OURS = new Set(['lowmason__naics-embedder/conf/config.yaml']);

function rows(part: string): Row[] {
  const lines = readFileSync(join(corpus, part, 'INDEX.jsonl'), 'utf8').split('\n');
  return lines.filter(line => line !== '').map(line => JSON.parse(line) as Row);
}

const isOurs = ({ file, dialect, kind }: Row): boolean =>
  ALSO_OURS.has(file) || (dialect in OURS && kind !== 'cloud');

function read(part: string, file: string): Promise<Reading> {
  const root = join(corpus, part);
  const world = { ...worldOf({}), files: new NodeFiles(root) };
  return readConfig(file, readFileSync(join(root, file), 'utf8'), world, running);
}

(existsSync(corpus) ? describe : describe.skip)('dialects: the whole corpus (shared material)', () => {
  for (const part of ['llm', 'general']) {
    it(`${part}: our configs are recognized as their dialects`, async () => {
      const wrong: string[] = [];
      for (const row of rows(part).filter(isOurs)) {
        const { dialect, runs } = await read(part, row.file);
        if (dialect !== (OURS[row.dialect] ?? 'guide-training') || runs.length === 0) wrong.push(row.file);
      }
      assert.deepEqual(wrong, []);
    });

    it(`${part}: other files are not taken for configs`, async () => {
      const taken: string[] = [];
      for (const row of rows(part).filter(other => !isOurs(other))) {
        const { dialect } = await read(part, row.file);
        const may = [row.dialect, ...(GROUPS[row.dialect] ?? []), ...(ALSO[row.dialect] ?? [])];
        if (dialect !== null && !may.includes(dialect)) taken.push(`${row.file}: ${dialect}`);
      }
      assert.deepEqual(
        taken.filter(one => !ENVELOPES.has(one) && !GENERIC.has(one)),
        [],
      );
    });
  }

  it('negatives are not taken for configs, and get no notes', async () => {
    for (const { file } of rows('negatives')) {
      const { dialect, notes } = await read('negatives', file);
      assert.equal(dialect, null, file);
      assert.deepEqual(notes, [], file);
    }
  });

  it('every recognized run says what it trains and how', async () => {
    for (const row of rows('llm').filter(isOurs)) {
      const { runs } = await read('llm', row.file);
      for (const { role, quantities } of runs) {
        if (role === 'part') continue;
        const { model, microBatchSize, gradAccum, optimizer, method } = quantities;
        for (const quantity of [model, microBatchSize, gradAccum, optimizer, method]) {
          assert.notEqual(quantity.value, null, row.file);
        }
      }
    }
  });
});
