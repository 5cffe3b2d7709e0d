import type { Setting, Silence } from '../../dialects/engine/compose';
import { nodeOf, scalarNode } from './nodes';
import type { Program } from '../../python/program';
import type { BesideCall } from '../../python/callFinder';
import { comparesAnswers } from './ownLoop';
import { words } from '../../dialects/generic/vocabulary';
import { plainName } from '../../dialects/generic/leaves';
import type { ProgramSource } from '../../python/source';
import type { Value } from '../../python/value';

/** Calls of libraries by which a loop of one's own says what a trainer's arguments would. */
interface Telling {
  /** The end of what is called, as written. */
  readonly of: RegExp;
  /** What its arguments are called by most people's configs; positions by number. */
  readonly keys: Readonly<Record<string, string>>;
  /** What the call itself says. */
  readonly says?: readonly [key: string, value: true | 'name' | 'dp'];
  /** It says that also where only the run knows whether it is made: with one GPU, nothing is to be done. */
  readonly perhaps?: true;
  /** Calls with this argument count where some have it. */
  readonly prefers?: string;
  /** The argument that rules out a library's default even where it is not known. */
  readonly names?: string;
  /** Keys of a dictionary that is this argument, with what they are for others; dots lead into sections. */
  readonly within?: { readonly of: RegExp; readonly keys: Readonly<Record<string, string>> };
  /** The argument that switches what the call says on or off: off, or unknown, it says nothing else. */
  readonly switch?: string;
  /** What a project has that takes the result; a result that nothing takes says nothing. */
  readonly isTaken?: RegExp;
  /** They count where those before say nothing: what is cropped has another size before. */
  readonly instead?: boolean;
  /** It may be given two sides, the height first. */
  readonly hasSides?: true;
}

const MODEL = {
  '0': 'model_name_or_path',
  pretrained_model_name_or_path: 'model_name_or_path',
  torch_dtype: 'torch_dtype',
  dtype: 'torch_dtype',
  attn_implementation: 'attn_implementation',
  load_in_4bit: 'load_in_4bit',
  load_in_8bit: 'load_in_8bit',
};

const IMAGE = { '0': 'image_size', size: 'image_size' };

