import type { Composition, Layer, NearbyFiles, OwnProgram } from '../engine/compose';
import { defaultsOf } from '../engine/hydra/defaultsList';
import { asSetting } from './arguments';
import { compositionOf } from './configList';
import type { Argument } from './configList';
import { dividedKeys, withDivided } from './divided';
import { argvLayer, scalarOf } from './tree';
import type { Command } from './word';

/** A command without a config file. */
interface Started {
  readonly args: readonly Argument[];
  readonly opened: Layer;
  readonly files: NearbyFiles;
  readonly command: Command;
}

/** The config that a program without a framework's trainer opens by itself, under the flags of the command. */
export function ofOwnConfig(
  { config, runs, options, divided }: OwnProgram,
  script: string,
  { args: given, opened, files, command }: Started,
): Composition | null {
  const own = config && runs.length === 0 ? (files.dialectOf?.(config.document, script) ?? null) : null;
  const [first] = command;
  if (!config || own === null || !first) return null;
  const setting = { path: [], keySpan: first.span, value: scalarOf(first), from: [] };
  const named = { name: config.layer.path, mount: '', setting };
  const configs = [{ named, layer: config.layer, isCode: false }];
  const over = dividedKeys(config.layer, { divided }).map(one => asSetting({ ...one, keySpan: first.span }));
  const args = [
    ...over,
    ...given.map(one => (one.setting ? asSetting(withDivided(one.setting, divided)) : one)),
  ];
  const beneath = options ? [options] : [];
  if (defaultsOf(config.layer).length > 0) {
    const isFrameworks = files.programs?.some(one => one.dialect === own) === true;
    if (isFrameworks) return ofComposed(config, own, args, opened);
    const composed = ofComposed(config, HYDRA, args, opened);
    return composed && { ...composed, script, beneath: [...beneath, ...(composed.beneath ?? [])] };
  }
  const composition = compositionOf({
    configs,
    args,
    opened,
    dialect: own,
    program: null,
    files,
    defaults: null,
  });
  return { ...composition, script, ...(options && { beneath }) };
}

const HYDRA = 'hydra';

/** What Hydra composes of several files, of which the later ones win, under the command's other settings. */
function ofComposed(
  { layers, gaps, chosen }: NonNullable<OwnProgram['config']>,
  dialect: string,
  args: readonly Argument[],
  opened: Layer,
): Composition | null {
  const [config, ...beneath] = layers.toReversed();
  const settings = args.flatMap(({ setting }) => setting ?? []);
  const own = settings.filter(({ path }) => !chosen.includes(path.join('.')));
  const mounted = beneath.toReversed().map(layer => ({ ...layer, mount: layer.mount ?? '' }));
  return config
    ? {
        name: '',
        dialect,
        layers: [config, argvLayer(opened, own, '')],
        beneath: mounted,
        gaps,
        isComposed: true,
      }
    : null;
}
