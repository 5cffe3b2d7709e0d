import { builtIn } from './defined/compile';
import file from './unslothCli.yaml';
import type { Dialect } from './dialect';
import type { ValueReader } from './engine/readers';
import { number } from './engine/readers';
import { fourBit } from './shared/peft';
import { unslothWriters } from './unslothCli/writers';

const SOURCE = 'unsloth_cli/config.py L11-65';
const SEVEN = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];

/** `unsloth`, `true`, `none`: checkpoints on the host, checkpoints, none. */
const checkpointing: ValueReader<boolean> = value => {
  if (typeof value === 'object') return null;
  const said = String(value).toLowerCase();
  if (said === 'unsloth' || said === 'true') return { ok: true };
  return said === 'none' || said === 'false' ? { ok: false } : { unfit: 'is none of unsloth, true, none' };
};

/** Configs of `unsloth train`; sources are files of unslothai/unsloth 015bdef. */
export const unslothCli: Dialect = builtIn(file, {
  quantities: {
    method: run => {
      if (run.word('training.training_type') === 'full') return run.at('training.training_type', 'full');
      const key = ['training.training_type', 'training.load_in_4bit'];
      const four = run.flag('training.load_in_4bit') ?? true;
      const method = four ? 'qlora' : 'lora';
      return key.some(name => run.has(name)) ? run.at(key, method) : run.byDefault(method, SOURCE);
    },
    quantization: run => {
      if (run.get('method').value !== 'qlora') return run.none('load_in_4bit is off, or all is trained');
      const nf4 = fourBit('nf4', true, 'bf16', null);
      return run.has('training.load_in_4bit')
        ? run.at('training.load_in_4bit', nf4)
        : run.byDefault(nf4, `${SOURCE}: load_in_4bit is true`);
    },
    gradientCheckpointing: { read: checkpointing, write: to => (to ? 'unsloth' : 'none') },
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
    // The default keeps checkpoints on the host (unsloth/models/_utils.py).
    offload: run => {
      const said = run.value('training.gradient_checkpointing') ?? 'unsloth';
      const host = { param: 'none', optimizer: 'none', activations: 'cpu' } as const;
      if (said !== 'unsloth') return run.none('checkpoints stay on the GPU');
      return run.has('training.gradient_checkpointing')
        ? run.at('training.gradient_checkpointing', host)
        : run.byDefault(host, `${SOURCE}: gradient_checkpointing is unsloth`);
    },
  },
  details: {
    adapterDtype: run =>
      run.get('lora').value === null
        ? run.none('no adapter is trained')
        : run.byDefault('fp32', 'unsloth/models/llama.py: adapters are held in float32'),
  },
  writers: unslothWriters,
});
