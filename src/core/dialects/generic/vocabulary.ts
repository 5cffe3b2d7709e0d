/**
 * Words that custom configs use for quantities, from 10,670 files of 124 public repositories
 * (`shared/dialects/GENERIC.md`). Names are in lower case with underscores; patterns match whole names.
 */
const names = (...patterns: readonly string[]): RegExp => new RegExp(`^(?:${patterns.join('|')})$`);

/** Sections that are not about training, or not about the trained model. */
export const ELSEWHERE = {
  evaluation:
    /^(?:va?l(?:id(?:ation)?)?|dev|eval(?:uat(?:ion|or))?|test(?:ing)?|predict(?:ion)?|infer(?:ence)?|sampl(?:e|er|ing)|benchmark|export|perplexity|knn|linear_eval|generat(?:e|ion|or_args)|serv(?:e|er|ing)|deploy(?:ment)?|decod(?:e|ing)|rollout)(?:_\w+)?$/,
  /** Batches of table rows, not of samples on a GPU. */
  transfer:
    /^(?:import(?:er)?|ingest(?:ion)?|index(?:er|ing)?|etl|db|database|writer|sink|source|kafka|producer|consumer|queue|processor|elasticsearch|qdrant|bulk|upload|sync|crawler|tokeni[sz]e|map|preprocess(?:ing|or)?|logg(?:er|ing)|wandb|mlflow|monitor(?:ing)?|api|cache|storage|retriev(?:al|er))$/,
  otherModel:
    /^(?:teacher|reward\w*|ref(?:erence)?(?:_model)?|judge|critic|draft|assistant|tokeni[sz]er|vae|discriminator|augment\w*|embedd?ings?|rerank\w*|llm|openai|schedulers?|loss|metrics?|callbacks?|ema|(?:first|cond)_stage\w*|(?=\w*offload)\w+)$/,
} as const;

/** Names of the samples per GPU. */
export const BATCH_OF_DEVICE = names(
  'per_(?:device|gpu|card|rank|replica)(?:_train(?:ing)?)?_batch(?:_?size)?',
  '(?:train_)?batch_?size_per_(?:gpu|device|card|rank|replica)',
  '(?:train_)?micro_?batch_?size(?:_per_(?:gpu|device))?',
  'local_batch_?size',
  'device_batch_?size',
  '(?:samples|imgs|images)_per_(?:gpu|device)',
  'mbs',
  'micro_bsz',
);

/** Names of the samples over all GPUs. */
export const BATCH_OF_ALL = names('(?:global|total|effective)(?:_train)?_batch_?size', 'gbs', 'global_bsz');

/** Names that do not tell whose samples. */
export const BATCH = names('(?:train(?:ing)?_)?batch_?size(?:_train)?', '(?:train_)?(?:bs|bsz)');

export const BATCH_OF_EVALUATION = names(
  '(?:per_(?:device|gpu)_)?(?:val|valid|validation|eval|dev|test)_batch_?size(?:_per_(?:gpu|device))?',
  'batch_?size_(?:val|valid|validation|eval|test)',
  'device_eval_(?:micro)?batch_?size',
);

export const ACCUMULATION = names(
  String.raw`(?:grad(?:ient)?s?_?)?acc(?:um)?(?:ulat\w*)?(?:_(?:grad\w*|steps?|batches|iters?|count|factor|every))*`,
  'update_freq(?:uency)?',
  'num_micro_?batches',
);

/** Keys about it, however they are spelled. */
export const ABOUT_ACCUMULATION = /^grad\w*_(?:acc|step)|accum/;

/** Names that look like accumulation but are not. */
export const NO_ACCUMULATION = /fp32|dtype|init|accuracy|^acc$|^accumulator/;

/** Names of lengths in tokens, the clearest first. */
export const LENGTHS = [
  names('max_seq(?:uence)?_len(?:gth)?', 'seq(?:uence)?_len(?:gth)?', 'cutoff_len', 'context_len(?:gth)?'),
  names('max_len(?:gth)?', 'model_max_length', 'max_source_length', 'block_size'),
] as const;

/** The same over all GPUs. */
export const BATCH_OF_ALL_EVALUATION = names('(?:eval_global|global_eval|val_global|global_val)_batch_?size');

