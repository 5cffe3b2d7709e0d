import type { DialectProgram, Program, Setting, Subcommand } from '../engine/compose';
import type { Argument } from './configList';
import { flagsOf, isSetting } from './flags';
import type { FlagNames } from './flags';
import type { Command, Word } from './word';
import { scalarOf, wordOf } from './tree';

/** Flags that name a program's config: `--config`, `--config-file-path`, `--train_config`. */
const CONFIG_FLAG =
  /^(?:c|(?:(?:train(?:ing)?|exp(?:eriment)?|run)_)?(?:config|cfg|conf)(?:_(?:file|path|yaml))*|yaml(?:_(?:file|path|config))?)$/;
export const YAML_NAME = /\.(?:ya?ml|json|toml)$/;

/** Others have the words of a shared program, too: only with a config of its kind is it this one. */
export function takesItsOwn(command: Command, one: DialectProgram): boolean {
  const { isShared = false, configs, ending } = one.program;
  if (!isShared) return true;
  return flagsOf(command.slice(argumentsAt(command, one)), namesOf(one)).items.some(item =>
    isSetting(item) ? has(configs, nameOf(item)) : ending !== undefined && item.text.endsWith(ending),
  );
}

/** How a program's flags are written. */
function namesOf(recognized: DialectProgram | null): FlagNames {
  const { switches, aliases } = recognized?.program ?? {};
  return {
    joint: '_',
    several: SEVERAL,
    ...(switches && { bare: switches }),
    ...(aliases && { aliases }),
  };
}

/** Short flags that have one meaning in most programs that train (PyTorch's examples, timm, torchvision's references). */
const SHORT: Readonly<Record<string, string>> = { b: 'batch_size', a: 'arch' };

/** `-b 256` of a program that is not known; `-b config.yaml` is something else. */
function spelledOut(item: Item, recognized: DialectProgram | null): Item {
  if (recognized || !isSetting(item) || item.value.kind !== 'scalar') return item;
  const name = SHORT[nameOf(item)];
  const isCount = /^\d+$/.test(String(item.value.value));
  const isName = /^[a-z]\w*$/.test(String(item.value.value));
  return name !== undefined && (name === 'arch' ? isName : isCount) ? { ...item, path: [name] } : item;
}

/** Lists of modules among the arguments of Trainer-like programs (HfArgumentParser: `nargs='+'`), and timm's size. */
const SEVERAL = [
  'target_modules',
  'lora_target_modules',
  'modules_to_save',
  'target_parameters',
  'input_size',
];

export const asSetting = (setting: Setting): Argument => ({ config: null, setting });

/** The arguments of a command in order: configs and settings. */
export function argumentsOf(
  command: Command,
  recognized: DialectProgram | null,
  programs: readonly DialectProgram[],
  sub: Subcommand | undefined,
): Argument[] {
  const known = recognized ? [recognized.program] : programs.map(({ program }) => program);
  const found = flagsOf(command.slice(argumentsAt(command, recognized)), namesOf(recognized)).items;
  const items = withPositional(pairsIn(found, recognized), sub);
  const folder = items.find(item => isSetting(item) && has(recognized?.program.folder, nameOf(item)));
  const inFolder = folder && isSetting(folder) ? wordOf(folder.value) : '';
  return withoutMoreFiles(items, known)
    .filter(item => item !== folder)
    .map(item => spelledOut(item, recognized))
    .flatMap(item =>
      isSetting(item) ? settingOrConfig(item, known) : configWord(item, recognized, inFolder),
    );
}

/** The first argument of a command behind its launcher, its script and the words that tell its program. */
function argumentsAt(command: Command, recognized: DialectProgram | null): number {
  const words = command.map(({ text }) => text);
  const script = scriptAt(command);
  // Flags may tell it, too; they all stand behind the script.
  if (words[script - 1]?.endsWith(PYTHON)) return script;
  const told = words.findIndex((_, i) => recognized?.program.words?.test(words.slice(0, i + 1).join(' ')));
  // The flag that tells it is one of its arguments, like those before it: `distributed_train.sh 4 --data-dir d --model m`.
  const isFlag = [words[told - 1], words[told]].some(
    word => word !== undefined && /^--?(?!m(?:odule)?$)[a-z]/.test(word),
  );
  const first = words.findIndex((word, i) => i >= script && word.startsWith('-'));
  return isFlag && first >= 0 ? first : Math.max(script, told + 1);
}

