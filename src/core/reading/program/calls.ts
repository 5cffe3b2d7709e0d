import type { DialectCall } from '../../dialects/engine/calls';
import type { Dialect } from '../../dialects/dialect';
import type { Setting } from '../../dialects/engine/compose';
import { nodeOf, scalarNode } from './nodes';
import { insertionIn } from '../../python/insertion';
import type { ProgramSource } from '../../python/source';
import type { Argument, Call, Value } from '../../python/value';
import type { Span } from '../../text/span';
import { ownOf } from '../../yaml/tables';
import type { CallPlace } from '../../yaml/node';

/** A class of the program's own may put adapters into what it loads. */
const ADAPTERS = /\bget_peft_model\b|\bLoraConfig\b/;

/** Calls behind each other from a run to its parts. */
const DEEPEST = 8;

/** What the calls of one run state. */
export interface CallSettings {
  readonly settings: readonly Setting[];
  readonly places: readonly CallPlace[];
  /** Calls of the table that the run has. */
  readonly used: ReadonlySet<DialectCall>;
  /** Keys that calls set by themselves: they have no argument. */
  readonly implied: ReadonlySet<string>;
  /** Arguments that only the run knows. */
  readonly open: readonly { readonly span: Span; readonly why: string }[];
}

/**
 * Whether a full name is that of a pattern: `trl.SFTTrainer` is also `trl.trainer.sft_trainer.SFTTrainer`, and
 * `*.Trainer` is that of any library.
 */
export function isNamed(pattern: string, name: string): boolean {
  // Most names are of another module, and many patterns are compared with each.
  const end = pattern.indexOf('.');
  if (!pattern.startsWith('*') && !name.startsWith(pattern.slice(0, end))) return false;
  const [module = '', ...wanted] = pattern.split('.');
  const [root = '', ...parts] = name.split('.');
  const last = parts.slice(-wanted.length);
  return (
    (root === module || (module === '*' && root !== '')) &&
    last.length === wanted.length &&
    wanted.every((part, index) => isLike(part, last[index] ?? ''))
  );
}

function isLike(pattern: string, part: string): boolean {
  if (pattern.endsWith('*')) return part.startsWith(pattern.slice(0, -1));
  return pattern.startsWith('*') ? part.endsWith(pattern.slice(1)) : part === pattern;
}

/** The settings of a run's call and of the calls that it is given. */
export function settingsOf(
  run: Call,
  entry: DialectCall,
  { calls = [] }: Dialect,
  program: ProgramSource,
): CallSettings {
  return new SettingsReader(calls, program).read(run, entry);
}

function isOff({ args }: Call, { offBy, positional }: DialectCall): boolean {
  if (offBy === null) return false;
  const value = args.find(({ name, position }) => (name ?? positional[position]) === offBy)?.value;
  return value?.kind === 'scalar' && value.value === false;
}

class SettingsReader {
  private readonly settings: Setting[] = [];
  private readonly implied: (Setting & { readonly ifStated: readonly string[] })[] = [];
  /** Keys that another file states: no edit of this one changes them. */
  private readonly elsewhere = new Set<string>();
  private readonly places: CallPlace[] = [];
  private readonly used = new Set<DialectCall>();
  private readonly open: CallSettings['open'][number][] = [];
  private readonly seen = new Set<Call>();

  constructor(
    private readonly calls: readonly DialectCall[],
    private readonly program: ProgramSource,
  ) {}

  read(run: Call, entry: DialectCall): CallSettings {
    this.call(run, entry, 0);
    const stated = new Set(this.settings.map(({ path }) => String(path[0])));
    const implied = this.implied.filter(
      ({ path, ifStated }) =>
        !stated.has(String(path[0])) && (ifStated.length === 0 || ifStated.some(key => stated.has(key))),
    );
    return {
      settings: [...implied, ...this.settings],
      places: this.places,
      used: this.used,
      implied: new Set([...implied.map(({ path }) => String(path[0])), ...this.elsewhere]),
      open: this.open,
    };
  }

  private call(call: Call, entry: DialectCall, depth: number): void {
    if (depth > DEEPEST || this.seen.has(call)) return;
    this.seen.add(call);
    this.used.add(entry);
    if (call.isElsewhere !== true) this.places.push(this.placeOf(call, entry));
    if (!isOff(call, entry)) this.sets(entry, call.nameSpan);
    if (call.open) {
      this.open.push({ span: call.open, why: 'Only the program knows these arguments.' });
      // A part that states something hardly leaves to others what matters.
      if (entry.role === 'part' && call.args.length === 0) this.unknownKeys([entry], call.open);
    }
    this.args(call.args, entry, depth);
    // `YOLO("yolo11n.pt").train()`: what a method belongs to states the model.
    if (call.on?.kind === 'call') this.part('on', call.on, depth);
  }

