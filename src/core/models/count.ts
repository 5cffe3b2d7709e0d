import { countDecoder } from './countDecoder';
import { countBert } from './countEncoder';
import type { ModelFacts, ParameterCounts } from './model';

type CountingRule = (model: ModelFacts) => ParameterCounts;

const DECODERS = `llama mistral mixtral qwen2 qwen2_moe qwen3 qwen3_moe gemma gemma2 gemma3_text phi phi3 phimoe falcon
  mpt gpt2 gptj gpt_neo gpt_neox gpt_bigcode bloom opt stablelm starcoder2 olmo olmo2 olmo3 olmoe granite granitemoe
  internlm internlm2 internlm3 baichuan chatglm glm4 glm4_moe glm4_moe_lite glm_moe_dsa cohere cohere2 deepseek
  deepseek_v2 deepseek_v3 deepseek_v32 kimi_k2 gpt_oss nemotron minicpm ernie4_5 arcee seed_oss smollm3 minimax_m2
  exaone exaone4 mimo hunyuan_v1_dense apertus`;
const BERTS = 'bert roberta xlm-roberta camembert distilbert electra albert mpnet';

const RULES: ReadonlyMap<string, CountingRule> = new Map([
  ...DECODERS.split(/\s+/).map(type => [type, countDecoder] as const),
  ...BERTS.split(' ').map(type => [type, countBert] as const),
]);

/** Parameters by kind, from the shapes alone; null for families whose shapes have no rule here. */
export function countParameters(model: ModelFacts): ParameterCounts | null {
  return RULES.get(model.modelType)?.(model) ?? null;
}
