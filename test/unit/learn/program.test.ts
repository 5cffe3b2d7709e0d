import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyze } from '../../../src/core/analyse/analyse';
import { programOf } from '../../../src/core/launch/program';
import { featuresOf, rowsOf } from '../../../src/core/learn/features';
import type { Measurement } from '../../../src/core/learn/measurement';
import { measurementLine, readMeasurements } from '../../../src/core/learn/readMeasurements';
import { describeEvidence } from '../../../src/core/render/evidence';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { NEVER } from '../../../src/core/signal';
import { MeasuredRuns } from '../../../src/world/measurements';
import { NodeFiles } from '../../../src/world/nodeFiles';
import { read } from '../dialects/support';
import { target, worldWithModels } from '../core/support';
import { english } from '../../../src/core/text/say';

const GB = 2 ** 30;
/** Keys that only their names explain. */
const CONFIG = `model:
  base: nobody/own-net
train:
  batch_size: 4
  epochs: 3
  lr: 2.0e-4
  optimizer: adamw
data:
  max_length: 1024
`;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

async function analyzed(near: readonly Measurement[]): Promise<RunAnalysis> {
  const measurements = { near: () => Promise.resolve({ measurements: near, dependencies: [], by: '1' }) };
  const world = { ...worldWithModels({ 'a.yaml': CONFIG }), measurements };
  const options = { target: target('RTX 4090'), severities: {} };
  const [run] = (await analyze('a.yaml', CONFIG, world, options, NEVER)).runs;
  assert.ok(run);
  return run;
}

async function measured(gb: number): Promise<Measurement> {
  const { run } = await analyzed([]);
  return {
    schema: 'headroom-measurement/1',
    at: '2026-11-28T12:00:00.000Z',
    source: 'dry run',
    config: 'a.yaml',
    framework: run.framework.name,
    frameworkVersion: null,
    versions: { torch: '2.15.0' },
    family: null,
    gpu: null,
    features: featuresOf(run),
    rows: rowsOf(run),
    metric: 'allocated',
    bytes: gb * GB,
    terms: { weights: gb * GB },
    predicted: null,
    phase: 'backward steady',
    program: {
      command: ['python', 'train.py'],
      folder: '.',
      files: { 'train.py': digest('one') },
      lines: [{ line: 'net.py:7', bytes: 3 * GB }],
      spread: { below: 0.02, above: 0.02 },
      reserved: gb * GB,
    },
  };
}

describe('a dry run of a program', () => {
  it('gives a run that was read by guessed keys its verdict, with the lines that hold most', async () => {
    const run = await analyzed([await measured(30)]);
    assert.equal(run.tentative, undefined);
    assert.equal(run.verdict, 'exceeds');
    assert.equal((await analyzed([await measured(10)])).verdict, 'fits');
    assert.match(
      describeEvidence(english, run.evidence),
      /^Dry run of your own program on torch 2\.15\.0.*net\.py:7 3/,
    );
    assert.deepEqual(run.findings, []);
  });

  it('shows what its own replay of the allocator reserved, and its interval', async () => {
    const one = await measured(10);
    assert.ok(one.program);
    const program = { ...one.program, reserved: 12 * GB, spread: { below: 0.3, above: 0.1 } };
    const [device] = (await analyzed([{ ...one, program }])).estimate?.devices ?? [];
    assert.ok(device);
    const workspace = device.terms.find(({ term }) => term === 'library workspace')?.bytes ?? 0;
    assert.equal(device.reserved.expected, 12 * GB + workspace);
    const context = device.device.expected - device.reserved.expected;
    assert.ok(context > 0 && context < GB, `${context}`);
    assert.ok(Math.abs(device.device.high / device.device.expected - 1.1) < 1e-9);
  });

  it('counts for more steps of the same run, also if it was kept with them', async () => {
    const one = await measured(30);
    const features = { ...one.features, maxSteps: '10', epochs: '1' };
    assert.equal((await analyzed([{ ...one, features }])).verdict, 'exceeds');
  });

  it('no longer counts once a file has changed, which is named', async () => {
    const one = await measured(30);
    const { program } = one;
    assert.ok(program);
    const run = await analyzed([{ ...one, program: { ...program, changed: 'train.py' } }]);
    assert.notEqual(run.tentative, undefined);
    assert.equal(run.verdict, 'unknown');
    assert.ok(run.missing.some(phrase => phrase.includes('train.py has changed')));
  });

  it('is kept with its files, which are compared on each reading', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headroom-program-'));
    try {
      const one = await measured(30);
      assert.deepEqual(readMeasurements(measurementLine(one)).measurements, [one]);
      mkdirSync(join(folder, '.headroom'));
      writeFileSync(join(folder, '.headroom/measurements.jsonl'), measurementLine(one));
      writeFileSync(join(folder, 'train.py'), 'one');
      const changed = async (): Promise<string | null | undefined> => {
        const near = await new MeasuredRuns(new NodeFiles(folder), '1', null).near(join(folder, 'a.yaml'));
        assert.ok(near.dependencies.includes(join(folder, 'train.py')));
        return near.measurements[0]?.program?.changed;
      };
      assert.equal(await changed(), undefined);
      writeFileSync(join(folder, 'train.py'), 'two');
      assert.equal(await changed(), 'train.py');
      rmSync(join(folder, 'train.py'));
      assert.equal(await changed(), 'train.py');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the program of a run', () => {
  const command = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const { runs, file, dialect } = await read(files);
    const [run] = runs;
    assert.ok(run);
    const found = programOf(run, { file, dialect }, { gpus: 1, folder: '/w' });
    return found.ok ? found.launch.argv.join(' ') : found.why;
  };
  const FLAGS = '--model a/b-7b --batch-size 2 --grad-accum 8 --lr 2e-4 --epochs 3 --lora-r 16';

  it('is the Python command of a script, without what surrounds it', async () => {
    const script = `#!/bin/bash\nexport A=1\nCUDA_VISIBLE_DEVICES=0 python train.py ${FLAGS}\n`;
    assert.equal(await command({ '/w/train.sh': script }), `python train.py ${FLAGS}`);
    const open = `#!/bin/bash\npython train.py ${FLAGS} --output_dir $2\n`;
    assert.match(await command({ '/w/train.sh': open }), /value of .* in \/w\/train\.sh is not known/);
  });

  it('is Jupyter for a notebook', async () => {
    const source = 'from trl import SFTConfig, SFTTrainer\nSFTTrainer("a/b-7b", args=SFTConfig("out"))\n';
    const notebook = JSON.stringify({ nbformat: 4, cells: [{ cell_type: 'code', source }] });
    assert.equal(await command({ '/w/tune/sft.ipynb': notebook }), 'jupyter execute tune/sft.ipynb');
  });

  it('is the launch line of a framework', async () => {
    const yaml =
      'base_model: a/b-7b\ndatasets: [{path: a, type: alpaca}]\nadapter: lora\nmicro_batch_size: 2\n';
    assert.match(await command({ '/w/lora.yml': yaml }), /^axolotl train lora\.yml/);
  });
});