const TELLING: readonly Telling[] = [
  {
    of: /(?:^|\.)(?:Auto\w{0,40}Model\w{0,40}|\w{1,60}(?:For\w{1,40}|LMHeadModel|Model|Pipeline))\.from_pretrained$/,
    keys: MODEL,
  },
  // A function of a library that makes a network by its name (timm's, torchvision's), or is called like it.
  {
    of: /(?:^|timm\.(?:models\.)?)create_model$|(?:^|\.)models\.get_model$/,
    keys: { '0': 'model_name_or_path', model_name: 'model_name_or_path', name: 'model_name_or_path' },
  },
  { of: /(?:^|\.)models\.[a-z]{3,20}\w{0,30}\d\w{0,20}$/, keys: {}, says: ['model_name_or_path', 'name'] },
  {
    of: /(?:^|\.)DataLoader$/,
    keys: { '1': 'batch_size', batch_size: 'batch_size', num_workers: 'num_workers' },
    prefers: 'shuffle',
  },
  // A function of the program's own that makes them.
  {
    of: /(?:^|[._a-z])(?:[Dd]ata_?(?:[Ss]ets?|[Ll]oaders?|[Mm]odule)|[Ll]oaders?)\w{0,20}$/,
    keys: { batch_size: 'batch_size' },
  },
  { of: /(?:^|\.)RandomResizedCrop$/, keys: IMAGE, hasSides: true },
  { of: /(?:^|\.)(?:Random|Center)Crop$/, keys: IMAGE, instead: true, hasSides: true },
  { of: /(?:^|\.)Resize$/, keys: IMAGE, instead: true, hasSides: true },
  {
    of: /(?:^|\.)LoraConfig$/,
    keys: {
      r: 'lora_r',
      lora_alpha: 'lora_alpha',
      lora_dropout: 'lora_dropout',
      target_modules: 'lora_target_modules',
      task_type: 'task_type',
    },
    names: 'target_modules',
    // peft/mapping_func.py, tuners/tuners_utils.py; transformers/integrations/peft.py; trl's trainers.
    isTaken:
      /\b(?:get_peft_model|inject_adapter_in_model|add_adapter|PeftModel\w{0,40}|LoraModel|peft_config)\s{0,4}[(=]/,
  },
  {
    of: /(?:^|\.)BitsAndBytesConfig$/,
    keys: { load_in_4bit: 'load_in_4bit', load_in_8bit: 'load_in_8bit' },
  },
  {
    of: /(?:^|\.)Accelerator$/,
    keys: {
      mixed_precision: 'mixed_precision',
      gradient_accumulation_steps: 'gradient_accumulation_steps',
    },
  },
  // FSDP1's and FSDP2's policies (torch/distributed/fsdp/api.py, _fully_shard/_fsdp_api.py): parameters stay in fp32.
  {
    of: /(?:^|\.)MixedPrecision(?:Policy)?$/,
    keys: { '0': 'mixed_precision', param_dtype: 'mixed_precision' },
  },
  // deepspeed/__init__.py: initialize(…, config, config_params); deepspeed/runtime/constants.py.
  {
    of: /(?:^|\.)deepspeed\.initialize$/,
    keys: {},
    within: {
      of: /^config(?:_params)?$/,
      keys: {
        train_micro_batch_size_per_gpu: 'train_micro_batch_size_per_gpu',
        gradient_accumulation_steps: 'gradient_accumulation_steps',
        'zero_optimization.stage': 'zero_stage',
        'bf16.enabled': 'bf16',
        'fp16.enabled': 'fp16',
      },
    },
  },
  // torch/amp/autocast_mode.py: in fp16 on a GPU, unless a dtype is given.
  {
    of: /(?:^|\.)autocast$/,
    keys: { dtype: 'mixed_precision' },
    says: ['amp', true],
    switch: 'enabled',
  },
  // lightning/pytorch/trainer/trainer.py; transformers' has no such arguments.
  {
    of: /(?:^|\.)(?:pl|L|(?:pytorch_)?lightning(?:\.pytorch)?(?:\.trainer)?)\.Trainer$/,
    keys: {
      precision: 'precision',
      accumulate_grad_batches: 'accumulate_grad_batches',
      devices: 'devices',
      strategy: 'strategy',
    },
  },
  {
    of: /(?:^|\.)(?:(?:Paged|Fused|N|R)?Adam(?:W|ax)?|SGD|(?:Paged)?(?:Adafactor|Lion)|RMSprop|Adagrad|Adadelta|LAMB|LARS|Ranger\w{0,10})(?:8bit|32bit)?$/i,
    keys: { lr: 'learning_rate' },
    says: ['optimizer', 'name'],
  },
  // torch/nn/parallel/data_parallel.py: a batch is divided among the GPUs, all of them unless some are named.
  {
    of: /(?:^|\.)DataParallel$/,
    keys: { '1': 'gpus', device_ids: 'gpus' },
    says: ['strategy', 'dp'],
    perhaps: true,
  },
  { of: /\.gradient_checkpointing_enable$/, keys: {}, says: ['gradient_checkpointing', true] },
  {
    of: /(?:^|[._])tok(?:enizer)?(?:\.(?:encode_plus|encode|__call__))?$/i,
    keys: { max_length: 'max_length' },
  },
];

/** Data that is not trained on. */
const OF_EVALUATION =
  /(?:^|[._])(?:va?l(?:id\w*)?|dev|test|eval\w*)(?:_|(?:data)?_?(?:loader|iter|dl)(?:_|$)|$)/i;

const isOfEvaluation = ({ first, boundTo }: BesideCall): boolean =>
  OF_EVALUATION.test(first) || OF_EVALUATION.test(boundTo ?? '');

/**
 * What the calls of a program without a trainer say; calls that differ, or that are not certain, say nothing. `others`:
 * other files of its project; `isLibrary`: nothing starts its loop, and `batch_size = 1` is one of its cases.
 */
export function factsOf(
  program: Program,
  source: ProgramSource,
  others: readonly string[] = [],
  isLibrary = false,
): readonly Setting[] {
  const texts = [source.text, ...others];
  const calls = [
    ...program.besides(name => LAST.test(name)).filter(isBefore(program)),
    ...program.elsewhere(name => LAST.test(name)),
  ];
  const found: Setting[] = [];
  for (const telling of TELLING) {
    const own = calls
      .filter(call => call.isReached !== false && tellingOf(call.name) === telling)
      .filter(call => !isOfEvaluation(call))
      .filter(call => telling.isTaken === undefined || isTaken(call, telling.isTaken, texts));
    const stated = preferred(own, telling)
      .flatMap(call => settingsOf(call, telling, { program, source }))
      // Of a language model's adapters; what they learn from is the loop's.
      .filter(({ path }) => path[0] !== 'task_type' || !comparesAnswers(texts));
    const isSaid = (key: string): boolean => found.some(({ path }) => path[0] === key);
    found.push(...stated.filter(({ path }) => telling.instead !== true || !isSaid(String(path[0]))));
  }
  const told = agreed(found);
  const isTold = (key: string): boolean => found.some(({ path }) => path[0] === key);
  const named = isLibrary ? [] : agreed(namedIn(program, source));
  return [...told, ...named.filter(({ path }) => !isTold(String(path[0])))];
}

/** True if the result of a call goes on: its name is used again, in a project that has anything that takes it. */
const isTaken = ({ boundTo }: BesideCall, by: RegExp, texts: readonly string[]): boolean =>
  texts.some(text => by.test(text)) && (boundTo === null || texts.some(text => isUsed(boundTo, text)));

const ASSIGNED = /^\s{0,4}(?::[^=\n]{0,60})?=(?!=)/;

/** A name that stands elsewhere than before `=`, or in front of a keyword's. */
function isUsed(name: string, text: string): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1);
  for (let at = text.indexOf(last); at >= 0; at = text.indexOf(last, at + last.length)) {
    const isWhole = !/\w/.test(text[at - 1] ?? '') && !/\w/.test(text[at + last.length] ?? '');
    const isAssigned = ASSIGNED.test(text.slice(at + last.length, at + last.length + 80));
    if (isWhole && !isAssigned) return true;
  }
  return false;
}

