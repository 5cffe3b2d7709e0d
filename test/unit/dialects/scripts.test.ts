import assert from 'node:assert/strict';
import { editsFor } from '../../../src/core/dialects/write';
import { scriptOf } from '../../../src/core/dialects/command/shell';
import { whole } from '../../../src/core/dialects/command/located';
import { applied, read } from './support';

const lines = (script: string, which: 'always' | 'perhaps' = 'always'): string[] =>
  scriptOf(whole(script), new Map())[which].map(words =>
    words.map(({ text, open }) => (open ? `<${text}>` : text)).join(' '),
  );

describe('a script’s words', () => {
  it('of a text that holds several are taken apart where it stands without quotes', () => {
    assert.match(
      lines('ARGS="\n  --a 1 \\\n  --b 2\n"\nARGS="$ARGS --c 3"\nrun $ARGS x "$ARGS"')[0] ?? '',
      /^run --a 1 --b 2 --c 3 x \n/,
    );
    assert.deepEqual(lines('ARGS="--a 1"\nARGS+=" --b 2"\nrun ${ARGS}'), ['run --a 1 --b 2']);
  });

  it('of a loop over arguments that nobody gave set nothing', () => {
    const take = (head: string): string =>
      `M=a\n${head}; do\n  case $1 in\n    -m) M="$2"; shift 2 ;;\n  esac\ndone\nrun "$M"`;
    const heads = ['while [[ $# -gt 0 ]]', 'while [ -n "$1" ]', 'while getopts "m:" o'];
    assert.deepEqual(new Set(heads.map(head => lines(take(head)).at(-1))), new Set(['run a']));
    assert.equal(lines(take('while read -r line')).at(-1), 'run <$M>');
    assert.deepEqual(lines(`set -- -m b\n${take('while [ $# -gt 0 ]')}`), ['run <$M>'], 'some are given');
  });

  it('of a heredoc that fills a variable are that variable’s', () => {
    assert.deepEqual(lines("read -r -d '' CMD <<EOF\nx.y \\\n  --a 1\nEOF\nrun --module $CMD"), [
      'read -r -d  CMD <<EOF',
      'run --module x.y --a 1',
    ]);
  });

  it('of a heredoc that a Python or a shell reads are its program', () => {
    const programs = (script: string): string[] =>
      scriptOf(whole(script), new Map()).always.flatMap(words =>
        words.flatMap(({ code }) => (code ? [code.text] : [])),
      );
    assert.deepEqual(
      programs('M=a/b\nuv run python3 -u - "$X" <<EOF > log\nimport vllm\nvllm.LLM("$M", "$N")\nEOF'),
      ['import vllm\nvllm.LLM("a/b", "$N")\n'],
    );
    assert.deepEqual(programs("M=a/b\npython <<'EOF'\nimport vllm\nx = '$M'\nEOF"), [
      "import vllm\nx = '$M'\n",
    ]);
    assert.deepEqual(programs('cat > a.py <<EOF\nimport vllm\nEOF'), []);
    assert.deepEqual(lines('A=1\nbash -e <<EOF\nrun --a $A\nEOF\nnext'), ['run --a 1', 'next']);
  });

  it('of a function that calls itself are read once', () => {
    assert.deepEqual(lines('f() {\nrun "$1"\nf "$1" "$@"\n}\nf a\nf b'), ['run a', 'run b']);
  });

  it('behind the name of a function are its arguments', () => {
    const script = 'serve() {\n  local m=$1\n  shift\n  run "$m" --l "${1:-8}" "$@"\n}\n';
    assert.deepEqual(lines(`${script}serve a 4 --b\nserve c`), ['run a --l 4 4 --b', 'run c --l 8']);
    assert.deepEqual(lines(`function f { run "$1"; }\nf a\nf "$2"\nrun "$1"`), [
      'run a',
      'run <$1>',
      'run <$1>',
    ]);
    assert.deepEqual(lines(`f() { run "$@"; }\nif [ -f x ]; then f a; fi`, 'perhaps'), ['run a']);
    assert.deepEqual(lines('f() { f; run; }\nf').length > 0, true);
  });

  it('that begin with the home folder are paths', () => {
    assert.deepEqual(lines('run ${A:-$HOME/m} $HOME/n\nHOME=/h\nrun $HOME/n'), ['run ~/m ~/n', 'run /h/n']);
  });

  it('that a branch adds to a list are there, and not known', () => {
    assert.deepEqual(lines('A=(--a 1)\nif [[ $X == y ]]; then\n  A+=("--b 2")\nfi\nrun ${A[@]}'), [
      'run --a 1 <--b> <2>',
    ]);
  });

  it('in arithmetic are numbers, and unknown where one of them is', () => {
    assert.deepEqual(lines('N=2\nrun $(( (N + 1) * 8 / 4 )) $((N * M))'), ['run 6 <$((N * M))>']);
  });

  it('handed to another shell are its commands', () => {
    assert.deepEqual(lines('A="run --a"\nsrun bash -c "cd x; $A 1"'), ['cd x', 'run --a 1']);
  });

  it('behind a command that starts another are that command’s', () => {
    assert.deepEqual(lines('exec vllm serve a/b\nnohup nice -n 5 run --a 1 &\nenv A=1 time run b'), [
      'vllm serve a/b',
      'run --a 1',
      'run b',
    ]);
    assert.deepEqual(lines('exec > log\ntime'), ['exec > log', 'time']);
  });

  it('of a branch are kept apart', () => {
    assert.deepEqual(lines('if [ $1 = x ]; then\n  run a\nelse\n  run b\nfi', 'perhaps'), ['run a', 'run b']);
  });
});