export const IMAGE = names(
  '(?:image|img|input|crop|train|train_?crop)_?(?:size|res)',
  'imgsz',
  'resolution',
  '(?:image|img)_resolution',
);
/** A bare `size` is that of images where data are described. */
export const SIZE_OF_DATA = names('size');
export const DATA_SECTION = names('data', 'data_?module', 'data_?sets?', 'transforms?', 'images?');

/** Names of the model, the clearest first; a plain `model` and names in a section `model` come last. */
export const MODELS = [
  names(
    '(?:base_|pretrained_)?model_name_or_path',
    'pretrained_model_name_or_path',
    'base_model(?:_name|_id|_path)?',
    'hf_model(?:_id|_name|_path|_ckpt|_checkpoint)?',
    'model_(?:name|id|path|ckpt|checkpoint|dir)',
    'base_(?:ckpt|checkpoint)(?:_path)?',
    'pretrained_model(?:_name|_path)?',
  ),
  names('backbone(?:_name)?', 'encoder_name', 'arch(?:itecture)?'),
] as const;

/** Names of a checkpoint on the Hub, beside the name that the trained one gets. */
export const HUB_NAME = names('hf_checkpoint(?:_name|_id)?', '(?:hub|hf)_(?:model|checkpoint)_(?:name|id)');
/** What a section has for a model that a provider runs. */
export const OF_PROVIDER = names('api_key(?:_\\w+)?', 'api_base', 'openai_\\w+');

/** A key that names the class of a model, or its function, in the project's own code or a library's. */
export const CLASS_IN_SECTION = names('_?target_?', 'class_path', 'class_name', 'module', 'cls', 'class');

/** In Lightning's words. */
export const ACCELERATOR = names('accelerator');
export const IS_ACCELERATOR = /^(?:gpu|cuda|cpu|tpu|mps|hpu|auto)$/;

/** What runs are shared by, in Lightning's words. */
export const STRATEGY = names('strategy');
export const IS_STRATEGY = /^(?:ddp|fsdp|deepspeed|dp$)/;

export const MODEL_SECTION = names('(?:base_)?model', 'network', 'net', 'backbone', 'encoder');
export const NAME_IN_SECTION = names(
  '(?:model_)?name',
  'base',
  'path',
  'id',
  'name_or_path',
  'type',
  'pretrained',
);

/** Sizes that describe a custom model. */
export const DIMENSIONS = names(
  'd_?model',
  'n_?heads?',
  'num_(?:attention_)?heads',
  'n_?layers?',
  'num_(?:hidden_)?layers',
  'hidden_(?:size|dim)',
  'embed(?:ding)?_dim',
  'dim_feedforward',
  'intermediate_size',
  'mlp_ratio',
  'depths?',
  'in_channels',
  'vocab_size',
  'num_blocks',
  'dim',
);

export const LEARNING_RATE = names(
  'lr',
  'lr_?0',
  'learning_?rate',
  '(?:base|max|init|initial|start|peak)_?(?:lr|learning_rate)',
  'lr_(?:init|base|start)',
);
export const DURATION = names(
  '(?:num_?|n_?|nb_?|max_|total_)?(?:train_|training_)?epochs?(?:_num)?',
  '(?:max_|num_|n_|total_)?(?:train_|training_)?(?:steps|iters?|iterations?)',
);

export const OPTIMIZER = names('optim(?:i[sz]er)?(?:_type|_name)?');
export const OPTIMIZER_IN_SECTION = names('name', 'type', '_target_', 'cls', 'class');
/** Names of optimizers: databases and bundlers have an `optimizer`, too. */
export const IS_OPTIMIZER =
  /(?:adam|sgd|lion|adafactor|rmsprop|lamb|lars|muon|adagrad|sophia|shampoo|prodigy|lomo|galore)/i;

export const BF16 = names('(?:use_)?bf16', '(?:use_)?bfloat16');
export const FP16 = names('(?:use_)?fp16', '(?:use_)?float16');
export const PRECISION = names(
  'precision',
  'mixed_precision',
  'amp_dtype',
  'autocast_dtype',
  'compute_dtype',
);
export const AMP = names(
  '(?:use_|enable_)?amp',
  'mixed_precision',
  '(?:use_)?mixed_precision(?:_training)?',
  'autocast',
);
export const DTYPE = names('(?:torch_|model_|weight_|load_|param_)?d_?type');

export const CHECKPOINTING = names(
  '(?:use_)?grad(?:ient)?_checkpoint(?:ing)?',
  '(?:use_)?activation_checkpoint(?:ing)?',
  'checkpoint_activations',
);

