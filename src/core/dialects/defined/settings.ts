import { ownOf } from '../../yaml/tables';
import format from './dialect.format';
import type { RowKind } from './words';

/** The fields of a quantity with several: the kind of each, its value if the file leaves it out, and if only the program knows it. */
type Settings = Readonly<
  Record<string, { readonly kind: RowKind; readonly else?: unknown; readonly open?: unknown }>
>;

/** The settings of a kind; undefined: it has one value. */
export const settingsOf = (kind: string): Settings | undefined => ownOf(format.settings, kind);

/** Fills in the defaults of a settings quantity; unknown optional fields are omitted. */
export function settled(kind: RowKind, fields: Readonly<Record<string, unknown>>): unknown {
  const settings = settingsOf(kind);
  if (!settings) return fields;
  const base = Object.entries(settings).flatMap(([name, field]) =>
    'else' in field ? [[name, field.else] as const] : [],
  );
  const whole: Record<string, unknown> = Object.fromEntries(base);
  for (const [name, value] of Object.entries(fields)) {
    if (value !== null || Object.hasOwn(whole, name)) whole[name] = value;
  }
  return kind === 'lora' ? { ...whole, targets: everyLinear(whole['targets']) } : whole;
}

const everyLinear = (targets: unknown): unknown =>
  Array.isArray(targets) && targets.length === 1 && targets[0] === 'all-linear' ? 'all-linear' : targets;
