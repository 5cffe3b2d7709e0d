import type { NetworkArgument, NetworkArguments, NetworkPath } from '../../models/network';
import { plainName } from './leaves';

type Tree = NetworkArguments;

/** Depth of a network's section. */
const DEEPEST = 4;

/** Classes of libraries whose networks are described (core/network/libraries). */
const CLASS = /^(?:(monai)\.networks\.nets|(segmentation_models_pytorch|smp))(?:\.\w+)*\.(\w+)$/;
const SEGMENTATION = 'segmentation_models_pytorch';

/**
 * The network of a library that a config builds: by its class with the arguments beside it, else by the library's own words
 * (a decoder with `encoder_name`; MONAI's `channels` and `strides`). Null: the config names none.
 */
export function libraryNetwork(config: Tree): NetworkPath | null {
  return firstIn(config, byClass, 0) ?? firstIn(config, byWords, 0);
}

function firstIn(
  section: Tree,
  read: (section: Tree) => NetworkPath | null,
  depth: number,
): NetworkPath | null {
  const found = read(section);
  if (found !== null || depth > DEEPEST) return found;
  for (const below of Object.values(section)) {
    const inner = isTree(below) ? firstIn(below, read, depth + 1) : null;
    if (inner !== null) return inner;
  }
  return null;
}

const isTree = (value: NetworkArgument | undefined): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function byClass(section: Tree): NetworkPath | null {
  const path = section['_target_'] ?? section['class_path'];
  const [, monai, , name] = CLASS.exec(typeof path === 'string' ? path : '') ?? [];
  if (name === undefined) return null;
  const inner = section['init_args'];
  const given = section['class_path'] === undefined ? section : isTree(inner) ? inner : {};
  const own = Object.entries(given).filter(([key]) => !/^(?:_\w+_|class_path|init_args)$/.test(key));
  return { path: `${monai ?? SEGMENTATION}.${name}`, arguments: Object.fromEntries(own) };
}

const NAMES =
  /^(?:name|arch(?:itecture)?|type|class|model|network|decoder|(?:model|arch|decoder|network|segmentation_model)_(?:name|type|arch|class)|segmentation_model)$/;
const ENCODERS = /^(?:encoder|backbone)(?:_(?:name|type|arch))?$/;
const ENCODER =
  /^(?:tu-|timm-)?(?:(?:se_)?res(?:net|next)|wide_resnet|efficientnet|mobilenet|vgg|densenet|mit_b)[\w-]*$/;

const DECODERS: Readonly<Record<string, string>> = {
  unet: 'Unet',
  unetplusplus: 'UnetPlusPlus',
  fpn: 'FPN',
  linknet: 'Linknet',
  pspnet: 'PSPNet',
  deeplabv3: 'DeepLabV3',
  deeplabv3plus: 'DeepLabV3Plus',
  segformer: 'Segformer',
};

/** Arguments of decoders, by what people call them. */
const OF_DECODERS: readonly (readonly [words: RegExp, name: string])[] = [
  [/^(?:in|input|n|num|image)_(?:channels?|ch)$/, 'in_channels'],
  [/^(?:(?:n|num|number_of)_)?(?:classes|labels)$|^out(?:put)?_channels$/, 'classes'],
  [/^encoder_depth$/, 'encoder_depth'],
  [/^decoder_channels$/, 'decoder_channels'],
  [/^decoder_attention_type$/, 'decoder_attention_type'],
  [/^encoder_output_stride$/, 'encoder_output_stride'],
];

function byWords(section: Tree): NetworkPath | null {
  const entries = Object.entries(section).map(([key, value]) => [plainName(key), value] as const);
  const names = entries.flatMap(([key, value]) =>
    NAMES.test(key) && typeof value === 'string' ? [value.trim()] : [],
  );
  return segmenter(entries, names) ?? ofMonai(section, entries, names);
}

type Entries = readonly (readonly [key: string, value: NetworkArgument])[];

function segmenter(entries: Entries, names: readonly string[]): NetworkPath | null {
  const plain = names.map(one => one.toLowerCase().replace(/^.*\./, '').replaceAll('+', 'plus'));
  const decoders = plain.flatMap(one => ofTable(DECODERS, one.replaceAll(/[\s_-]/g, '')));
  const encoders = entries.flatMap(([key, value]) => (ENCODERS.test(key) ? encoderIn(value) : []));
  const [decoder] = decoders;
  const [encoder] = encoders;
  if (decoder === undefined || encoder === undefined) return null;
  const given = OF_DECODERS.flatMap(([words, name]) => {
    const [, value] = entries.find(([key]) => words.test(key)) ?? [];
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  return {
    path: `${SEGMENTATION}.${decoder}`,
    arguments: { encoder_name: encoder, ...Object.fromEntries(given) },
  };
}

const ofTable = (table: Readonly<Record<string, string>>, name: string): readonly string[] =>
  Object.hasOwn(table, name) ? [table[name] ?? ''] : [];

/** `encoder: resnet34`, `encoder: {name: resnet34}`. */
function encoderIn(value: NetworkArgument): readonly string[] {
  const name = isTree(value) ? (value['name'] ?? value['type']) : value;
  return typeof name === 'string' && ENCODER.test(name.toLowerCase()) ? [name.toLowerCase()] : [];
}

const OF_UNET =
  /^(?:spatial_dims|in_channels|out_channels|channels|strides|kernel_size|up_kernel_size|num_res_units|act|norm|dropout|bias)$/;
const OF_SEGRESNET =
  /^(?:spatial_dims|init_filters|in_channels|out_channels|dropout_prob|act|norm|blocks_down|blocks_up|upsample_mode)$/;

function ofMonai(section: Tree, entries: Entries, names: readonly string[]): NetworkPath | null {
  const has = (...keys: readonly string[]): boolean => keys.every(key => section[key] !== undefined);
  const given = (words: RegExp): NetworkArguments =>
    Object.fromEntries(
      entries
        .map(([key, value]) => [key === 'dimensions' ? 'spatial_dims' : key, value] as const)
        .filter(([key]) => words.test(key)),
    );
  const isNamed = (pattern: RegExp): boolean => names.some(one => pattern.test(one));
  if (has('channels', 'strides', 'out_channels') && !isNamed(/^(?!.*unet)/i)) {
    return { path: 'monai.UNet', arguments: given(OF_UNET) };
  }
  if (!isNamed(/^segresnet$/i) || !has('init_filters')) return null;
  return { path: 'monai.SegResNet', arguments: given(OF_SEGRESNET) };
}
