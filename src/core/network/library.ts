import { instantiated } from './instantiate';
import { builtIns, mathCall } from './builtIns';
import { patterned } from './einops';
import { pathCall, pathOf } from './files';
import { functions } from './functional';
import { layerOf, layers } from './layers';
import type { Machine } from './machine';
import { parametersOf } from './modules';
import { argumentParser } from './options';
import { sequenceLayers } from './sequences';
import { tensorIn } from './torchFunction';
import {
  Dictionary,
  Instance,
  isTensor,
  Klass,
  Named,
  Native,
  raise,
  Reader,
  UNKNOWN,
  wordOf,
} from './values';
import type { Args, Value } from './values';

const NUMBERS = /^(?:math|numpy|np)\./;
/** Functions that return what they are given. */
const WRAPPERS =
  /(?:^|\.)(?:spectral_norm|weight_norm|checkpoint_wrapper|compile|script|copy|to_2tuple_|DataParallel)$/;
/** Functions whose first argument is called with the others: activation checkpoints. */
const CHECKPOINT = /(?:^|\.)checkpoint(?:\.checkpoint)?$/;
/** Models of a library, by the name that is given. */
const LIBRARY_MODEL =
  /(?:^|\.)(?:create_model|from_pretrained|get_model|(?:resnet|resnext|vgg|densenet|efficientnet|convnext|swin|vit|mobilenet|regnet|inception|wide_resnet)\w*|hub\.load)$/;

/** Optimizers of torch and others, which are given parameters, or groups of them. */
const OPTIMIZER =
  /(?:^|\.)(?:optim(?:izers?)?\.\w{1,40}|\w{0,20}(?:Adam|SGD|RMSprop|Adagrad|Adadelta|Lion|LAMB|LARS)\w{0,20})$/i;

/** Functions that load the config. */
const LOADERS =
  /^(?:yaml\.(?:safe_load|load|full_load|unsafe_load)|(?:json5?|commentjson|pyjson5|hjson)\.loads?|toml\.load|tomllib\.load|tomli\.load|(?:omegaconf\.)?OmegaConf\.(?:load|merge)|load_hyperpyyaml)$/;
const PARSER = /(?:^|\.)ArgumentParser$/;
/** Wrappers of a config. */
const SAME =
  /(?:^|\.)(?:OmegaConf\.(?:create|to_container|to_object|structured)|EasyDict|edict|Munch|munchify|DotMap|Box|DotDict|AttrDict|Namespace|SimpleNamespace|DictConfig|ConfigDict)$/;

/** What programs do with a config before they train. */
function startUp(machine: Machine, path: string, args: Args): Value | undefined {
  const [first = null] = args.list;
  if (LOADERS.test(path)) return machine.config === UNKNOWN ? opened(machine, first) : machine.config;
  const location = pathCall(path, args);
  if (location !== undefined) return location;
  if (machine.options !== null && PARSER.test(path)) return argumentParser(machine.options);
  if (SAME.test(path)) {
    return args.named.size > 0 && first === null ? new Dictionary(new Map(args.named)) : first;
  }
  if (path === 'importlib.import_module' && typeof first === 'string') {
    return machine.imported(first, null, '') ?? new Named(first);
  }
  if (/(?:^|\.)instantiate$/.test(path)) return instantiated(machine, first, args.named);
  return /(?:^|\.)LightningCLI$/.test(path) ? commandLine(machine, args) : undefined;
}

/** A program without a config of its own reads the file that it names. */
function opened(machine: Machine, file: Value): Value {
  const path = pathOf(file);
  return (path === null ? null : machine.load(path)) ?? UNKNOWN;
}

/** LightningCLI makes its model of the config's section. */
function commandLine(machine: Machine, args: Args): Value {
  const of = args.list[0] ?? args.named.get('model_class') ?? null;
  const section = machine.config instanceof Dictionary ? machine.config.entries.get('model') : undefined;
  if (!(section instanceof Dictionary)) return UNKNOWN;
  const given = instantiated(machine, section);
  if (section.entries.has('class_path') || !(given instanceof Dictionary)) return given;
  const named = new Map([...given.entries].map(([key, one]) => [wordOf(key), one] as const));
  return of instanceof Klass ? machine.call(of, { list: [], named }) : UNKNOWN;
}

/** A call of something outside the project. */
export function libraryCall(machine: Machine, path: string, args: Args): Value {
  const name = path.slice(path.lastIndexOf('.') + 1);
  machine.seen.note(path, args);
  if (OPTIMIZER.test(path)) optimizes(machine, args);
  if (path === name && Object.hasOwn(builtIns, name)) return builtIns[name]?.(machine, args) ?? UNKNOWN;
  if (NUMBERS.test(path)) {
    const found = mathCall(name, args);
    if (found !== undefined) return found;
  }
  const collected = containerOf(machine, name, path, args);
  if (collected !== undefined) return collected;
  return ofTorch(machine, path, name, args) ?? ofProgram(machine, path, name, args);
}

/** Layers and functions of torch; undefined: neither. */
function ofTorch(machine: Machine, path: string, name: string, args: Args): Value | undefined {
  const layer = layers[name] ?? sequenceLayers[name];
  if (layer && /^(?:torch\.nn\.|nn\.|timm\.)/.test(path)) return repeatable(() => layer(machine, args));
  if (path.startsWith('einops.layers')) return pattern(machine, name, args);
  return /^(?:torch|einops|F)\./.test(path) ? torchCall(machine, path, name, args) : undefined;
}