/** Keys about it, also of a part of the model: `gradient_checkpointing_encoder`. */
export const ABOUT_CHECKPOINTING =
  /grad(?:ient)?_?checkpoint|activation_?checkpoint|checkpoint_activ|recompute/;

export const RANK = names('lora_(?:r|rank|dim)');
export const RANK_IN_SECTION = names('r', 'rank', 'lora_(?:r|rank|dim)');
export const LORA_SECTION =
  /^(?:q?lora|peft|dora|adapters?)(?:_(?:config|args|params|parameters|settings))?$/;
/** Settings of adapters beside the rank, whose names say so wherever they stand. */
export const OF_ADAPTERS = names('lora_(?:alpha|dropout|target_modules|targets?)');
export const ALPHA = names('(?:lora_)?alpha');
export const DROPOUT = names('(?:lora_)?dropout');
export const TARGETS = names('(?:lora_)?target_modules', '(?:lora_)?targets?');
/** `use_qlora: false` only says that the base is not quantized. */
export const NO_ADAPTERS = names('(?:use_|enable_)?(?:lora|peft|adapters?)(?:_enabled?)?', 'enabled?');
export const FROZEN = /freez|frozen|linear_prob|train_only|trainable/;

export const FOUR_BITS = names('(?:use_|load_in_|load_)?4_?bit');
export const EIGHT_BITS = names('(?:use_|load_in_|load_)?8_?bit');
export const BITS = names('bits', 'quantization_bits?', 'n_?bits', 'load_in_bits');
/** Mentions of quantization that are not understood here. */
export const QUANTIZED = /quanti[sz]|quant_|^bits?$|bnb_|bitsandbytes|gptq|awq|load_in_/;
export const QUANTIZATION_SECTION = /^(?:quanti[sz]ation|quant|bnb|bitsandbytes)(?:_config)?$/;

export const DEVICE_COUNT = names(
  'devices',
  'n(?:um)?_?gpus?',
  'gpus',
  'gpus_per_node',
  'nproc(?:_per_node)?',
  'num_processes',
  'world_size',
  'num_devices',
);
export const DEVICE_INDEX = names('device(?:_ids?)?', 'gpu(?:_ids?)?', 'cuda_visible_devices', 'cuda_device');
export const NODES = names('num_nodes', 'n_?nodes', 'nodes');
export const WORKERS = names('(?:dataloader_|data_loader_)?num_workers', 'workers', 'n_workers');
export const ATTENTION = names('attn_implementation', 'attention_implementation');
export const FLASH = names('(?:use_)?flash_?att(?:entio)?n(?:_2)?');
export const COMPILE = names('(?:torch_|use_)?compile', 'use_torch_compile', 'compile_model');
export const PACKING = names('(?:use_)?packing', 'pack_sequences');
export const TASK = names('task_type');
/** Keys that name how a language model is trained, and the words that say nothing else. */
export const METHOD = names(
  '(?:train(?:ing|er)?_|rl_|alignment_|fine_?tun(?:e|ing)_)?(?:method|algo(?:rithm)?|objective)',
  '(?:training_)?stage',
  'train(?:er|ing)_type',
);
export const METHODS = /^(?:sft|dpo|orpo|kto|simpo|cpo)$/i;
/** Sections that are called after a trainer. */
export const TRAINERS = names('sft', 'dpo', 'orpo', 'kto', 'cpo', 'simpo', 'grpo', 'rloo', 'ppo');

/** `fsdp_train: false` switches off what other keys are about. */
export const NO_SHARDING = names('(?:use_|enable_)?(?:fsdp|deepspeed|zero)(?:_train(?:ing)?|_enabled?)?');
/** Signs of sharding or offloading: defaults must not be assumed. */
export const SHARDING =
  /^(?!vllm|sglang|rollout).*(?:deepspeed|fsdp|zero_(?:stage|optimization)|tensor_parallel|pipeline_parallel|offload|sharding)/;

/** Models of providers, which run elsewhere. */
export const SERVED_ELSEWHERE =
  /^(?:gpt-|o[134](?:-|$)|claude|gemini|text-embedding|openai\/|anthropic\/|azure|bedrock|vertex|command-r|mistral-(?:large|small|medium)-latest|deepseek-(?:chat|reasoner)$)/i;

