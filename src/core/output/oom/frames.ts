import type { OomOwner, OomPhase } from './report';

/** Phase and owner of the memory, by stack frames and messages around the error; the most specific first. */
const PHASES: readonly (readonly [OomPhase, RegExp])[] = [
  [
    'optimizer',
    /optimizer\w*\.step\(|_foreach_\w+|exp_avg|torch\/optim\/|deepspeed\/runtime\/zero\/\w+\.py", line \d+, in step/,
  ],
  ['save', /PytorchStreamWriter|torch\.save\(|save_(?:checkpoint|model|pretrained|state)|state_dict\(\)/],
  ['loss', /cross_entropy|fused_linear_cross|compute_loss\b.*logits|logits\.float\(\)/i],
  ['backward', /\bin backward\b|\.backward\(|_engine_run_backward|conv_grad_|grad_step/],
  ['generate', /\bin generate\b|\.generate\(|Decode batch/],
  ['eval', /evaluation_loop|\bin evaluate\b|validation_step|prediction_step/],
  [
    'startup',
    /determine_num_available_blocks|determine_available_memory|init_device|initialize_kv_cache|cumem_allocator|wake_up|KV cache|kv cache|cuda graph/,
  ],
  [
    'load',
    /\bin (?:convert|_apply|load_model|from_pretrained|_load_state_dict\w*)\b|Loading (?:weights|checkpoint)|model requires more system memory|error loading model|fit the quantized model/,
  ],
  ['forward', /\bin (?:forward|_call_impl)\b|run convolution|functional\.py", line \d+, in linear/],
];

const OWNERS: readonly (readonly [OomOwner, RegExp])[] = [
  ['kv-cache', /KV[ -]?cache|kv cache|--mem-fraction-static/],
  ['optimizer', /optimizer\w*\.step\(|exp_avg|torch\/optim\//],
  ['logits', /cross_entropy|lm_head|logits/],
  ['attention', /scaled_dot_product_attention|attn_output|attn_weights|c2p_att|attention_scores/],
  [
    'weights',
    /\bin (?:convert|_apply|load_model|from_pretrained)\b|Loading weights|loading model|model requires more system memory|quantized model/,
  ],
  ['activations', /\bin (?:forward|backward)\b|allocating tensor with shape/],
];

const first = <T>(table: readonly (readonly [T, RegExp])[], text: string): T | null =>
  table.find(([, pattern]) => pattern.test(text))?.[0] ?? null;

/** The phase of the error and the owner of the memory; null if unknown. */
export const phaseIn = (text: string): OomPhase | null => first(PHASES, text);
export const ownerIn = (text: string): OomOwner | null => first(OWNERS, text);