function optimizes(machine: Machine, { list, named }: Args): void {
  const given = parametersOf([...list, ...named.values()]);
  if (given.length === 0) machine.hasOpenOptimizer = true;
  for (const { storage } of given) machine.optimized.add(storage);
}

/** A layer that can be made again. */
function repeatable(make: () => Instance): Instance {
  const made = make();
  made.again = make;
  return made;
}

/** `copy.deepcopy(network)`: one with parameters of its own. Other values do not change here. */
const copied = (value: Value): Value => (value instanceof Instance ? (value.again?.() ?? value) : value);

function ofProgram(machine: Machine, path: string, name: string, args: Args): Value {
  if (/(?:^|\.)deepcopy$/.test(path)) return copied(args.list[0] ?? UNKNOWN);
  const started = startUp(machine, path, args);
  if (started !== undefined) return started;
  if (WRAPPERS.test(path)) return args.list[0] ?? UNKNOWN;
  if (/^(?:functools\.)?partial$/.test(path)) return partial(machine, args);
  if (LIBRARY_MODEL.test(path)) note(machine, path, name, args);
  return UNKNOWN;
}

/** The program takes a model of a library. */
function note(machine: Machine, path: string, name: string, { list, named }: Args): void {
  const given = [
    list[0],
    named.get('model_name'),
    named.get('name'),
    named.get('pretrained_model_name_or_path'),
  ];
  const text = given.find(one => typeof one === 'string');
  if (/create_model|from_pretrained|get_model|load$/.test(name)) {
    if (typeof text === 'string') machine.named.add(text);
  } else if (path.startsWith('torchvision.models')) machine.named.add(name);
}

function torchCall(machine: Machine, path: string, name: string, args: Args): Value {
  const [first] = args.list;
  if (CHECKPOINT.test(path) && first !== undefined) {
    return machine.call(first, { list: args.list.slice(1), named: new Map() });
  }
  if (WRAPPERS.test(path)) return first ?? UNKNOWN;
  if (/^torch\.nn\.init\.|\.cuda\.|\.distributed\./.test(path)) return first ?? null;
  const known = path.startsWith('einops.')
    ? (functions[`${name}#einops`] ?? functions[name])
    : functions[name];
  if (known) return known(machine, args);
  return first !== undefined && isTensor(first) ? raise(`${name} is not known`) : UNKNOWN;
}

/** `partial(f, a, b=c)`: a function that is given the rest. */
function partial(machine: Machine, { list: [of = null, ...given], named }: Args): Value {
  return new Native(args =>
    machine.call(of, { list: [...given, ...args.list], named: new Map([...named, ...args.named]) }),
  );
}

/** einops' Rearrange and Reduce as layers. */
function pattern({ trace }: Machine, name: string, args: Args): Value {
  const [text] = args.list;
  return layerOf(name, [], given => {
    const x = tensorIn(given);
    if (typeof text !== 'string') return raise('a pattern is not known');
    const shape = patterned(text, x.shape, args.named);
    return name === 'Rearrange' ? trace.view(x, shape) : trace.result(shape, [x]);
  });
}

/** Lists and dictionaries of networks, and parameters. */
function containerOf(machine: Machine, name: string, path: string, args: Args): Value | undefined {
  if (!/^(?:torch\.nn\.|nn\.|torch\.|collections\.)/.test(path)) return undefined;
  return Object.hasOwn(CONTAINERS, name) ? CONTAINERS[name]?.(machine, args) : undefined;
}

const listOf = (machine: Machine, { list: [first = null] }: Args): Value =>
  held(first === null ? [] : [...machine.items(first)], false);

const tableOf = (_: Machine, { list: [first] }: Args): Value => {
  const made = new Instance(null);
  made.attributes.set('#items', first instanceof Dictionary ? first : new Dictionary());
  return made;
};

const CONTAINERS: Readonly<Record<string, (machine: Machine, args: Args) => Value>> = {
  Sequential: (machine, { list }) => {
    const [first] = list;
    const isNamed = list.length === 1 && first instanceof Dictionary;
    const items = isNamed ? [...first.entries.values()] : [...list];
    const made = held(items, true);
    made.again = () =>
      CONTAINERS['Sequential']?.(machine, { list: items.map(copied), named: new Map() }) ?? null;
    machine.sequences.push(made);
    return made;
  },
  ModuleList: listOf,
  ParameterList: listOf,
  ModuleDict: tableOf,
  ParameterDict: tableOf,
  OrderedDict: (machine, args) => builtIns['dict']?.(machine, args) ?? UNKNOWN,
  defaultdict: () => new Dictionary(),
  Parameter: parameterOf,
  Size: (_, { list: [first = null] }) => first,
};

function held(items: Value[], runs: boolean): Instance {
  const made = new Instance(null);
  made.attributes.set('#items', items);
  if (!runs) made.attributes.set('forward', null);
  return made;
}

function parameterOf(machine: Machine, args: Args): Value {
  const reader = new Reader(args, ['data', 'requires_grad']);
  const data = reader.get('data');
  if (!isTensor(data)) return raise('the size of a parameter is not known');
  const made = machine.trace.parameter(data.shape);
  if (!reader.flag('requires_grad', true)) machine.frozen.add(made.storage);
  return made;
}
