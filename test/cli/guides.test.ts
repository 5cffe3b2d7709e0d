import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tinyTexts, writeTinyModel } from '../unit/embed/tinyModel';
import { file, folder, headroom, inTemporaryFolder } from './headroom';
import type { Ended } from './headroom';

// Each guide from its first command to its last, with Headroom's commands instead of its scripts.

const FIXTURES = resolve('test/fixtures/guides');

/** Copies a guide's configs to the test's folder. */
const given = (guide: string): void => cpSync(join(FIXTURES, guide), folder(), { recursive: true });

/** The output of a command that exits with one of these codes. */
function said(codes: readonly number[], ...args: readonly string[]): string {
  const { code, out, err } = headroom(...args);
  assert.ok(codes.includes(code ?? -1), `${args.join(' ')}: ${code}\n${out}\n${err}`);
  return out + err;
}

const has = (text: string, ...patterns: readonly RegExp[]): void => {
  for (const pattern of patterns) assert.match(text, pattern);
};

const read = (name: string): string => readFileSync(join(folder(), name), 'utf8');

describe('the embedding-batch guide', function () {
  this.timeout(60_000);
  inTemporaryFolder();

  it("reports the importer's problems and what fits, and writes it", () => {
    given('embedding-batch');
    const check = said([1], 'check', 'arxiv_import.yaml', '--gpu', '24GB');
    has(
      check,
      /≈ 30\.1 GB of 24 GB · does not fit/,
      /import\.embedding_batch_size: 48` and `embeddings\.batch_size: 32` must be the same/,
      /import\.batch_size: 100` isn't a multiple of `embeddings\.batch_size: 32`.* Use 96/,
      /contradicts itself for 24 GB: 32–48 by its table, 30 by its formula\. Weights take 7\.3 GB, not its 4/,
    );
    has(
      said([0], 'optimize', 'arxiv_import.yaml', '--gpu', '24GB', '--apply'),
      /embeddings\.batch_size 32 → 8/,
    );
    has(read('arxiv_import.yaml'), /^ +batch_size: 104$/m, /embedding_batch_size: 8$/m, /^ +batch_size: 8$/m);
    const after = said([0], 'check', 'arxiv_import.yaml', '--gpu', '24GB');
    has(after, /≈ 17\.\d GB of 24 GB · fits/);
    assert.doesNotMatch(after, /embedding-(?:partial-batches|batches-differ)/);
  });

  it('reads the quick reference: a device and a batch size', () => {
    const snippet = (name: string, device: string, size: number): string =>
      file(name, `embeddings:\n  device: "${device}"\n  batch_size: ${size}\n`);
    snippet('single.yaml', 'cuda:0', 32);
    snippet('several.yaml', 'cuda', 128);
    snippet('cpu.yaml', 'cpu', 8);
    snippet('list.yaml', 'cuda:0,1,2,3', 128);
    for (const name of ['single.yaml', 'several.yaml']) {
      has(said([2], 'check', name, '--gpu', '24GB'), /Can't estimate: the config names no model/);
    }
    has(said([0], 'check', 'cpu.yaml', '--gpu', '24GB'), /Runs on the CPU/);
    has(said([3], 'check', 'list.yaml', '--gpu', '24GB'), /"cuda:0,1,2,3" is not cuda, cuda:N or cpu/);
  });

  it('has a batch for each card of its table', () => {
    given('embedding-batch');
    for (const [gpu, batch] of [
      ['16GB', 2],
      ['24GB', 8],
      ['40GB', 16],
      ['80GB', 48],
    ] as const) {
      has(
        said([0], 'optimize', 'arxiv_import.yaml', '--gpu', gpu),
        new RegExp(`^1\\. embeddings\\.batch_size 32 → ${batch},`, 'm'),
      );
    }
  });

  it('tries the first texts, then embeds and verifies all', () => {
    const model = writeTinyModel(join(folder(), 'model'));
    file(
      'papers.jsonl',
      tinyTexts(40)
        .map(text => `${JSON.stringify({ text })}\n`)
        .join(''),
    );
    file('import.yaml', `embeddings: {model: ${model}, device: cpu, batch_size: 8}\ninput: papers.jsonl\n`);
    has(said([0], 'embed', 'import.yaml', '--out', 'few', '--limit', '10'), /few: \(10, 32\)/);
    has(said([0], 'embed', 'import.yaml', '--out', 'all', '--verify'), /all: \(40, 32\)/);
  });
});

describe('the training-memory guide', function () {
  this.timeout(60_000);
  inTemporaryFolder();
  const config = 'conf/config.yaml';
  const copied = (): void => cpSync('test/fixtures/configs/headroom/guide', folder(), { recursive: true });

  it('says that its 24 GB setting needs 55 GB, 2.8 times what it states', () => {
    copied();
    const check = said([1], 'check', config, '--gpu', '24GB');
    has(
      check,
      /01_stage: ≈ 55\.0 GB of 24 GB · does not fit/,
      /needs ≈ 55\.0 GB, 2\.8 times the 19\.8 GB of naics-embedder's guide/,
      /02_stage: ≈ 23\.6 GB of 24 GB · tight/,
      /ffective batch size\D* 225 \(45 × 5 × 1\).* 256–512/,
      /`n_negatives: 24` in 01_stage makes \w+ sample 26 sequences/,
    );
  });

  it('explains one stage by component', () => {
    copied();
    const explain = said([0, 1], 'explain', config, '--run', '01_stage', '--gpu', '24GB');
    has(explain, /activations +\| 53\.2 GB/, /optimizer states +\| +10 MB/, /adapters +\| +5\.2 MB/);
    assert.doesNotMatch(explain, /02_stage/);
  });

  it('plans for its effective batches, applies with backups, and undoes', () => {
    copied();
    const before = read(config);
    const plan = said([0], 'optimize', config, '--gpu-memory', '24', '--target-effective-batch', '225-256');
    has(
      plan,
      /^1\. data_loader\.batch_size 45 → 13, training\.trainer\.accumulate_grad_batches 5 → 19$/m,
      /55\.0 → 19\.0 GB/,
    );
    const quarter = said([0], 'optimize', config, '--gpu', '24GB', '--target-effective-batch', '512');
    has(quarter, /effective batch 225 → 512/);
    has(
      said([0], 'optimize', config, '--gpu', '24GB', '--target-effective-batch', '225-256', '--apply'),
      /changed .*config\.yaml, backup .*config\.yaml\.backup/,
    );
    has(said([0], 'check', config, '--gpu', '24GB'), /01_stage: ≈ 19\.0 GB of 24 GB/);
    said([0], 'optimize', config, '--undo');
    assert.equal(read(config), before);
  });

  it('has the command that starts a stage', () => {
    copied();
    const run = said([0, 1, 2], 'run', config, '--run', '01_stage', '--dry-run', '--set', 'stage=01');
    has(run, /uv run naics-embedder train --stage 01/, /^where +this machine \(no GPU\)$/m);
    has(run, /^needs +≈ [\d.]+ GB per GPU \(.*\): no GPU found here$/m);
  });
});

describe('the distributed-embedding plan', function () {
  this.timeout(120_000);
  inTemporaryFolder();

  it('splits, resumes, merges and verifies to the bytes of a single run', () => {
    const model = writeTinyModel(join(folder(), 'model'));
    const rows = tinyTexts(250).map((text, i) => `${JSON.stringify({ id: `a${i}`, text })}\n`);
    file('wikipedia.jsonl', rows.join(''));
    file('wikipedia.pkl', '');
    const embed = (...args: readonly string[]): Ended => headroom('embed', ...args, '--model', model);
    has(embed('wikipedia.pkl', '--out', 'x').err, /pickles can run code and are not read/);
    assert.equal(embed('wikipedia.jsonl', '--out', 'whole').code, 0);
    const parts = ['p1', 'p2', 'p3', 'p4'];
    for (const [i, part] of parts.slice(0, 3).entries()) {
      has(embed('wikipedia.jsonl', '--out', part, '--shard', `${i + 1}/4`).out, /\(6[23], 32\)/);
    }
    const missing = headroom('merge', ...parts.slice(0, 3), '--out', 'early');
    assert.notEqual(missing.code, 0);
    has(missing.err, /^Rows 188 to 249 are missing; name the folder of that part, too\.$/m);
    assert.equal(embed('wikipedia.jsonl', '--out', 'p4', '--shard', '4/4').code, 0);
    has(said([0], 'merge', ...parts, '--out', 'merged'), /merged: \(250, 32\)/);
    has(said([0], 'verify', 'merged', '--shape', '250,32'), /ids unique/);
    const vectors = (name: string): string =>
      readFileSync(join(folder(), name, 'shard-00000.npy')).toString('base64');
    assert.equal(vectors('merged'), vectors('whole'));
  });
});

describe('the device-map guide', function () {
  this.timeout(60_000);
  inTemporaryFolder();

  it('agrees with its four strategies, and says where the weights are', () => {
    given('device-map');
    has(
      said([0], 'check', 'balanced.yaml', '--gpu', 'RTX 3090', '--gpus', '2'),
      /≈ 11\.6 GB of 24 GB · fits/,
    );
    const balanced = said([0], 'explain', 'balanced.yaml', '--gpu', 'RTX 3090', '--gpus', '2');
    has(balanced, /puts on GPU 0 [^;]*\(9\.9 GB\); on GPU 1 [^;]*\(9\.9 GB\)/);
    has(said([0], 'check', 'single.yaml', '--gpu', 'A100 40GB'), /≈ 20\.6 GB of 40 GB · fits/);
    has(
      said([0], 'check', 'offload.yaml', '--gpu', 'V100 16GB'),
      /≈ 12\.4 GB of 16 GB · fits with 7\.9 GB in RAM/,
    );
    has(said([0, 1], 'check', 'cpu.yaml'), /Runs on the CPU · ≈ 40\.\d GB/);
  });

  it('finds its mistakes: TF32 on a V100, 4-bit options for 8 bits', () => {
    given('device-map');
    has(said([0], 'check', 'offload.yaml', '--gpu', 'V100 16GB'), /no TF32.* 7\.0.* 8\.0/);
    const int8 = said([0], 'check', 'int8.yaml', '--gpu', 'V100 16GB');
    has(int8, /≈ 11\.7 GB of 16 GB · fits/);
    assert.equal(int8.match(/`bnb_8bit_\w+`.* eight-bit-options$/gm)?.length, 3);
  });

  it('derives the strategy for other GPUs, writes it, and keeps the quantization in the code to copy', () => {
    given('device-map');
    const v100 = said([0], 'optimize', 'single.yaml', '--gpu', 'V100 16GB', '--apply');
    has(v100, /one GPU of 26 GB or more fits it; two GPUs of 14 GB share it/);
    has(read('single.yaml'), /^device_map: auto$/m, /^ +0: 12GiB$/m);
    has(
      said([0], 'check', 'single.yaml', '--gpu', 'V100 16GB'),
      /≈ 11\.2 GB of 16 GB · fits with 9\.\d GB in RAM/,
    );
    said([0], 'optimize', 'single.yaml', '--undo');
    has(
      said([0], 'optimize', 'single.yaml', '--gpu', 'RTX 3090', '--gpus', '2'),
      /^1\. device_map cuda:0 → balanced/m,
      /21\.7 → 11\.6 GB of 24 GB/,
    );
    has(
      said([0, 1], 'optimize', 'int8.yaml', '--gpu', 'V100 16GB'),
      /BitsAndBytesConfig\(load_in_8bit=True\)/,
    );
  });
});

describe('the utilization guide', function () {
  this.timeout(60_000);
  inTemporaryFolder();
  const SMALL = 'configs/emberformer_small.yaml';

  function copied(): void {
    cpSync(join(FIXTURES, 'utilization'), join(folder(), 'configs'), { recursive: true });
  }

  it('says what to do about an unknown format', () => {
    file('own.yaml', 'net: { width: 64 }\nfit: { size: 8 }\n');
    has(
      said([2, 3], 'optimize', 'own.yaml', '--gpu', '24GB'),
      /\.headroom\/dialects\/NAME\.yaml.*headroom profile/,
    );
  });

  it('finds the small config under-used and the large one nearly full', () => {
    copied();
    has(
      said([0, 1], 'check', 'configs', '--gpu', '24GB'),
      /emberformer\.yaml guide-utilization\n +≈ 20\.3 GB of 24 GB · tight/,
      // The guide measured 2.7 GB.
      /emberformer_small\.yaml guide-utilization\n +≈ 2\.0 GB of 24 GB · fits \(0\.9–2\.9 GB/,
      /2\.0 GB of 24 GB on the GPU \(8 %\)\. A larger micro-batch.* under-used/,
    );
  });

  it('grows the batch, then the model, with memory, share and learning rate of each step', () => {
    copied();
    const steps = said([0], 'optimize', SMALL, '--gpu', '24GB', '--goal', 'steps');
    has(
      steps,
      /^\| today +\| +\| +2\.0 GB \| +8 % \| +1 × \|/m,
      /^\| 1\. batch +\| batch_size 8 → 32 +\| +6\.3 GB \| +26 % \| +0\.9 × \| lr_temporal 0\.001 → 0\.002, lr_spatial 0\.0001 → 0\.0002/m,
      /^\| 2\. capacity +\| d_model 64 → 128, num_layers 3 → 6 +\| 16\.2 GB \| +68 % \|/m,
      /0\.002 and 0\.0002 by the square root .*0\.004 and 0\.0004 by the linear rule/,
      /not a larger backbone: the config builds its model itself/,
    );
    said([0], 'optimize', SMALL, '--gpu', '24GB', '--goal', 'steps', '--plan', '2', '--apply');
    has(read(SMALL), /batch_size: 32/, /d_model: 128/, /num_layers: 6/);
    has(said([0], 'check', SMALL, '--gpu', '24GB'), /≈ 16\.2 GB of 24 GB · fits/);
  });

  it('raises a batch without an accumulation key, and never reports too little memory', () => {
    copied();
    const raised = said([0], 'optimize', SMALL, '--gpu', '80GB', '--target-effective-batch', '32');
    has(raised, /^1\. data\.batch_size 8 → 32$/m, /effective batch 8 → 32/);
    assert.doesNotMatch(raised, /not the micro-batch|does not allow|have no key/);
    const largest = said([0], 'optimize', SMALL, '--gpu', '80GB', '--goal', 'largest');
    has(largest, /^1\. model\.temporal\.num_layers 3 → 12, model\.temporal\.d_model 64 → 128$/m);
    assert.doesNotMatch(largest, /Nothing larger fits/);
  });
});