const TRL = `#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=0,2,3
torchrun --nproc_per_node 3 sft.py \\
  --model_name_or_path a/b --dataset_name d --per_device_train_batch_size 4 --max_length 1024 \\
  --output_dir out --learning_rate 1e-5
`;

describe('shell scripts', () => {
  it('serve what a container engine starts from the image of a server, on the GPUs that it gives', async () => {
    const docker = (options: string, image = 'vllm/vllm-openai:latest'): string =>
      `docker run -d --runtime nvidia ${options} \\\n  -v ~/.cache:/root/.cache -p 9000:8000 ${image} \\\n` +
      `  --model Qwen/Qwen2.5-7B-Instruct --max-model-len 1024 --gpu-memory-utilization 0.7\n`;
    const { runs } = await read({ 'serve.sh': docker('--gpus \'"device=0,1"\'') });
    const [run] = runs;
    assert.deepEqual(
      [
        run?.dialect,
        run?.quantities.model.value,
        run?.quantities.seqLen.value,
        run?.details.memoryShare?.value,
      ],
      ['vllm', 'Qwen/Qwen2.5-7B-Instruct', 1024, 0.7],
    );
    assert.equal(run?.quantities.devices.value, 2);
    const all = await read({ 'serve.sh': docker('--gpus all') });
    assert.equal(all.runs[0]?.quantities.devices.value, null);
    const other = await read({ 'serve.sh': docker('--gpus all', 'acme/web:1') });
    assert.deepEqual(other.runs, []);
  });

  it('serve what a launcher of their own is told by variables with the names of flags', async () => {
    const docker = (options: string): string =>
      `docker run ${options} -e VLLM_MODEL=Qwen/Qwen2.5-7B-Instruct \\\n  --env VLLM_MAX_MODEL_LEN=2048 \\\n` +
      `  -e VLLM_GPU_MEMORY_UTILIZATION=0.8 acme/balanced:latest python launch.py\n`;
    const files = { 'serve.sh': docker('--gpus all') };
    const [run] = (await read(files)).runs;
    assert.deepEqual(
      [
        run?.dialect,
        run?.quantities.model.value,
        run?.quantities.seqLen.value,
        run?.details.memoryShare?.value,
      ],
      ['vllm', 'Qwen/Qwen2.5-7B-Instruct', 2048, 0.8],
    );
    const result = editsFor(run!, [{ quantity: 'seqLen', to: 1024 }]);
    assert.ok(result.ok);
    assert.match(applied(files, result.edits)['serve.sh'] ?? '', /--env VLLM_MAX_MODEL_LEN=1024 /);
    assert.deepEqual((await read({ 'serve.sh': docker('') })).runs, [], 'without a GPU');
    const alone = 'docker run --gpus all -e VLLM_MODEL=a/b acme/x:1\n';
    assert.deepEqual((await read({ 'serve.sh': alone })).runs, [], 'a model alone');
  });

  it('find the config whose folders they leave out', async () => {
    const trl =
      'model_name_or_path: a/b\ndataset_name: d\nlearning_rate: 1\nmax_length: 512\nuse_peft: true\n';
    for (const left of ['...', '/path/to']) {
      const launch = `accelerate launch --config_file ${left}/zero.yaml ${left}/run.py ${left}/sft/sft.yaml`;
      const { runs } = await read({
        'ft/sft/run.sh': `#!/bin/bash\n#SBATCH --gres=gpu:4\n${launch}\n`,
        'ft/sft/sft.yaml': trl,
        'ft/zero.yaml': 'distributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 3}\nnum_processes: 4\n',
      });
      const { gpus, zeroStage } = runs[0]?.quantities ?? assert.fail();
      assert.deepEqual([runs[0]?.dialect, gpus.value, zeroStage.value], ['hf-trl', 4, 3], left);
    }
  });

  it('join the file that accelerate is given, whatever trains', async () => {
    const accelerate =
      'compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_machines: 1\nnum_processes: 2\n' +
      'fsdp_config: {fsdp_sharding_strategy: FULL_SHARD, fsdp_offload_params: true}\n';
    const factory =
      'model_name_or_path: a/b\nstage: sft\ndo_train: true\nfinetuning_type: full\ntemplate: qwen\ncutoff_len: 512\n';
    const own =
      '--model_name_or_path a/b --per_device_train_batch_size 2 --learning_rate 1e-5 --output_dir o';
    for (const [dialect, program] of [
      ['llamafactory', 'src/train.py x.yaml'],
      ['hf-trainer', `my_train.py ${own}`],
    ] as const) {
      const files = {
        'run.sh': `#!/bin/bash\naccelerate launch --config_file fsdp.yaml ${program}\n`,
        'my_train.py': 'from transformers import Trainer\n',
        'x.yaml': factory,
        'fsdp.yaml': accelerate,
      };
      const [run] = (await read(files, 'run.sh')).runs;
      assert.deepEqual([run?.dialect, run?.quantities.gpus.value], [dialect, 2]);
      assert.equal(run?.quantities.fsdp.value?.strategy, 'FULL_SHARD', dialect);
      assert.equal(run.quantities.offload.value?.param, 'cpu', dialect);
    }
  });

  it('give no framework’s defaults to a program that is not there and has none of its own flags', async () => {
    const flags = '--model_name_or_path a/b --learning_rate 2e-5 --max_length 1024 --num_train_epochs 3';
    const of = async (more: string) => {
      const line = `accelerate launch --config_file two.yaml elsewhere.py ${flags} ${more}\n`;
      const [run] = (await read({ 'run.sh': line, 'two.yaml': 'num_processes: 2\nnum_machines: 1\n' })).runs;
      const { model, gpus, gradAccum, optimizer } = run?.quantities ?? {};
      return [model?.value, gpus?.value, gradAccum?.value, optimizer?.value];
    };
    assert.deepEqual(await of('--batch_size 8 --beta 0.1'), ['a/b', 2, null, null]);
    assert.deepEqual(await of('--save_total_limit 1 --per_device_train_batch_size 8'), [
      ...['a/b', 2, 1, 'adamw_torch_fused'],
    ]);
  });

  it('are runs of what they start, on the GPUs that the launcher is told', async () => {
    const { dialect, runs } = await read({ 'train.sh': TRL });
    assert.deepEqual([dialect, runs[0]?.dialect], ['shell', 'hf-trl']);
    assert.equal(runs[0]?.quantities.gpus.value, 3);
    assert.equal(runs[0].quantities.microBatchSize.value, 4);
  });

  it('see the GPUs that CUDA_VISIBLE_DEVICES names', async () => {
    const script = TRL.replace('torchrun --nproc_per_node 3', 'python');
    const [run] = (await read({ 'train.sh': script })).runs;
    assert.equal(run?.quantities.devices.value, 3);
    const before = script.replace(
      'export CUDA_VISIBLE_DEVICES=0,2,3\npython',
      'CUDA_VISIBLE_DEVICES=1 python',
    );
    assert.equal((await read({ 'train.sh': before })).runs[0]?.quantities.devices.value, 1);
    const open = script.replace('0,2,3', '$GPUS');
    assert.equal((await read({ 'train.sh': open })).runs[0]?.quantities.devices.value, null);
  });

  it('of ms-swift are one process over the GPUs that it sees, unless they start more', async () => {
    const script = (env: string): string =>
      `CUDA_VISIBLE_DEVICES=0,1 ${env}\\\nswift sft --model Qwen/Qwen2.5-7B --tuner_type lora --learning_rate 1e-4 --max_length 512\n`;
    const of = async (env: string): Promise<readonly unknown[]> => {
      const [run] = (await read({ 'train.sh': script(env) })).runs;
      return [run?.quantities.devices.value, run?.details.deviceMap?.value?.strategy ?? null];
    };
    assert.deepEqual(await of(''), [2, 'auto']);
    assert.deepEqual(await of('NPROC_PER_NODE=2 '), [2, null]);
  });

  it('of ms-swift are told by the words of the command, whatever flags they share with others', async () => {
    const shared =
      '--dataset d --gradient_accumulation_steps 16 --max_length 4000 --deepspeed zero3 --torch_dtype bfloat16 ' +
      '--dataset_num_proc 16 --use_liger_kernel true --packing --train_type full';
    const { runs } = await read({ 'train.sh': `NPROC_PER_NODE=8 swift sft --model a/b ${shared}\n` });
    assert.equal(runs[0]?.dialect, 'ms-swift');
    assert.deepEqual(
      [
        runs[0].quantities.gradAccum.value,
        runs[0].quantities.zeroStage.value,
        runs[0].quantities.devices.value,
      ],
      [16, 3, 8],
    );
    const megatron = 'megatron sft --load m --dataset d --tensor_model_parallel_size 2 --micro_batch_size 2';
    const [of] = (await read({ 'train.sh': `NPROC_PER_NODE=8 ${megatron} --max_length 4000\n` })).runs;
    assert.equal(of?.dialect, 'ms-swift');
    const { model, microBatchSize, seqLen } = of.quantities;
    assert.deepEqual([model.value, microBatchSize.value, seqLen.value], ['m', 2, 4000]);
    // Its two engines have memory of their own, and Megatron's shares the optimizer's states by itself.
    assert.deepEqual([runs[0].framework.id, of.framework.id], [null, 'ms-swift-megatron']);
    const shares = [runs[0], of].map(run => run.details.distributedOptimizer?.value);
    assert.deepEqual(shares, [null, true]);
  });

  it('of ms-swift share a model as the file of `accelerate launch` says, and as nobody knows without it', async () => {
    const script =
      'accelerate launch --num_processes 2 --config_file fsdp.yaml swift/cli/sft.py --model Qwen/Qwen2.5-7B \\\n' +
      '  --dataset d --tuner_type lora --learning_rate 1e-4 --max_length 512 --torch_dtype bfloat16\n';
    const fsdp =
      'compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: 2\n' +
      'fsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: true\n';
    const { runs } = await read({ 'train.sh': script, 'fsdp.yaml': fsdp });
    assert.deepEqual([runs[0]?.dialect, runs[0]?.quantities.fsdp.value?.version], ['ms-swift', 2]);
    const [alone] = (await read({ 'train.sh': script })).runs;
    assert.deepEqual(
      [alone?.quantities.fsdp.origin.kind, alone?.quantities.zeroStage.origin.kind],
      ['unresolved', 'unresolved'],
    );
  });

  it('after a flag that names modules are a list up to the next flag', async () => {
    const script =
      'NPROC_PER_NODE=2 swift sft --model Qwen/Qwen2.5-7B --dataset a b --learning_rate 1e-4 --max_length 512 ' +
      '--tuner_type lora --target_modules q_proj v_proj --modules_to_save embed_tokens lm_head --torch_dtype bfloat16\n';
    const lora = (await read({ 'train.sh': script })).runs[0]?.quantities.lora.value;
    assert.deepEqual(
      [lora?.targets, lora?.modulesToSave],
      [
        ['q_proj', 'v_proj'],
        ['embed_tokens', 'lm_head'],
      ],
    );
  });

  it('of ms-swift leave the tower and the projector of a vision model as they are', async () => {
    const frozen = async (flags: string): Promise<unknown> => {
      const script = `NPROC_PER_NODE=2 swift sft --model Qwen/Qwen2.5-VL-7B --dataset d --tuner_type full --learning_rate 1e-4 --max_length 512 --torch_dtype bfloat16 ${flags}\n`;
      return (await read({ 'train.sh': script })).runs[0]?.details.frozenParts?.value;
    };
    assert.deepEqual(await frozen(''), ['vision tower', 'projector']);
    assert.deepEqual(await frozen('--freeze_vit false'), ['projector']);
  });

  it('of one’s own are of the Trainer, unless flags, words or imports are TRL’s', async () => {
    const flags =
      '--model_name_or_path a/b --torch_dtype bfloat16 --attn_implementation sdpa --max_seq_length 512 ' +
      '--per_device_train_batch_size 2 --learning_rate 1e-5 --output_dir o';
    const of = async (command: string, script = ''): Promise<string | undefined> =>
      (await read({ 'run.sh': `${command}\n`, 'my_train.py': script })).runs[0]?.dialect;
    const own = `python my_train.py ${flags}`;
    assert.equal(await of(own), 'hf-trainer');
    assert.equal(await of(own, 'from transformers import Trainer\n# no trl here\n'), 'hf-trainer');
    assert.equal(await of(`${own} --beta 0.1`), 'hf-trainer');
    assert.equal(await of(`${own} --beta 0.1 --max_prompt_length 256`), 'hf-trl');
    assert.equal(await of(`${own} --use_peft --lora_r 8`), 'hf-trl');
    assert.equal(await of(own, 'import torch\nfrom trl import SFTTrainer\n'), 'hf-trl');
    const few = '--model_name_or_path a/b --dataset_name d --learning_rate 1e-5 --output_dir o';
    for (const program of ['trl sft', 'python -m trl.scripts.sft', 'accelerate launch trl/scripts/sft.py']) {
      assert.equal(await of(`${program} ${few} --per_device_train_batch_size 2`), 'hf-trl', program);
    }
    assert.equal(await of(`python sft.py ${flags}`), 'hf-trl');
  });

  it('named after ORPO have no reference model, though they take the keys of DPO', async () => {
    const flags =
      '--model_name_or_path a/b --beta 0.1 --max_prompt_length 256 --per_device_train_batch_size 2 --learning_rate 1e-5 --output_dir o';
    for (const [script, task, copies] of [
      ['train_orpo.py', 'orpo', false],
      ['train_cpo.py', 'cpo', false],
      ['train.py', 'dpo', true],
    ] as const) {
      const [run] = (await read({ 'run.sh': `python ${script} ${flags}\n` })).runs;
      assert.deepEqual(
        [run?.quantities.task.value, run?.details.referenceModel?.value],
        [task, copies],
        script,
      );
    }
    const [simpo] = (await read({ 'run.sh': `python train.py ${flags} --loss_type simpo\n` })).runs;
    assert.deepEqual([simpo?.quantities.task.value, simpo?.details.referenceModel?.value], ['simpo', false]);
  });

  it('name the task by the verb of TRL', async () => {
    const { runs } = await read({ 'run.sh': 'trl dpo --model_name_or_path a/b --learning_rate 1e-5\n' });
    assert.deepEqual([runs[0]?.dialect, runs[0]?.quantities.task.value], ['hf-trl', 'dpo']);
  });

  it('take an edit at the word, in a variable’s text as well', async () => {
    const script =
      'set -e\nARGS="--model_name_or_path a/b --dataset_name d --max_length 1024 --output_dir o --per_device_train_batch_size 4"\npython sft.py $ARGS --learning_rate 1e-5\n';
    const files = { 'train.sh': script };
    const [run] = (await read(files)).runs;
    assert.ok(run);
    const result = editsFor(run, [{ quantity: 'seqLen', to: 512 }]);
    assert.ok(result.ok);
    assert.match(applied(files, result.edits)['train.sh'] ?? '', /--max_length 512 --output_dir/);
  });

  it('of a project’s examples are told by the name of the script', async () => {
    const names: readonly (readonly [line: string, dialect: string])[] = [
      ['python run_glue.py --model_name_or_path b --do_train --per_device_train_batch_size 32', 'hf-trainer'],
      ['torchrun --nproc_per_node 2 run_clm.py --model_name_or_path b --block_size 1024', 'hf-trainer'],
      [
        'accelerate launch train_dreambooth_lora.py --resolution=512 --train_batch_size=1',
        'accelerate-diffusion',
      ],
      ['accelerate launch train_text_to_image_sdxl.py --train_batch_size=4 --rank=4', 'accelerate-diffusion'],
    ];
    for (const [line, dialect] of names) {
      const { runs } = await read({ 'train.sh': `${line}\n` });
      assert.deepEqual([runs.length, runs[0]?.dialect], [1, dialect], line);
    }
  });

  it('of a project’s examples have the task and the length that the script sets by itself', async () => {
    const scripts: readonly (readonly [words: string, task: string, seqLen: number | null])[] = [
      ['run_glue.py', 'sequence_classification', 128],
      ['run_glue.py --max_seq_length 256', 'sequence_classification', 256],
      ['run_qa.py', 'question_answering', 384],
      ['examples/run_squad.py --max_seq_length 384', 'question_answering', 384],
      ['run_translation.py', 'seq2seq', 1024],
      ['run_clm.py', 'clm', null],
      ['run_mlm.py', 'mlm', null],
    ];
    for (const [words, task, seqLen] of scripts) {
      const line = `python ${words} --model_name_or_path b --do_train --per_device_train_batch_size 8`;
      const [run] = (
        await read({
          'train.sh': `${line}
`,
        })
      ).runs;
      assert.deepEqual([run?.quantities.task.value, run?.quantities.seqLen.value], [task, seqLen], words);
    }
  });

  it('that start no known program are not runs', async () => {
    const { dialect, runs } = await read({ 'x.sh': '#!/bin/bash\npython server.py --port 80\n' });
    assert.deepEqual([dialect, runs], [null, []]);
  });
});