type Item = Setting | Word;

/** `--data_files a.json b.json c.json`: files behind a flag that names such a file, and no config, are that flag's. */
function withoutMoreFiles(items: readonly Item[], known: readonly Program[]): readonly Item[] {
  let ending: string | null = null;
  return items.filter(item => {
    if (!isSetting(item)) return ending === null || !item.text.endsWith(ending);
    const value = item.value.kind === 'scalar' ? String(item.value.value) : '';
    const isConfig =
      CONFIG_FLAG.test(nameOf(item)) || known.some(({ configs }) => has(configs, nameOf(item)));
    ending = isConfig ? null : (YAML_NAME.exec(value)?.[0] ?? null);
    return true;
  });
}

/** The first positional argument of a subcommand as its key. */
function withPositional(items: readonly Item[], sub: Subcommand | undefined): readonly Item[] {
  const first = items.find((item): item is Word => !isSetting(item));
  if (sub?.positional === undefined || !first) return items;
  const { positional } = sub;
  const setting = settingOf(positional, first, first);
  return items.map(item => (item === first ? setting : item));
}

/** `SOLVER.IMS_PER_BATCH 16`: words that are keys and values in turn, for a program that takes such. */
function pairsIn(items: readonly Item[], recognized: DialectProgram | null): readonly Item[] {
  const { pairs } = recognized?.program ?? {};
  if (pairs === undefined) return items;
  const paired: Item[] = [];
  for (let at = 0; at < items.length; at++) {
    const [key, value] = items.slice(at, at + 2);
    const isPair = key && value && !isSetting(key) && !isSetting(value) && pairs.test(key.text);
    if (isPair) paired.push(settingOf(key.text, key, value));
    else if (key) paired.push(key);
    if (isPair) at += 1;
  }
  return paired;
}

const settingOf = (name: string, { span, inText }: Word, value: Word): Setting => ({
  path: [name],
  keySpan: span,
  value: scalarOf(value),
  from: name.split('.'),
  inText,
});

const PYTHON = '.py';

export const nameOf = ({ path }: Setting): string => String(path[0]);
const has = (names: readonly string[] | undefined, name: string): boolean => names?.includes(name) === true;

function settingOrConfig(setting: Setting, known: readonly Program[]): Argument {
  const name = nameOf(setting);
  const { value } = setting;
  const isOpen = value.kind === 'scalar' && value.opaque !== null;
  const isFile = YAML_NAME.test(value.kind === 'scalar' ? String(value.value) : '');
  const takes = CONFIG_FLAG.test(name) || known.some(({ configs }) => has(configs, name));
  const isNamed = known.some(({ configs, shipped }) => shipped !== undefined && has(configs, name));
  if (takes && (isFile || isOpen || isNamed)) {
    return { config: { name: wordOf(value), mount: '', setting }, setting: null };
  }
  if (isFile && known.some(({ sections }) => has(sections, name))) {
    return { config: { name: wordOf(value), mount: name, setting }, setting: null };
  }
  return asSetting({ ...setting, path: setting.path.flatMap(part => String(part).split('.')) });
}

/** A positional word: a config name if it looks like one, or if the program takes no other words. */
function configWord(word: Word, recognized: DialectProgram | null, folder: string): Argument[] {
  const { ending = '' } = recognized?.program ?? {};
  const isWhole = YAML_NAME.test(word.text) || (ending !== '' && word.text.endsWith(ending));
  // A program whose configs are Python names them with their ending.
  if (!isWhole && (ending === '' || ending === PYTHON || word.text.endsWith(PYTHON))) return [];
  const bare = isWhole ? word.text : `${word.text}${ending}`;
  const name = word.open ? '' : folder === '' ? bare : `${folder}/${bare}`;
  const setting = { path: [], keySpan: word.span, value: scalarOf(word), from: [word.text] };
  return [{ config: { name, mount: '', setting }, setting: null }];
}

