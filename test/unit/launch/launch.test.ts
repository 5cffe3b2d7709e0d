import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { launchOf } from '../../../src/core/launch/launch';
import type { LaunchOptions } from '../../../src/core/launch/runLaunch';
import type { RunLaunch } from '../../../src/core/launch/runLaunch';
import { fill, openIn, shellLine } from '../../../src/core/launch/words';
import { dialects } from '../../../src/core/dialects/registry';
import { read, worldOf } from '../dialects/support';
import { analyze } from '../../../src/core/analyse/analyse';
import { Definitions } from '../../../src/world/definitions';

const OPTIONS: LaunchOptions = { gpus: 2, folder: '/w' };

const AXOLOTL = `base_model: NousResearch/Llama-3.2-1B
datasets: [{path: a, type: alpaca}]
adapter: lora
micro_batch_size: 2
gradient_accumulation_steps: 4
sequence_len: 2048
output_dir: ./outputs/lora
`;

async function launched(
  files: Readonly<Record<string, string>>,
  more: Partial<LaunchOptions> = {},
): Promise<RunLaunch> {
  const { runs, file, dialect } = await read(files);
  const [run] = runs;
  if (!run) throw new Error('no run');
  const result = launchOf(run, { file, dialect }, { ...OPTIONS, ...more });
  if (!result.ok) throw new Error(result.why);
  return result.launch;
}

describe('what is started for a run', () => {
  it('is the framework’s own command, with what it writes and how it goes on', async () => {
    const launch = await launched({ '/w/conf/lora.yml': AXOLOTL });
    assert.deepEqual(launch.argv, [
      ...['axolotl', 'train', 'conf/lora.yml', '--launcher', 'accelerate', '--', '--num_processes=2'],
    ]);
    assert.deepEqual(launch.resume?.slice(0, 4), [
      ...['axolotl', 'train', 'conf/lora.yml', '--auto-resume-from-checkpoints'],
    ]);
    assert.deepEqual([launch.open, launch.writes, launch.handsTo], [[], ['./outputs/lora'], null]);
  });

  it('is the command of a document, a recipe or a task, and never that file in a shell', async () => {
    const words = 'trl sft --model_name_or_path Qwen/Qwen3-0.6B --per_device_train_batch_size 4';
    const block = `\`\`\`bash\npip install trl\n${words} \\\n  --output_dir "a b"\n\`\`\`\n`;
    const argv = [...words.split(' '), '--output_dir', 'a b'];
    assert.deepEqual((await launched({ '/w/USAGE.md': `# Use\n\n${block}` })).argv, argv);
    const recipe = `train:\n\tpython prepare.py\n\tCUDA_VISIBLE_DEVICES=0 ${words}\n`;
    assert.deepEqual((await launched({ '/w/Makefile': recipe })).argv, words.split(' '));
    const task = { label: 'train', type: 'shell', command: 'trl', args: words.split(' ').slice(1) };
    const tasks = JSON.stringify({ version: '2.0.0', tasks: [task] });
    assert.deepEqual((await launched({ '/w/.vscode/tasks.json': tasks })).argv, words.split(' '));
    await assert.rejects(
      launched({ '/w/USAGE.md': `\`\`\`bash\n${words} --output_dir $OUT\n\`\`\`\n` }),
      /give the command/,
    );
  });

  it('is the verb of what the config does', async () => {
    const base = 'model_name_or_path: Qwen/Qwen3-4B\ntemplate: qwen3\n';
    const verbs = await Promise.all(
      [
        'stage: sft\ndo_train: true\nfinetuning_type: lora\ndataset: a\noutput_dir: out\n',
        'adapter_name_or_path: out\nexport_dir: merged\n',
        'infer_backend: huggingface\ntrust_remote_code: true\n',
        'stage: sft\ndo_predict: true\nfinetuning_type: lora\neval_dataset: a\noutput_dir: out\n',
      ].map(async more => launched({ '/w/one.yaml': base + more })),
    );
    assert.deepEqual(
      verbs.map(({ argv }) => argv[1]),
      ['train', 'export', 'chat', 'train'],
    );
    assert.deepEqual(verbs[1]?.writes, ['merged']);
  });

  it('names the whole path of a config that lies elsewhere', async () => {
    const { argv } = await launched({ '/elsewhere/lora.yml': AXOLOTL });
    assert.equal(argv[2], '/elsewhere/lora.yml');
  });

  it('leaves words to people, and takes them', async () => {
    const tune = `model: {_component_: torchtune.models.llama3_2.lora_llama3_2_1b, lora_rank: 8}
tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer}
checkpointer: {_component_: torchtune.training.FullModelHFCheckpointer, output_dir: /tmp/out}
optimizer: {_component_: torch.optim.AdamW}
batch_size: 2
`;
    const open = await launched({ '/w/1B.yaml': tune });
    assert.deepEqual(open.open, ['{recipe}']);
    assert.ok(open.argv.includes('{recipe}'));
    const filled = await launched(
      { '/w/1B.yaml': tune },
      { filled: { recipe: 'lora_finetune_distributed' } },
    );
    assert.deepEqual([filled.open, filled.argv[4]], [[], 'lora_finetune_distributed']);
    assert.deepEqual(filled.writes, ['/tmp/out']);
  });

  it('is the script, where a script starts the config', async () => {
    const script = '#!/bin/bash\nexport CUDA_VISIBLE_DEVICES=0\naxolotl train lora.yml\n';
    const { argv, file, writes } = await launched({ '/w/train.sh': script, '/w/lora.yml': AXOLOTL });
    assert.deepEqual([argv, file, writes], [['bash', 'train.sh'], '/w/train.sh', ['./outputs/lora']]);
    const batch = '#!/bin/bash\n#SBATCH --gpus-per-node=2\nsrun axolotl train lora.yml\n';
    const slurm = await launched({ '/w/train.sbatch': batch, '/w/lora.yml': AXOLOTL });
    assert.deepEqual([slurm.argv, slurm.handsTo], [['sbatch', 'train.sbatch'], 'Slurm']);
  });

  it('is the script that is found around an opened config', async () => {
    const files = {
      '/w/lora.yml': AXOLOTL,
      '/w/run.sh': '#!/bin/bash\naccelerate launch -m axolotl.cli.train lora.yml\n',
    };
    const world = {
      ...worldOf(files),
      launchers: { of: () => Promise.resolve({ files: ['/w/run.sh'], dependencies: [] }) },
    };
    const analysis = await analyze(
      '/w/lora.yml',
      AXOLOTL,
      world,
      { target: null, severities: {} },
      { aborted: false },
    );
    const [run] = analysis.runs;
    assert.ok(run);
    const result = launchOf(run.run, analysis, OPTIONS);
    assert.deepEqual(result.ok && result.launch.argv, ['bash', 'run.sh']);
  });

  it('is what a dialect of the workspace says', async () => {
    const dialect = `id: ours
recognise: {strong: [trainer.micro_bs]}
quantities: {microBatchSize: {keys: trainer.micro_bs}}
launch:
  argv: [uv, run, train, --config, '{config}', --stage, '{stage}', 'gpus={gpus}']
  writes: [trainer.out]
`;
    const config = 'trainer: {micro_bs: 8, out: runs/a}\n';
    const base = worldOf({ '/w/a.yaml': config, '/w/.headroom/dialects/ours.yaml': dialect });
    const world = { ...base, definitions: new Definitions(base.files) };
    const {
      runs,
      file,
      dialect: id,
    } = await analyze('/w/a.yaml', config, world, { target: null, severities: {} }, { aborted: false });
    const [one] = runs;
    assert.ok(one);
    const result = launchOf(one.run, { file, dialect: id }, OPTIONS);
    assert.ok(result.ok);
    assert.deepEqual(result.launch.argv, [
      'uv',
      'run',
      'train',
      '--config',
      'a.yaml',
      '--stage',
      '{stage}',
      'gpus=2',
    ]);
    assert.deepEqual([result.launch.open, result.launch.writes], [['{stage}'], ['runs/a']]);
  });

  it('is nothing for a part of a run, and for a program that nobody has named', async () => {
    const { runs, file, dialect } = await read({
      '/w/ds.json': '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}}',
    });
    const [part] = runs;
    assert.ok(part);
    const result = launchOf(part, { file, dialect }, OPTIONS);
    assert.match(result.ok ? '' : result.why, /part of a run/);
  });
});

