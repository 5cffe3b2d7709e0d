import { outerType } from '../../models/languageModel';
import type { ModelFacts } from '../../models/model';
import { BUFFERS, NORM } from './outline';

/** Module names of a decoder or an encoder: the model without its head, the list of layers, and others. */
interface StackNames {
  readonly body: string;
  readonly layers: string;
  /** Different names of the tape's pieces; '': no such module. */
  readonly called?: Readonly<Record<string, string>>;
}

/**
 * Module names of a vision tower: its list of layers, the patch embedding, and the projection to the language
 * model.
 */
interface VisionNames {
  readonly layers: string;
  readonly patches: string;
  readonly projector: string;
}

/** Module names in a family, from the root. */
export interface ModuleNames extends StackNames {
  /** The vision tower in front of the language model. */
  readonly vision?: VisionNames;
  /** A decoder's list of layers and its body, if there is also an encoder. */
  readonly decoder?: Pick<StackNames, 'body' | 'layers'>;
}

const USUAL: ModuleNames = { body: 'model', layers: 'layers' };

const NO_BUFFERS = { [BUFFERS]: '' };

const transformer = (tables: Readonly<Record<string, string>>): ModuleNames => ({
  body: 'transformer',
  layers: 'h',
  called: { [NORM]: 'ln_f', ...tables },
});

const encoder = (body: string): ModuleNames => ({ body, layers: 'encoder.layer', called: NO_BUFFERS });

const GPT2 = transformer({ ...NO_BUFFERS, embed_tokens: 'wte', position_embeddings: 'wpe' });

const seeing = (vision: VisionNames, body = 'model.language_model'): ModuleNames => ({
  body,
  layers: 'layers',
  vision,
});

const tower = (layers: string, patches: string): ModuleNames =>
  seeing({
    layers: `model.vision_tower.${layers}`,
    patches: `model.vision_tower.${patches}`,
    projector: 'model.multi_modal_projector',
  });

const CLIP = tower('encoder.layers', 'embeddings');

const IDEFICS = seeing(
  {
    layers: 'model.vision_model.encoder.layers',
    patches: 'model.vision_model.embeddings',
    projector: 'model.connector',
  },
  'model.text_model',
);

const QWEN = seeing({
  layers: 'model.visual.blocks',
  patches: 'model.visual.patch_embed',
  projector: 'model.visual.merger',
});

const T5: ModuleNames = {
  body: 'encoder',
  layers: 'block',
  decoder: { body: 'decoder', layers: 'block' },
  called: { [NORM]: 'final_layer_norm', ...NO_BUFFERS },
};

const bart = (norm: string): ModuleNames => ({
  body: 'model.encoder',
  layers: 'layers',
  decoder: { body: 'model.decoder', layers: 'layers' },
  called: { [NORM]: norm, ...NO_BUFFERS },
});

/**
 * From the modeling files of transformers 5.23; `test/fixtures/memory/moduleNames.json` is generated from its
 * models.
 */
const NAMES: Readonly<Record<string, ModuleNames>> = {
  gpt2: GPT2,
  gpt_bigcode: GPT2,
  falcon: transformer({ embed_tokens: 'word_embeddings' }),
  bloom: transformer({ ...NO_BUFFERS, embed_tokens: 'word_embeddings' }),
  gpt_neox: {
    body: 'gpt_neox',
    layers: 'layers',
    called: { embed_tokens: 'embed_in', [NORM]: 'final_layer_norm' },
  },
  opt: {
    body: 'model.decoder',
    layers: 'layers',
    called: { [NORM]: 'final_layer_norm', ...NO_BUFFERS },
  },
  phi: { ...USUAL, called: { [NORM]: 'final_layernorm' } },
  lfm2: { ...USUAL, called: { [NORM]: 'embedding_norm' } },
  bert: encoder('bert'),
  roberta: encoder('roberta'),
  'xlm-roberta': encoder('roberta'),
  camembert: encoder('roberta'),
  electra: encoder('electra'),
  t5: T5,
  mt5: T5,
  umt5: T5,
  bart: bart('layernorm_embedding'),
  mbart: bart('layer_norm'),
  m2m_100: bart('layer_norm'),
  marian: bart(''),
  pegasus: bart('layer_norm'),
  // The tower's second part counts as part of the projection to the language model.
  mllama: seeing({
    layers: 'model.vision_model.transformer.layers',
    patches: 'model.vision_model.patch_embedding',
    projector: 'model.vision_model.global_transformer',
  }),
  llava: CLIP,
  llava_next: CLIP,
  paligemma: CLIP,
  gemma3: CLIP,
  mistral3: tower('transformer.layers', 'patch_conv'),
  internvl: tower('encoder.layer', 'embeddings'),
  idefics3: IDEFICS,
  smolvlm: IDEFICS,
  qwen2_vl: QWEN,
  qwen2_5_vl: QWEN,
  qwen3_vl: QWEN,
  qwen3_5: QWEN,
};

/** The module names of a model. */
export const moduleNames = (model: Pick<ModelFacts, 'modelType' | 'extra'>): ModuleNames =>
  NAMES[outerType(model)] ?? USUAL;