/** The flags of `accelerate launch` itself. */
function accelerateFlags(command: Command): readonly Setting[] {
  const [program, verb] = command.map(({ text }) => text).slice(command[0]?.text === 'srun' ? 1 : 0);
  if (!/(?:^|\/)accelerate$/.test(program ?? '') || verb !== 'launch') return [];
  const words = command.slice(0, scriptAt(command));
  return flagsOf(words, { joint: '_', bare: [...PARADIGMS.keys()] }).settings;
}

/** What an Accelerator, or a Trainer’s arguments, take from the launcher where the program does not say it. */
export const launcherFlags = (command: Command): readonly Setting[] =>
  accelerateFlags(command).filter(setting => nameOf(setting) === 'mixed_precision');

/** The file that `accelerate launch` is given. argparse completes `--config`. */
export const launcherFile = (command: Command): Setting | null =>
  accelerateFlags(command).find(one => ['config_file', 'config'].includes(nameOf(one))) ?? null;

/** The config of `accelerate launch`, as the key that dialects use for it: its file, or what a file would say. */
export function launcherConfig(command: Command): readonly Setting[] {
  const file = launcherFile(command);
  if (file) return [{ ...file, path: [LAUNCHER_KEY] }];
  const flags = accelerateFlags(command);
  return flags.some(one => PARADIGMS.has(nameOf(one))) ? flags.flatMap(asLauncherKey) : [];
}

const LAUNCHER_KEY = 'accelerate_config';

/** Switches of `accelerate launch` for how GPUs share a run, and what its file says instead (commands/launch.py). */
const PARADIGMS: ReadonlyMap<string, string> = new Map([
  ['use_fsdp', 'FSDP'],
  ['use_deepspeed', 'DEEPSPEED'],
  ['multi_gpu', 'MULTI_GPU'],
]);

/** Flags of the section for DeepSpeed in accelerate's file, where they have the same names (commands/launch.py). */
const OF_DEEPSPEED =
  /^(?:zero_stage|offload_(?:optimizer|param)_device|deepspeed_config_file|gradient_accumulation_steps|gradient_clipping|zero3_\w{1,40})$/;

/** A flag of the launcher as the key of its file. */
function asLauncherKey(flag: Setting): readonly Setting[] {
  const name = nameOf(flag);
  const type = PARADIGMS.get(name);
  if (type !== undefined && flag.value.kind === 'scalar') {
    return [
      {
        ...flag,
        path: [LAUNCHER_KEY, 'distributed_type'],
        value: { ...flag.value, value: type, source: type },
      },
    ];
  }
  const section = OF_DEEPSPEED.test(name)
    ? 'deepspeed_config'
    : name.startsWith('fsdp_')
      ? 'fsdp_config'
      : null;
  const isOwn = /^(?:mixed_precision|num_processes|num_machines)$/.test(name);
  if (section === null && !isOwn) return [];
  return [{ ...flag, path: [LAUNCHER_KEY, ...(section === null ? [] : [section]), name] }];
}

/** What starts a script. */
const LAUNCHES =
  /^(?:\S*\/)?(?:python[\d.]*|torchrun|accelerate|deepspeed|srun|uv|poetry|pipenv|mpirun|colossalai)$/;

/** Launchers have their own flags before the script, which are not the program's. */
function scriptAt(command: Command): number {
  const first = command.findIndex(({ text }) => /\.py$|^-m$|^--module$/.test(text));
  // Of a program of its own, `.py` is the value of a flag: `swift rlhf --external_plugins plugin.py`.
  const isScript = first === 0 || command.slice(0, first).some(({ text }) => LAUNCHES.test(text));
  const at = isScript ? first : -1;
  const launched = command.findIndex(({ text }) => /^(?:accelerate|torchrun|deepspeed|srun)$/.test(text));
  return at >= 0 ? at + 1 : Math.max(0, launched + 1);
}