/** False for what a notebook loads after it has trained. */
function isBefore(program: Program): (call: BesideCall) => boolean {
  const gradients = program.besides(name => name === 'backward');
  const end = Math.max(
    ...gradients.map(({ nameSpan, inFunction }) => (inFunction ? Infinity : nameSpan.end)),
  );
  return ({ nameSpan, inFunction }) => inFunction || gradients.length === 0 || nameSpan.start < end;
}

/** The first that fits: a loader of one's own is none of torch's. */
const tellingOf = (text: string): Telling | undefined => TELLING.find(({ of }) => of.test(text));

const agreed = (found: readonly Setting[]): readonly Setting[] =>
  found.filter(({ path, value }) =>
    found.every(other => other.path[0] !== path[0] || sameNode(other.value, value)),
  );

const preferred = (calls: readonly BesideCall[], { prefers }: Telling): readonly BesideCall[] => {
  const some = calls.filter(({ args }) =>
    args.some(({ name, value }) => name === prefers && value.kind === 'scalar' && value.value === true),
  );
  return prefers !== undefined && some.length > 0 ? some : calls;
};

/** Names of what no call takes, and the keys that they stand for: `ACCUMULATION_STEPS = 8`. */
const NAMED: readonly [names: RegExp, key: string, most: number][] = [
  [words.accumulation, 'gradient_accumulation_steps', 4096],
  [words.batch, 'batch_size', 65_536],
  [words.image, 'image_size', 8192],
  [words.length, 'max_seq_length', 1_048_576],
];

/** What a program assigns to names that have one meaning in most configs. */
const namedIn = (program: Program, source: ProgramSource): readonly Setting[] => {
  const entryOf = (name: string): (typeof NAMED)[number] | undefined =>
    NAMED.find(([names]) => names.test(plainName(name)) && !words.noAccumulation.test(plainName(name)));
  return program
    .assigned(name => entryOf(name) !== undefined)
    .flatMap(({ name, value }) => {
      const [, key = '', most = 0] = entryOf(name) ?? [];
      const count = value.kind === 'scalar' ? Number(value.value) : Number.NaN;
      const keySpan = source.inFile(value.span);
      return Number.isInteger(count) && count > 0 && count <= most
        ? [{ path: [key], keySpan, value: nodeOf(value, source), from: [name] }]
        : [];
    });
};

