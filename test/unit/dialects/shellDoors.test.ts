import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/analyse/analyse';
import { editsFor } from '../../../src/core/dialects/write';
import { target, worldWithModels } from '../core/support';
import { applied, read, running } from './support';

const CLM = 'run_clm.py --block_size 512 --do_train --output_dir o';

/** Names, models, micro batches and GPUs of the runs of a script. */
async function said(script: string, others: Record<string, string> = {}, file = 'run.sh'): Promise<string[]> {
  const { runs } = await read({ [file]: script, ...others }, file);
  return runs.map(({ name, quantities: { model, microBatchSize, devices } }) =>
    [name, model.value, microBatchSize.value, devices.value].join(' | '),
  );
}

describe('a command', () => {
  const run = `python ${CLM} --model_name_or_path gpt2 --per_device_train_batch_size 4`;

  for (const line of [
    `ray job submit --address http://a:8265 --working-dir . -- ${run}`,
    `timeout 2h ${run}`,
    `env A=1 ${run}`,
    `mpirun -np 4 ${run}`,
    `tmux new-session -d -s a "${run}"`,
    `sbatch --gres=gpu:2 --wrap="${run}"`,
    `if [ -d x ]; then echo; fi\n${run}`,
    `sbatch <<EOF\n#!/bin/bash\n${run}\nEOF`,
  ]) {
    it(`is read behind ${line.slice(0, 30).split('\n')[0]}, without a first line of shell`, async () => {
      assert.deepEqual(
        (await said(line)).map(one => one.split(' | ').slice(1, 3)),
        [['gpt2', '4']],
      );
    });
  }

  it('tells its GPUs by its launcher’s own words', async () => {
    assert.match((await said(`mpirun -np 4 ${run}`))[0] ?? '', /\| 4$/);
    assert.match((await said(`horovodrun -np 2 -H a:2 ${run}`))[0] ?? '', /\| 2$/);
    assert.match((await said(`./distributed_train.sh 4 /data --model resnet50 -b 64`))[0] ?? '', /64 \| 4$/);
  });
});

describe('a loop over known words', () => {
  const body = `python ${CLM} --model_name_or_path $m --per_device_train_batch_size $b --seed $s`;

  it('is a sweep: a run for each turn that says something else', async () => {
    const script = `for b in 2 {4,8}; do\n  for s in $(seq 1 3); do\n    m=gpt2\n    ${body}\n  done\ndone\n`;
    assert.deepEqual(await said(script), ['b=2 | gpt2 | 2 | ', 'b=4 | gpt2 | 4 | ', 'b=8 | gpt2 | 8 | ']);
    assert.deepEqual(await said(`m=gpt2\nb=2\nfor s in 1 2; do ${body}; done`), [' | gpt2 | 2 | ']);
  });

  it('takes its words from an array, and sets arguments of several words', async () => {
    const script = `all=("gpt2 2" "gpt2-medium 1")\nfor c in "\${all[@]}"; do\n  set -- $c\n  m=$1 b=$2 s=0\n  ${body}\ndone`;
    assert.deepEqual(await said(script), ['c=gpt2 2 | gpt2 | 2 | ', 'c=gpt2-medium 1 | gpt2-medium | 1 | ']);
  });

  it('stays open with too many turns, or words that only the start knows', async () => {
    for (const words of ['configs/*', '$LIST', Array.from({ length: 30 }, (_, i) => i + 1).join(' ')]) {
      assert.deepEqual(await said(`m=gpt2\nfor b in ${words}; do ${body}; done`), [' | gpt2 |  | '], words);
    }
  });

  it('is not changed where a turn uses it', async () => {
    const script = `m=gpt2\nfor b in 2 4; do ${body}; done`;
    const { runs } = await read({ 'run.sh': script });
    const [run] = runs;
    assert.ok(run);
    assert.deepEqual(editsFor(run, [{ quantity: 'microBatchSize', to: 1 }]), {
      ok: false,
      why: 'per_device_train_batch_size comes from a variable or a loop: change it there.',
    });
  });

  it('trains one after the other: no GPU is shared', async () => {
    const script = `for m in gpt2 gpt2-large; do CUDA_VISIBLE_DEVICES=0 python ${CLM} --model_name_or_path $m --per_device_train_batch_size 8; done`;
    const options = { target: target('A100-80GB'), severities: {} };
    const { runs } = await analyze('run.sh', script, worldWithModels({ 'run.sh': script }), options, running);
    assert.equal(runs.length, 2);
    assert.deepEqual(
      runs.flatMap(({ findings }) => findings.filter(({ rule }) => rule === 'services-share-gpu')),
      [],
    );
  });
});

