import type { Dice } from '../dice';
import { json, key, mutated, number, word } from './words';

const TYPES = [
  ...[
    'llama',
    'qwen2',
    'qwen3_moe',
    'mixtral',
    'gemma3',
    'gemma3_text',
    'bert',
    'roberta',
    'gpt2',
    'gpt_neox',
    't5',
  ],
  ...[
    'whisper',
    'vit',
    'clip',
    'llava',
    'qwen2_vl',
    'deepseek_v3',
    'phi3',
    'mamba',
    'wav2vec2',
    'segformer',
    '__proto__',
  ],
];
const SIZES = [
  ...[
    'num_hidden_layers',
    'hidden_size',
    'num_attention_heads',
    'num_key_value_heads',
    'vocab_size',
    'intermediate_size',
  ],
  ...[
    'max_position_embeddings',
    'head_dim',
    'n_layer',
    'n_embd',
    'n_head',
    'num_experts',
    'num_local_experts',
    'd_model',
  ],
  ...[
    'num_layers',
    'encoder_layers',
    'image_size',
    'patch_size',
    'num_channels',
    'moe_intermediate_size',
    'sliding_window',
  ],
];
const USUAL: Readonly<Record<string, unknown>> = {
  ...{
    num_hidden_layers: 4,
    hidden_size: 64,
    num_attention_heads: 4,
    vocab_size: 1000,
    intermediate_size: 128,
  },
  ...{ max_position_embeddings: 512, num_key_value_heads: 4, torch_dtype: 'bfloat16' },
};

/** A model's folder of a stranger: its config, and the headers of its checkpoints. */
export function modelFiles(dice: Dice, folder: string): Record<string, string | Uint8Array> {
  const files: Record<string, string | Uint8Array> = { [`${folder}/config.json`]: configJson(dice) };
  if (dice.chance(0.3)) files[`${folder}/model.safetensors`] = safetensors(dice);
  if (dice.chance(0.1)) files[`${folder}/model.safetensors.index.json`] = index(dice);
  if (dice.chance(0.1)) files[`${folder}/model.onnx`] = bytes(dice, dice.size(4000));
  if (dice.chance(0.2)) files[`${folder}/x-Q4_K_M.gguf`] = gguf(dice);
  if (dice.chance(0.1)) {
    files[`${folder}/adapter_config.json`] = JSON.stringify({ base_model_name_or_path: word(dice) });
  }
  return files;
}

function configJson(dice: Dice): string {
  const sizes = dice.some(0, 5, () => [
    dice.pick(SIZES),
    dice.chance(0.7) ? Number(number(dice)) : json(dice),
  ]);
  const others = dice.some(0, 3, () => [key(dice), json(dice)]);
  const nested = dice.chance(0.2)
    ? { text_config: Object.fromEntries(sizes) as unknown, vision_config: json(dice) }
    : {};
  const layers = dice.chance(0.1)
    ? { layer_types: Array.from({ length: dice.size(20_000) }, () => 'full_attention') }
    : {};
  const config = {
    model_type: dice.pick(TYPES),
    ...USUAL,
    ...(Object.fromEntries([...sizes, ...others]) as Readonly<Record<string, unknown>>),
    ...nested,
    ...layers,
  };
  const text = JSON.stringify(config);
  return dice.chance(0.1) ? mutated(dice, text) : text;
}

const bytes = (dice: Dice, count: number): Uint8Array =>
  Uint8Array.from({ length: count }, () => dice.below(256));

/** A length, then JSON; either may lie. */
function safetensors(dice: Dice): Uint8Array {
  const tensors = Object.fromEntries(
    dice.some(0, dice.size(300), () => [
      `${key(dice)}.${dice.below(1000)}`,
      dice.chance(0.8)
        ? {
            dtype: dice.pick(['F32', 'BF16', 'I8', 'X', '']),
            shape: dice.some(0, 4, () => Number(number(dice))),
            data_offsets: [0, 4],
          }
        : json(dice),
    ]),
  );
  const header = Buffer.from(JSON.stringify(tensors));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(
    dice.chance(0.8) ? BigInt(header.length) : dice.pick([0n, 2n ** 63n, 2n ** 32n, 99_999_999n]),
  );
  return Buffer.concat([length, header]);
}

const index = (dice: Dice): string =>
  JSON.stringify({
    weight_map: Object.fromEntries(
      Array.from({ length: dice.size(3000) }, (_, i) => [
        `t${i}`,
        dice.pick(['model.safetensors', `m-${i}.safetensors`, '../x', 'pipe']),
      ]),
    ),
  });

/** Magic, version, counts, then keys whose lengths may lie. */
function gguf(dice: Dice): Uint8Array {
  const head = Buffer.alloc(24);
  head.write('GGUF');
  head.writeUInt32LE(dice.pick([1, 2, 3, 0xffffffff]), 4);
  head.writeBigUInt64LE(dice.pick([0n, 1n, 300n, 2n ** 63n]), 8);
  head.writeBigUInt64LE(dice.pick([0n, 1n, 20n, 2n ** 63n]), 16);
  return Buffer.concat([head, bytes(dice, dice.size(2000))]);
}