describe('words of a command', () => {
  it('are never options, and never a shell’s', () => {
    assert.equal(shellLine(['a', "it's", '$(x)']), `a 'it'\\''s' '$(x)'`);
    const forged = "touch x #\u001b[2K\rcommand it's \u202e\u009b\n\u0001f";
    const line = shellLine(['printf', '%s', forged]);
    assert.equal(line, "printf %s $'touch x #\\e[2K\\rcommand it\\'s \\u202e\\u009b\\n\\x01f'");
    // The shown command is the one that runs.
    const shell = spawnSync('bash', ['-c', line], {
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    });
    assert.equal(shell.stdout, forged);
    assert.equal(fill('--dataset=DATA', { DATA: 'x y' }), '--dataset=x y');
    assert.deepEqual(openIn(['{a}', '{a}', 'exp/NAME', 'NUM_GPUS', '{b}'], { b: '1' }), ['{a}', 'NAME']);
  });

  it('of every dialect are known words, or are asked for', () => {
    const known = { config: 'c', folder: 'f', name: 'n', gpus: '1', nodes: '1', model: 'm' };
    for (const { id, launch = [] } of dialects) {
      for (const { argv, resume } of launch) {
        assert.ok(!argv[0]?.includes('{') || openIn(argv, known).length > 0, id);
        // Resuming needs nothing that starting does not need.
        assert.deepEqual(
          openIn(resume ?? [], known).filter(word => !openIn(argv, known).includes(word)),
          [],
          id,
        );
      }
    }
  });
});
