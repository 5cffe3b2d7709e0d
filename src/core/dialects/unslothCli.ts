import type { Dialect } from './dialect';
import { count, flag, word } from './engine/readers';
import type { ValueReader } from './engine/readers';
import { number } from './engine/readers';
import { fourBit } from './shared/peft';
import { unslothHelp, unslothLaunch, unslothLogs } from './unslothCli/output';
import { unslothCliSignature } from './unslothCli/signature';
import { unslothWriters } from './unslothCli/writers';

const SOURCE = 'unsloth_cli/config.py L11-65';
const BACKEND = 'studio/backend/core/training/trainer.py';
const SEVEN = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];

/** `unsloth`, `true`, `none`: checkpoints on the host, checkpoints, none. */
const checkpointing: ValueReader<boolean> = value => {
  if (typeof value === 'object') return null;
  const said = String(value).toLowerCase();
  if (said === 'unsloth' || said === 'true') return { ok: true };
  return said === 'none' || said === 'false' ? { ok: false } : { unfit: 'is none of unsloth, true, none' };
};

/** Configs of `unsloth train`; sources are files of unslothai/unsloth 015bdef. */
export const unslothCli: Dialect = {
  id: 'unsloth-cli',
  title: 'Unsloth',
  role: 'run',
  framework: { name: 'unsloth', version: '2026.8', libraries: { transformers: '4.57.6' } },
  loader: 'pyyaml',
  signature: unslothCliSignature,
  quantities: {
    model: { keys: ['model'], read: word },
    task: run => run.byDefault('sft', 'unsloth_cli: train is supervised fine-tuning'),
    method: run => {
      if (run.word('training.training_type') === 'full') return run.at('training.training_type', 'full');
      const key = ['training.training_type', 'training.load_in_4bit'];
      const four = run.flag('training.load_in_4bit') ?? true;
      const method = four ? 'qlora' : 'lora';
      return key.some(name => run.has(name)) ? run.at(key, method) : run.byDefault(method, SOURCE);
    },
    microBatchSize: {
      keys: ['training.batch_size'],
      read: count,
      absent: { value: 2, source: SOURCE },
      near: ['training.gradient_accumulation_steps', 'training.num_epochs'],
    },
    gradAccum: {
      keys: ['training.gradient_accumulation_steps'],
      read: count,
      absent: { value: 4, source: SOURCE },
      near: ['training.batch_size'],
    },
    seqLen: {
      keys: ['training.max_seq_length'],
      read: count,
      absent: { value: 2048, source: SOURCE },
      near: ['training.batch_size'],
    },
    packing: {
      keys: ['training.packing'],
      read: flag,
      absent: { value: false, source: SOURCE },
      near: ['training.max_seq_length'],
    },
    precision: run => run.byDefault('bf16', `${BACKEND} L686: bf16 where the GPU has it, else fp16`),
    loadDtype: run =>
      run.byDefault('bf16', 'unsloth/models/loader.py: dtype None is bf16 where the GPU has it'),
    quantization: run => {
      if (run.get('method').value !== 'qlora') return run.none('load_in_4bit is off, or all is trained');
      const nf4 = fourBit('nf4', true, 'bf16', null);
      return run.has('training.load_in_4bit')
        ? run.at('training.load_in_4bit', nf4)
        : run.byDefault(nf4, `${SOURCE}: load_in_4bit is true`);
    },
    optimizer: {
      keys: ['training.optim'],
      read: word,
      absent: { value: 'adamw_8bit', source: `${BACKEND} L677-679` },
      near: ['training.learning_rate', 'training.batch_size'],
    },
    gradientCheckpointing: {
      keys: ['training.gradient_checkpointing'],
      read: checkpointing,
      absent: { value: true, source: `${SOURCE}: unsloth` },
      write: to => (to ? 'unsloth' : 'none'),
      near: ['training.batch_size', 'training.max_seq_length'],
    },
    attention: run =>
      run.byDefault('flash_attention_2', 'unsloth/models/llama.py: FlashAttention or xFormers'),
    loss: run => run.byDefault('unsloth_cross_entropy', 'unsloth/kernels/cross_entropy_loss.py'),
    lora: run => {
      if (run.get('method').value === 'full') return run.none('training_type is full');
      const r = run.count('lora.lora_r');
      const targets = run.words('lora.target_modules')?.flatMap(one => one.split(',')) ?? SEVEN;
      const settings = {
        r: r ?? 64,
        alpha: run.read('lora.lora_alpha', number) ?? 16,
        dropout: run.read('lora.lora_dropout', number) ?? 0,
        targets: targets.map(one => one.trim()).filter(one => one !== ''),
        modulesToSave: [],
        rslora: run.flag('lora.use_rslora') ?? false,
        dora: run.flag('lora.use_dora') ?? false,
      };
      return run.has('lora') ? run.at(['lora.lora_r', 'lora'], settings) : run.byDefault(settings, SOURCE);
    },
    zeroStage: run => run.none('Unsloth has no DeepSpeed'),
    fsdp: run => run.none('Unsloth does not shard'),
    // The default keeps checkpoints on the host (unsloth/models/_utils.py).
    offload: run => {
      const said = run.value('training.gradient_checkpointing') ?? 'unsloth';
      const host = { param: 'none', optimizer: 'none', activations: 'cpu' } as const;
      if (said !== 'unsloth') return run.none('checkpoints stay on the GPU');
      return run.has('training.gradient_checkpointing')
        ? run.at('training.gradient_checkpointing', host)
        : run.byDefault(host, `${SOURCE}: gradient_checkpointing is unsloth`);
    },
    parallel: run => run.none('Unsloth does not split a model'),
    gpus: run => run.unknown('The launcher decides the number of GPUs.'),
  },
  details: {
    autocast: run => run.byDefault(true, `${BACKEND} L686: bf16 or fp16 of TrainingArguments`),
    adapterDtype: run =>
      run.get('lora').value === null
        ? run.none('no adapter is trained')
        : run.byDefault('fp32', 'unsloth/models/llama.py: adapters are held in float32'),
  },
  writers: unslothWriters,
  launch: unslothLaunch,
  logs: unslothLogs,
  help: unslothHelp,
};