/** Root keys that only other programs' files have, in sets that must occur together. */
export const VETOES: readonly (readonly string[])[] = [
  ['apiVersion'],
  ['openapi'],
  ['swagger'],
  ['on', 'jobs'],
  ['spring'],
  ['receivers', 'exporters'],
  ['services'],
  ['$schema'],
  ['dependencies', 'channels'],
  ['hosts', 'tasks'],
  ['homeassistant'],
  ['automation'],
  ['repos'],
  ['site_name'],
  ['names', 'nc'],
  ['stages', 'script'],
  ['image', 'script'],
  // A hyperparameter search is not a run.
  ['parameters', 'method'],
  ['parameters', 'metric'],
  ['program', 'parameters'],
  ['experimentalDesign'],
  ['_target_'],
  ['defaults'],
];

/** Keys at any depth that show that a file is about something else. */
export const VETOES_ANYWHERE = /^(?:ros__parameters|blueprint|platform|helm|kubernetes)$/;

/** A section lies on another one. */
export const EXTENDS = names('_base_', 'extends', 'inherits?(?:_from)?');

/** Keys of a base file, which may state what this file does not. */
export const BASES = names(
  '_?base_?(?:config|_)?',
  '_base_',
  'inherits?(?:_from)?',
  'extends',
  '_?_?includes?_?_?',
  'parent(?:_config)?',
);

/** Keys that name how a program learns. */
export const ALGORITHM = names(
  '(?:rl_|ssl_|training_|train_)?(?:algorithm|algo|method|objective|stage|task|task_name|mode)',
  '(?:train_)?(?:loss|criterion)(?:_type|_name|_fn|_func|_function|_class)?',
  'trainer(?:_type|_name)?',
  'adv_estimator',
);
/** Passages of a query, the one that matches included. */
export const GROUP = names('train_group_size', 'train_n_passages');
export const NEGATIVES = names(
  '(?:num|n|nb)_?(?:hard_?|random_?|in_batch_)?neg(?:ative)?s?(?:_samples?|_per_\\w+)?',
  '(?:hard_)?neg(?:ative)?s?_(?:num|count|size|per_\\w+)',
);
/** Methods whose samples are several texts or images that are compared. */
export const COMPARES =
  /(?:^|[^a-z])(?:contrastive|info_?nce|(?:multiple_?)?negatives_?ranking|(?:multiple_?)?negatives|triplet|simcse|in_?batch)|(?:ranking|contrastive|triplet|info_?nce)_?loss/i;
export const VIEWS = names('(?:num|n|nb)_?(?:views|augs|augmentations|augmented_views)', 'n_?augs?');
/** Self-supervised methods, which encode each image more than once. */
export const VIEWED =
  /(?:^|[^a-z])(?:sim_?clr|mo_?co|byol|dino|swav|barlow_?twins?|vic_?reg|sim_?siam|i_?bot|nnclr|nt_?xent)(?:[^a-z]|$)/i;
/** Crops of two sizes: their number alone does not tell how many pixels. */
export const CROPS = names('(?:num_|n_)?(?:local|small)_crops?(?:_(?:number|num|count))?', 'nmb_crops');
export const FRAMES = names(
  '(?:num|n|nb|max)_?(?:video_)?frames(?:_per_(?:clip|video|sample))?',
  'frames_per_(?:clip|video|sample)',
  'clip_(?:len(?:gth)?|frames|size)',
  '(?:num|n)_?clips',
);
export const DATA_NAME = names(
  '(?:train_)?data_?set(?:_name|_type|_class)?',
  'data_(?:name|type)',
  'task(?:_name)?',
  'modality',
);
/** Data sets of videos, and the word itself. */
export const CLIP_DATA =
  /(?:^|[^a-z])(?:videos?|kinetics\d*|ucf_?101|hmdb_?51|ssv2|something_?something|epic_?kitchens|msr_?vtt|webvid)(?:[^a-z]|$)/i;
/** Methods that train on several answers to a prompt. */
export const GENERATES =
  /(?:^|[^a-z])(?:dr_?grpo|grpo|gspo|dapo|rloo|reinforce(?:_?pp|\+\+)?|remax)(?:[^a-z]|$)/i;
export const GENERATIONS = names(
  '(?:num|n)_?(?:generations|completions|rollouts|responses)(?:_per_\\w+)?',
  'rollout_n',
);
