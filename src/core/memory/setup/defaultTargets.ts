const QUERY_VALUE = ['q_proj', 'v_proj'];
const FUSED = ['query_key_value'];
const ENCODER = ['query', 'value'];

/**
 * LoRA's targets where a config names none, by model type (peft 0.21.2, utils/constants.py,
 * TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING).
 */
export const DEFAULT_TARGETS: Readonly<Record<string, readonly string[]>> = {
  t5: ['q', 'v'],
  mt5: ['q', 'v'],
  bart: QUERY_VALUE,
  gpt2: ['c_attn'],
  gpt_bigcode: ['c_attn'],
  bloom: FUSED,
  gpt_neox: FUSED,
  chatglm: FUSED,
  falcon: FUSED,
  opt: QUERY_VALUE,
  gptj: QUERY_VALUE,
  gpt_neo: QUERY_VALUE,
  bert: ENCODER,
  roberta: ENCODER,
  'xlm-roberta': ENCODER,
  electra: ENCODER,
  layoutlm: ENCODER,
  'deberta-v2': ['query_proj', 'value_proj'],
  deberta: ['in_proj'],
  mpt: ['Wqkv'],
  codegen: ['qkv_proj'],
  phi: ['q_proj', 'v_proj', 'fc1', 'fc2'],
  nemotron_h: ['q_proj', 'k_proj', 'v_proj', 'o_proj'],
  llama: QUERY_VALUE,
  llama4: QUERY_VALUE,
  mistral: QUERY_VALUE,
  mixtral: QUERY_VALUE,
  stablelm: QUERY_VALUE,
  gemma: QUERY_VALUE,
  gemma2: QUERY_VALUE,
  gemma3_text: QUERY_VALUE,
  gemma4: QUERY_VALUE,
  qwen2: QUERY_VALUE,
  qwen3: QUERY_VALUE,
};