  private args(args: readonly Argument[], entry: DialectCall, depth: number): void {
    for (const arg of args) {
      const name = arg.name ?? entry.positional[arg.position];
      if (name !== undefined && !this.part(name, arg.value, depth)) this.setting(name, arg, entry);
    }
  }

  /** A call that is given to another one, or a dictionary in its place. */
  private part(name: string, value: Value, depth: number): boolean {
    const parts = this.calls.filter(({ role, givenAs }) => role === 'part' && givenAs.includes(name));
    if (value.kind === 'fields') {
      const [part] = parts;
      if (!part || part.own) return false;
      this.used.add(part);
      this.sets(part, value.span);
      const args = value.fields.map((field): Argument => ({
        ...field,
        name: field.key,
        position: -1,
        isOwn: false,
      }));
      this.args(args, part, depth + 1);
      return true;
    }
    if (value.kind !== 'call' || value.part > 0) return false;
    const { call } = value;
    const part = parts.find(({ of }) => of.some(pattern => isNamed(pattern, call.name)));
    if (!part) return false;
    this.call(call, part, depth + 1);
    return true;
  }

  private setting(name: string, { keySpan, value, isElsewhere }: Argument, entry: DialectCall): void {
    const isPart = this.calls.some(
      ({ role, own, givenAs }) => role === 'part' && own && givenAs.includes(name),
    );
    const isNone = value.kind === 'scalar' && value.value === null;
    if (isPart && !isNone) {
      this.open.push({ span: value.span, why: `Only the program knows ${name}.` });
      return;
    }
    const isMade = value.kind === 'call' && ADAPTERS.test(this.program.text);
    if (value.kind === 'open' || isMade) this.unknowns(name, value.span);
    const key =
      ownOf(entry.keys, name) ??
      (entry.own || entry.only.includes(name) ? name.replaceAll('_', entry.joint) : null);
    if (key === null) return;
    const node = nodeOf(value, this.program);
    if (isElsewhere === true) this.elsewhere.add(key.split('.')[0] ?? key);
    this.settings.push({
      path: key.split('.'),
      keySpan: this.program.inFile(keySpan),
      value: node,
      from: [name],
      ...(value.kind === 'scalar' && value.at && { at: value.at }),
    });
  }

  /** A part that only the program knows: nor is what it would state known. */
  private unknowns(name: string, at: Span): void {
    this.unknownKeys(
      this.calls.filter(({ role, givenAs }) => role === 'part' && givenAs.includes(name)),
      at,
    );
  }

  /** What these calls would state, unless something else does. */
  private unknownKeys(calls: readonly DialectCall[], at: Span): void {
    const keys = calls.flatMap(part => [
      ...Object.values(part.keys),
      ...part.only.map(one => ownOf(part.keys, one) ?? one.replaceAll('_', part.joint)),
    ]);
    const value = nodeOf({ kind: 'open', span: at }, this.program);
    for (const key of new Set(keys)) {
      this.implied.push({ path: key.split('.'), keySpan: value.span, value, from: [key], ifStated: [] });
    }
  }

  private sets({ sets, ifStated }: DialectCall, at: Span): void {
    const span = this.program.inFile(at);
    const source = this.program.text.slice(at.start, at.end);
    for (const [key, value] of Object.entries(sets)) {
      const node = scalarNode(value, source, span);
      this.implied.push({ path: key.split('.'), keySpan: span, value: node, from: [key], ifStated });
    }
  }

  private placeOf(call: Call, entry: DialectCall): CallPlace {
    const { at, ...style } = insertionIn(this.program.text, call);
    // An argument that takes an object (`peft_config=LoraConfig(…)`) has no value that could be written.
    const names = Object.entries(entry.keys)
      .filter(([argument]) => !this.calls.some(({ givenAs }) => givenAs.includes(argument)))
      .map(([argument, key]) => [key, argument] as const);
    return {
      span: this.program.inFile(call.span),
      names: Object.fromEntries(names.toReversed()),
      only: entry.own ? null : entry.only.map(name => name.replaceAll('_', entry.joint)),
      at: this.program.inFile({ start: at, end: at }).start,
      ...style,
    };
  }
}