const LAST =
  /^(?:from_pretrained|create_model|get_model|[a-z]{3,20}\w{0,30}\d\w{0,20}|\w{0,40}(?:DataLoader|data_?sets?|data_?loaders?|data_?module|loaders?)\w{0,20}|RandomResizedCrop|RandomCrop|CenterCrop|Resize|LoraConfig|BitsAndBytesConfig|Accelerator|initialize|MixedPrecision|MixedPrecisionPolicy|autocast|Trainer|DataParallel|\w{0,40}(?:Adam|SGD|Adafactor|Lion|RMSprop|Adagrad|Adadelta|LAMB|LARS|Ranger)\w{0,40}|gradient_checkpointing_enable|\w{0,40}tok(?:enizer)?|encode|encode_plus)$/i;

/** A program, and the text that it was read from. */
interface Read {
  readonly program: Program;
  readonly source: ProgramSource;
}

function settingsOf(call: BesideCall, telling: Telling, { program, source }: Read): readonly Setting[] {
  const { keys, says, perhaps, names, within, switch: by } = telling;
  const keySpan = source.inFile(call.nameSpan);
  if (within) return settingsWithin(call, within, { program, source });
  const sides = telling.hasSides && sidesOf(call);
  if (sides) return [{ path: ['image_size'], keySpan, value: nodeOf(sides, source), from: ['size'] }];
  const isOn = call.args.find(({ name }) => name !== null && name === by)?.value;
  if (isOn && !(isOn.kind === 'scalar' && isOn.value === true)) return [];
  const stated = call.args.flatMap(({ name, position, value }) => {
    const key = keys[name ?? String(position)];
    return key !== undefined && (isKnown(value) || name === names)
      ? [{ path: [key], keySpan, value: nodeOf(value, source), from: [key] }]
      : [];
  });
  if (!says || (call.isReached !== true && perhaps !== true)) return stated;
  const [key, what] = says;
  const value = what === 'name' ? (call.name.split('.').at(-1) ?? '') : what;
  return [...stated, { path: [key], keySpan, value: scalarNode(value, call.name, keySpan), from: [key] }];
}

/** What the keys of a dictionary say that is an argument. */
function settingsWithin(
  call: BesideCall,
  within: NonNullable<Telling['within']>,
  { program, source }: Read,
): readonly Setting[] {
  const keySpan = source.inFile(call.nameSpan);
  const stated = call.args.find(({ name }) => name !== null && within.of.test(name))?.value;
  const given = stated && (program.loaded(stated) ?? stated);
  return Object.entries(within.keys).flatMap(([path, key]) => {
    const value = given && partAt(given, path.split('.'));
    return value && isKnown(value)
      ? [{ path: [key], keySpan, value: nodeOf(value, source), from: [key] }]
      : [];
  });
}

/** Smaller numbers are the second argument of torchvision's steps: an interpolation, a padding. */
const SMALLEST_SIDE = 16;

/**
 * Both sides, the width first as configs have them: of `Resize(256, 512)`, `Resize(height=256, width=512)` as
 * Albumentations takes them, and of `Resize((256, 512))`. Null: one side, or none that is known.
 */
function sidesOf({ args, nameSpan: span }: BesideCall): Value | null {
  const of = (side: string, at: number): Value | undefined =>
    args.find(({ name, position }) => name === side || (name === null && position === at))?.value;
  const size = of('size', 0);
  const sides = size?.kind === 'items' ? size.items : [of('height', 0), of('width', 1)];
  const [height, width] = sides.filter(
    (one): one is Value => one?.kind === 'scalar' && Number(one.value) >= SMALLEST_SIDE,
  );
  return sides.length === 2 && height && width ? { kind: 'items', span, items: [width, height] } : null;
}

/** A value within dictionaries. */
const partAt = (value: Value, [key, ...rest]: readonly string[]): Value | undefined => {
  if (key === undefined) return value;
  const inner = value.kind === 'fields' ? value.fields.findLast(one => one.key === key)?.value : undefined;
  return inner && partAt(inner, rest);
};

const isKnown = (value: Value): boolean =>
  (value.kind === 'scalar' && value.value !== null) ||
  (value.kind === 'name' && value.name.startsWith('torch.')) ||
  (value.kind === 'items' && value.items.every(isKnown));

