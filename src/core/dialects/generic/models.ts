import type { DefinedRow } from '../defined/definition';
import { rowAt } from './batches';
import { isWord, isNamed, isNamedIn, only } from './finder';
import type { Finder, Test } from './finder';
import type { Leaf } from './leaves';
import { words } from './vocabulary';

/** Values that look like a hub model, a model folder, or a family's name. */
const HUB = /^(?:\.{0,2}\/|~\/)?[\w.-]+(?:\/[\w.@=-]+)*\/?$/;
const HUB_ID = /^[\w.-]+\/[\w.-]+$/;
const FAMILY =
  /(?:llama|qwen|mistral|mixtral|gemma|phi-?\d|falcon|bloom|gpt2|gpt-?neo|opt-\d|pythia|bert|roberta|deberta|electra|xlnet|t5|bart|pegasus|whisper|wav2vec|hubert|clip|vit|deit|swin|beit|resnet|resnext|efficientnet|convnext|segformer|dinov2|unet|deeplab|minilm|mpnet|bge|e5-|gte-|stable-diffusion|yolov?\d|rt-?detr|mobilenet|densenet|vgg-?\d|regnet|inception|hrnet|smollm|deepseek|yi-\d|internlm|chatglm|baichuan)/i;

const isLocal: Test = ({ value }) =>
  typeof value === 'string' &&
  HUB.test(value) &&
  !words.servedElsewhere.test(value) &&
  !/\.(?:ya?ml|json|toml|csv|txt|py)$/.test(value);

/** Families of many sizes, as transformers' `model_type` has them: `mixtral` and `qwen2_moe` tell no model. */
const MANY_SIZES =
  /^(?:llama|qwen|mistral|mixtral|gemma|phi|falcon|bloom|deepseek|internlm|chatglm|baichuan|smollm)[\d._-]{0,4}(?:_?(?:moe|vl|text|v\d))?$/i;

const looksKnown: Test = ({ value }) =>
  typeof value === 'string' && (HUB_ID.test(value) || (FAMILY.test(value) && !MANY_SIZES.test(value)));

/** The model of a file. */
export interface FoundModel {
  /** Null: the file describes its own model. */
  readonly row: DefinedRow | null;
}

/** The model if the file names exactly one, or describes one by at least three sizes; 'elsewhere': a provider runs it. */
export function modelIn(finder: Finder): FoundModel | 'several' | 'elsewhere' | null {
  const isProvided = withoutProvider(finder);
  const isSaved = savedIn(finder);
  const isHere: Test = leaf => isProvided(leaf) && !isWritten(leaf) && !isSaved(leaf);
  const found =
    finder.firstOf([words.pretrained, words.modelName], isWord, isLocal, isHere, isNoWeightsFile) ??
    finder.firstOf([words.hubName], isWord, isLocal, looksKnown, isHere) ??
    finder.firstOf([words.modelName], isWord, isLocal, isHere) ??
    sectioned(finder) ??
    around(finder, finder.firstOf([words.architecture, words.backboneName], isWord, isLocal, looksKnown)) ??
    finder.one(isNamedIn(words.modelSection, /^encoder$/), isWord, isLocal, looksKnown) ??
    plain(finder) ??
    finder.one(isNamed(MODEL_TYPE), isWord, isLocal, looksKnown);
  if (found === 'several') return found;
  if (found) return { row: rowAt(found, 'the model') };
  const sizes = new Set(
    finder.all(isNamed(words.dimensions), ({ value }) => typeof value === 'number').map(({ name }) => name),
  );
  if (sizes.size >= 3) return { row: null };
  return finder.has(isModelWord, ({ value }) => words.servedElsewhere.test(String(value)))
    ? 'elsewhere'
    : null;
}

/** Networks that have another one as their backbone. */
const AROUND = /seg|unet|fpn|deeplab|psp|icnet|bisenet|r_?cnn|yolo|det|retina|ssd|centernet|former$/i;
const NAMES = /^(?:type|name|arch|model|model_type|architecture|network|net|decoder)$/;
const BACKBONE = /^(?:backbone|encoder)(?:_name)?$/;

/** A backbone is only a part of the network whose name stands beside it, or above its arguments: that is the model. */
function around(finder: Finder, found: Leaf | 'several' | null): Leaf | 'several' | null {
  if (found === null || found === 'several' || !BACKBONE.test(found.name)) return found;
  const own = found.sections.join('.');
  const above = /^(?:args|params|kwargs|init_args)$/.test(found.sections[0] ?? '')
    ? found.sections.slice(1).join('.')
    : own;
  const isBeside: Test = ({ name, sections, value }) =>
    NAMES.test(name) && [own, above].includes(sections.join('.')) && AROUND.test(String(value));
  return finder.one(isBeside, isWord, isLocal) ?? found;
}