describe('a script that starts another', () => {
  const inner = { 'inner.sh': `B=\${2:-1}\nshift 2\npython ${CLM} --per_device_train_batch_size $B "$@"\n` };

  it('gives it its arguments, in each call', async () => {
    const outer =
      'bash inner.sh x 4 --model_name_or_path gpt2\n./inner.sh x 2 --model_name_or_path gpt2-large\n';
    assert.deepEqual(await said(outer, inner, 'all.sh'), [' | gpt2 | 4 | ', '2 | gpt2-large | 2 | ']);
  });

  it('that it has written is read with its variables', async () => {
    const run = `python ${CLM} --model_name_or_path $M --per_device_train_batch_size`;
    assert.deepEqual(await said(`M=gpt2\ncat > job.sh <<EOF\n${run} \\$1\nEOF\nbash job.sh 4\n`), [
      ' | gpt2 | 4 | ',
    ]);
    assert.deepEqual(await said(`M=gpt2\ncat <<EOF > job.sbatch\n${run} 2\nEOF\n`), [' | gpt2 | 2 | ']);
  });

  it('finds a config and a program that it has written', async () => {
    const yaml = 'model_name_or_path: $M\nstage: sft\nfinetuning_type: lora\ncutoff_len: 64\n';
    const config = `M=gpt2\ncat > a.yaml <<EOF\n${yaml}per_device_train_batch_size: 4\nEOF\n`;
    assert.deepEqual(await said(`${config}llamafactory-cli train a.yaml\n`), [' | gpt2 | 4 | ']);
    const program = `from trl import SFTTrainer, SFTConfig\nSFTTrainer("gpt2", args=SFTConfig(per_device_train_batch_size=2)).train()\n`;
    assert.deepEqual(await said(`cat > t.py <<'EOF'\n${program}EOF\ntorchrun --nproc_per_node 2 t.py\n`), [
      ' | gpt2 | 2 | 2',
    ]);
  });
});

describe('a file that carries commands', () => {
  const run = `python ${CLM} --model_name_or_path gpt2 --per_device_train_batch_size 4`;
  const only = ['gpt2 | 4'];
  const carried = async (file: string, text: string): Promise<string[]> =>
    (await said(text, {}, file)).map(one => one.split(' | ').slice(1, 3).join(' | '));

  it('is package.json, pyproject.toml, pixi.toml or a Taskfile', async () => {
    assert.deepEqual(await carried('package.json', JSON.stringify({ scripts: { train: run } })), only);
    assert.deepEqual(await carried('pyproject.toml', `[tool.poe.tasks]\ntrain = "${run}"\n`), only);
    assert.deepEqual(await carried('pyproject.toml', `[tool.pdm.scripts]\ntrain = {cmd = "${run}"}\n`), only);
    assert.deepEqual(await carried('pixi.toml', `[tasks]\ntrain = "${run}"\n`), only);
    assert.deepEqual(await carried('Taskfile.yml', `tasks:\n  train:\n    cmds:\n      - ${run}\n`), only);
    assert.deepEqual(await carried('package.json', JSON.stringify({ description: run })), []);
  });

  it('is a Markdown text with a program in its blocks', async () => {
    const blocks = [
      'm = "gpt2"',
      'from trl import SFTTrainer, SFTConfig',
      'a = SFTConfig(per_device_train_batch_size=4)',
    ];
    const text = [...blocks, 'SFTTrainer(m, args=a).train()'].map(
      one => `- x\n\n  \`\`\`python\n  ${one}\n  \`\`\`\n`,
    );
    assert.deepEqual(
      await carried('README.md', text.join('\n').replaceAll('\n  ', '\n').replaceAll('- x\n', '')),
      only,
    );
    assert.deepEqual(await carried('README.md', `\`\`\`bash\n${run}\n\`\`\`\n`), only);
  });
});

