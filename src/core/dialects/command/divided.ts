import type { Layer, OwnProgram, Setting } from '../engine/compose';
import { rootOf } from './nodes';

const plain = (name: unknown): string => String(name).toLowerCase().replaceAll('-', '_');

/** A setting that the program divides before it uses it, as one that only the run knows. */
export function withDivided(setting: Setting, divided: readonly string[]): Setting {
  const { path, value } = setting;
  const isOpen = value.kind === 'scalar' && divided.includes(plain(path.at(-1)));
  return isOpen ? { ...setting, value: { ...value, opaque: 'interpolation' } } : setting;
}

/** Keys of a config that its program divides, over the config. */
export function dividedKeys(layer: Layer, { divided }: Pick<OwnProgram, 'divided'>): readonly Setting[] {
  return (rootOf(layer)?.entries ?? []).flatMap(({ key, keySpan, value }) => {
    const { start } = keySpan;
    const setting = { path: [key], keySpan: { start, end: start }, value, from: [key] };
    const open = withDivided(setting, divided);
    return open === setting ? [] : [open];
  });
}