const sameNode = (a: Setting['value'], b: Setting['value']): boolean =>
  a.kind === 'scalar' && b.kind === 'scalar' ? a.value === b.value : a.kind === b.kind;

/** Words for what changes how a program trains, and the keys that would explain each. */
const CHANGES: readonly (readonly [topic: keyof Silence, words: RegExp, keys: RegExp | null])[] = [
  ['adapters', /peft|lora|adapter/i, /^lora_r$|^(?:use_|enable_)?lora$/],
  ['adapters', /bitsandbytes|quantiz|load_in_|gptq|awq/i, /^load_in_\dbit$/],
  [
    'adapters',
    /requires_grad(?:_\(|\s*=)\s*False|freez|(?:prompt|prefix)_?tuning|prefix_(?:encoder|projection)|pre_seq_len|galore|lisa|badam/i,
    null,
  ],
  ['sharding', /fsdp|deepspeed|FullyShard|fully_shard|zero_stage|tensor_parallel|ZeroRedundancy/i, null],
  [
    'checkpointing',
    // peft's preparation of quantized models checkpoints them (utils/other.py).
    /grad\w*_?checkpointing|activation_?checkpoint|torch\.utils\.checkpoint|prepare_model_for_\w{1,9}_training/i,
    /checkpointing/,
  ],
  [
    'precision',
    // What is loaded may be in another dtype: transformers 5 takes that of the checkpoint.
    /autocast|\bamp\b|GradScaler|\.half\(|\.double\(|b?float(?:16|64)|\b(?:bf|fp)16\b|mixed.?precision|\bprecision["']?\s{0,4}[=:]\s{0,4}["'\d]|\bapex\b|accelerat(?:e\b|or\()|fabric|lightning|deepspeed|fsdp|set_default_|(?<!(?:tokenizer|processor|extractor|config)(?:fast)?)\.from_pretrained|torch_dtype|\b(?:tensorflow|keras|jax|flax|paddle|mxnet)\b/i,
    null,
  ],
  ['accumulation', /accumul|grad\w{0,6}_?acc|deepspeed/i, /accumul|grad\w{0,6}_?acc/],
];

/** Numbers of processes by which programs divide, and the steps of a batch. */
const BY_PROCESSES = /(?:world_?size|num_?processes)$/i;
const BY_GPUS = /(?:n_?gpus?|num_?(?:gpus|devices)\w{0,20}|device_count|accum\w{0,20})$/i;
const DIVIDED = /\b(\w{0,40}(?:batch_?size|accum)\w{0,40})\s{0,8}\/\/?=?\s{0,8}\(?\s{0,8}([\w.]{1,60})/gi;

/** Options that a program divides before it uses them, by their names; `isLaunched`: it may run as several processes. */
export function dividedIn(texts: readonly string[], isLaunched: boolean): readonly string[] {
  const code = texts.join('\n').replaceAll(/#[^\n]*/g, '');
  const names = [...code.matchAll(DIVIDED)]
    .filter(([, , by = '']) => BY_GPUS.test(by) || (isLaunched && BY_PROCESSES.test(by)))
    .map(([, name = '']) => plainName(name));
  return /\bmicro_?batch(?:es|_idx|_index)\b/i.test(code) ? [...names, 'batch_size'] : names;
}

/**
 * Of what nothing in a program's texts changes how it trains, besides what its options and calls say, or the text of the
 * config that it reads.
 */
export function silenceOf(texts: readonly string[], settings: readonly Setting[], config = ''): Silence {
  const code = texts.join('\n').replaceAll(/#[^\n]*/g, '');
  const isSilent = (topic: keyof Silence): boolean =>
    CHANGES.every(
      ([of, words, keys]) =>
        of !== topic ||
        !words.test(code) ||
        words.test(config) ||
        (keys !== null && settings.some(({ path }) => keys.test(String(path[0])))),
    );
  return {
    adapters: isSilent('adapters'),
    sharding: isSilent('sharding'),
    checkpointing: isSilent('checkpointing'),
    accumulation: isSilent('accumulation'),
    // Torch computes in fp32 where nothing says otherwise: the loop has to be there.
    precision: code.includes('.backward(') && isSilent('precision'),
  };
}