describe('the program of a command', () => {
  const program = `from dataclasses import dataclass
from peft import LoraConfig
from transformers import AutoModelForCausalLM, HfArgumentParser, TrainingArguments
from trl import SFTTrainer

@dataclass
class Options:
    model_name_or_path: str
    data_files: list[str]
    max_seq_length: int = 2048
    peft_r: int = 4

def main():
    training, own = HfArgumentParser((TrainingArguments, Options)).parse_args_into_dataclasses()
    model = AutoModelForCausalLM.from_pretrained(own.model_name_or_path)
    lora = LoraConfig(r=own.peft_r, target_modules=["c_attn"])
    SFTTrainer(model, args=training, peft_config=lora, max_seq_length=own.max_seq_length).train()

if __name__ == "__main__":
    main()
`;
  const flags = '--data_files a.json b.json c.json --per_device_train_batch_size 4';
  const start = async (words: string): Promise<unknown[]> => {
    const { runs } = await read({ 'run.sh': `python train.py ${flags} ${words}\n`, 'train.py': program });
    return runs.map(({ quantities: { model, microBatchSize, lora } }) => [
      model.value,
      microBatchSize.value,
      lora.value?.r,
    ]);
  };

  it('takes files behind a flag that names one, and they are no configs', async () => {
    assert.deepEqual(await start('--model_name_or_path gpt2'), [['gpt2', 4, 4]]);
  });

  it('says more than a framework’s defaults where the command leaves the model open', async () => {
    assert.deepEqual(await start('--model_name_or_path $1 ${@:2}'), [[null, 4, 4]]);
  });
});

describe('a notebook', () => {
  const cell = (source: string): unknown => ({ cell_type: 'code', source, outputs: [], metadata: {} });
  const notebook = (...cells: string[]): string => JSON.stringify({ cells: cells.map(cell), nbformat: 4 });
  const run = `python ${CLM} --model_name_or_path gpt2 --per_device_train_batch_size`;

  it('starts what its lines of a shell start, with its own values', async () => {
    const lines = notebook('size = 4\nname = "x"', `!${run} {size} \\\n  --seed 1\n`, `%%bash\n${run} 2`);
    assert.deepEqual(await said(lines, {}, 'a.ipynb'), [' | gpt2 | 4 | ', '2 | gpt2 | 2 | ']);
    assert.deepEqual(await said(notebook('!pip install torch\n!ls train'), {}, 'a.ipynb'), []);
  });

  it('keeps every other byte when such a line changes', async () => {
    const text = notebook('x = 1', `!${run} 4\nprint("é\\n")`);
    const [only] = (await read({ 'a.ipynb': text })).runs;
    assert.ok(only);
    const written = editsFor(only, [{ quantity: 'microBatchSize', to: 2 }]);
    assert.ok(written.ok);
    assert.equal(applied({ 'a.ipynb': text }, written.edits)['a.ipynb'], text.replace('size 4', 'size 2'));
  });
});

describe('a command that a tool takes as one text', () => {
  const run = `python ${CLM} --model_name_or_path gpt2 --per_device_train_batch_size 4`;

  for (const line of [
    `ssh gpu01 "cd a && ${run}"`,
    `ssh -p 22 -t me@host <<EOF\ncd a\n${run}\nEOF`,
    `ssh me@host 'bash -s' <<'EOF'\n${run}\nEOF`,
    `gcloud compute ssh vm --zone a --command="${run}"`,
    `script -q -c "${run}" log.txt`,
    `sky exec box "${run}"`,
    `JOB=$(sbatch --parsable --wrap "${run}")`,
  ]) {
    it(`is read: ${line.slice(0, 30).split('\n')[0]}`, async () => {
      assert.deepEqual(
        (await said(line)).map(one => one.split(' | ').slice(1, 3)),
        [['gpt2', '4']],
      );
    });
  }

  it('is not what a host writes to a file, or what another program reads', async () => {
    assert.deepEqual(await said(`ssh host 'cat > a.txt' <<EOF\n${run}\nEOF`), []);
    assert.deepEqual(await said(`ssh host tee a.txt <<EOF\n${run}\nEOF`), []);
  });
});

describe('the GPUs of a command', () => {
  const run = `python ${CLM} --model_name_or_path gpt2 --per_device_train_batch_size 4`;
  const gpus = async (line: string): Promise<string | undefined> => (await said(line))[0]?.split(' | ')[3];

  it('are those that srun asks for', async () => {
    assert.equal(await gpus(`srun --gres=gpu:a100:4 --ntasks=4 ${run}`), '4');
    assert.equal(await gpus(`srun -N 2 -G 8 ${run}`), '4');
    assert.equal(await gpus(`srun -n 2 --gpus-per-task 1 ${run}`), '2');
    assert.equal(await gpus(`srun --gres=gpu:$N ${run}`), '');
  });

  it('are those that env makes visible', async () => {
    assert.equal(await gpus(`env A=1 CUDA_VISIBLE_DEVICES=0,1 ${run}`), '2');
  });
});

describe('a program that a flag tells', () => {
  it('takes that flag and those before it', async () => {
    const line = './distributed_train.sh 4 --data-dir /d -b 64 --model seresnet34 --sched cosine --amp';
    assert.deepEqual(await said(line), [' | seresnet34 | 64 | 4']);
  });
});