/** A folder that a run fills: `output: {model_dir: output/models}`. */
const isWritten: Test = ({ name, sections, value }) =>
  name.endsWith('_dir') &&
  (sections.some(one => OUTPUT.test(one)) || OUTPUT.test(String(value).split('/')[0] ?? ''));
const OUTPUT = /^(?:outputs?|sav(?:e|ed|ing)|results?|logs?|logging|artifacts?|exports?|runs)(?:_|$)/i;

/** What a callback of the run writes, wherever else its path stands: `model_path: ${callbacks.checkpoint.filepath}`. */
function savedIn(finder: Finder): Test {
  const saved = new Set(
    finder.all(isWord, ({ sections }) => sections.some(one => CALLBACKS.test(one))).map(({ value }) => value),
  );
  return ({ value }) => saved.has(value);
}
const CALLBACKS = /^callbacks?$/;

/** The weights that a program writes: a name of its own. */
const isNoWeightsFile: Test = ({ value }) => !/^[^/]*\.(?:pt|pth|ckpt|bin|safetensors)$/.test(String(value));

/** Not in a section with a key to a provider's API, or of a model that only writes or judges. */
function withoutProvider(finder: Finder): Test {
  const provided = new Set(finder.all(isNamed(words.ofProvider)).map(({ key }) => sectionOf(key)));
  return ({ key, sections }) =>
    !provided.has(sectionOf(key)) && !sections.some(section => words.otherModels.test(section));
}

const sectionOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('.')));

/** The model by the only place that says nothing else, whatever its name: `model: {name: hrnet}`. */
export const modelByPlace = (finder: Finder): DefinedRow | null => {
  const leaf =
    placed(finder, /^(?:name|type|arch)$/) ??
    only(finder.one(isNamed(BACKBONE), isWord, isLocal, isNoSize, isOneSize));
  return leaf && rowAt(leaf, 'the model');
};

const placed = (finder: Finder, names: RegExp): Leaf | null =>
  only(finder.one(isNamedIn(TRAINED, names), isWord, isLocal, isNoSize, isOneSize));

const isOneSize: Test = ({ value }) => !MANY_SIZES.test(String(value));

const TRAINED = /^(?:model|network|net|backbone)(?:_(?:config|cfg|args|params))?$/;
/** A name of one of a family's sizes tells no model. */
const isNoSize: Test = ({ value }) =>
  !/^(?:x{0,2}-?)?(?:nano|micro|tiny|small|medium|base|large|huge|giant|default|custom|local|auto|none|v?\d+)$/i.test(
    String(value),
  );

const isModelWord: Test = ({ name, sections }) =>
  [words.modelName, words.backboneName, words.modelSection].some(pattern => pattern.test(name)) ||
  words.modelSection.test(sections[0] ?? '');

/** A class or a function by its path: `src.models.unet.UNet`. */
const CLASS = /^[A-Za-z_]\w*(?:\.\w+)+$/;

/** The model of a composed config: a name that is known to be one, wherever it stands; else the class that makes it. */
export function modelByRole(finder: Finder): Leaf | null {
  const isSaved = savedIn(finder);
  const known: readonly Test[] = [isWord, isLocal, looksKnown];
  const named =
    finder.firstOf([words.modelName], ...known, leaf => !isSaved(leaf)) ??
    sectioned(finder) ??
    finder.firstOf([words.architecture, words.backboneName, MODEL_TYPE], ...known) ??
    plain(finder);
  if (named) return only(named);
  const isClass: Test = ({ value }) => typeof value === 'string' && CLASS.test(value);
  return (
    only(finder.one(isNamedIn(words.modelSection, words.classInSection), isClass)) ?? placed(finder, /^name$/)
  );
}

const MODEL_TYPE = /^(?:model_(?:type|arch|variant)|network|net)$/;

/** `model: {name: …}`, or another section that usually names a model. */
function sectioned(finder: Finder): Leaf | 'several' | null {
  return finder.one(isNamedIn(words.modelSection, words.nameInSection), isWord, isLocal, looksKnown);
}

const plain = (finder: Finder): Leaf | 'several' | null =>
  finder.one(({ name }) => name === 'model' || name === 'base_model', isWord, isLocal, looksKnown);
