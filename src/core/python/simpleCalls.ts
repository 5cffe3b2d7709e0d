import { settingsAs } from './attributes';
import { builtInCall, over } from './builtIns';
import { argparseFields } from './commandLine';
import { dataOf } from './elsewhere';
import type { Evaluation } from './frame';
import type { Modules } from './modules';
import { dataclassesOf, structured } from './parsedClasses';
import type { Expression } from './syntax';
import type { Call, Value } from './value';

/** Functions that return what they are given. */
const PASSES =
  /(?:\.for_training|\.for_inference|^torch\.compile|\.prepare_model|^trl\.(?:\w+\.)*setup_chat_format|^accelerate\.Accelerator\(\)\.prepare)$/;

/** What a call of a library returns whose meaning is known; null: it is another one. */
export function simpleCall(
  target: Value,
  { name, on, args, span }: Pick<Call, 'name' | 'on' | 'args' | 'span'>,
  evaluation: Evaluation,
  modules: Modules | null,
): Value | null {
  const [first] = args;
  if (PASSES.test(name) && first) {
    const values = args.map(arg => arg.value);
    return args.length === 1 ? { ...first.value, span } : { kind: 'items', span, items: values };
  }
  const parsed =
    dataclassesOf({ name, on, args, span }, evaluation, path => loadedFrom(path, span, modules)) ??
    settingsAs(name, on, args, span, evaluation);
  if (parsed || target.kind !== 'name') return parsed;
  return (
    launchedCall(name, args, span, evaluation.commandLine) ??
    sectionsOf(name, args, span, evaluation) ??
    builtInCall(name, args, span) ??
    argparseFields(name, args, evaluation) ??
    modules?.asked(name, null, args, span) ??
    modules?.loaded(name, args, span) ??
    null
  );
}

/** What the file at a path holds; null: it is not known. */
export function loadedFrom(path: Value, span: Call['span'], modules: Modules | null): Value | null {
  const arg = { name: null, position: 0, keySpan: span, value: path, isOwn: false } as const;
  return modules?.loaded('yaml.safe_load', [arg], span) ?? null;
}

/** What OmegaConf makes of classes and of the command. */
const sectionsOf = (
  name: string,
  args: Call['args'],
  span: Call['span'],
  evaluation: Evaluation,
): Value | null =>
  structured(name, args, span, evaluation) ?? dottedFlags(name, span, evaluation.commandLine);

/** OmegaConf's readers of `a.b=c` (omegaconf/omegaconf.py: `from_cli` takes them of `sys.argv` if it gets no list). */
const OF_DOTS = /^omegaconf\.OmegaConf\.from_(?:cli|dotlist)$/;

/** The settings of a command as sections; null: another call, or no command is known. */
function dottedFlags(name: string, span: Call['span'], given: Evaluation['commandLine']): Value | null {
  if (!given || !OF_DOTS.test(name)) return null;
  let all: Value = { kind: 'fields', span, fields: [] };
  for (const [path, node] of given.flags) {
    const keys = path.split('.');
    const value = keys.reduceRight<Value>(
      (inner, key) => ({
        kind: 'fields',
        span,
        fields: [{ key, keySpan: span, value: inner, isElsewhere: true }],
      }),
      dataOf(node, span),
    );
    if (path !== '') all = over(all, value, span);
  }
  return all;
}

/** What asks for the number of processes; launchers set the variable (torch/distributed/run.py, deepspeed/launcher/launch.py). */
const ASKS_WORLD = /^(?:os\.getenv|os\.environ\.get|torch\.distributed\.get_world_size)$/;

/** Variables that a launcher sets for each process. */
const OF_PROCESS = /^(?:LOCAL_)?(?:RANK|WORLD_SIZE)$/;

function launchedCall(
  name: string,
  args: Call['args'],
  span: Call['span'],
  given: Evaluation['commandLine'],
): Value | null {
  if (given?.processes === undefined || !ASKS_WORLD.test(name)) return null;
  const [first] = args;
  const variable = first?.value.kind === 'scalar' ? first.value.value : null;
  const asked = name.endsWith('get_world_size') ? 'WORLD_SIZE' : String(variable);
  if (!OF_PROCESS.test(asked)) return null;
  return asked === 'WORLD_SIZE' && given.processes !== null
    ? { kind: 'scalar', span, value: given.processes }
    : { kind: 'open', span };
}

/** The full name of what is called; '' if it has none. */
export function calledName(
  target: Value,
  on: Value | null,
  callee: Expression,
  evaluation: Evaluation,
): string {
  if (target.kind === 'name') return target.name;
  if (target.kind === 'class') return (target.home ?? evaluation).baseOf(target.of);
  return on?.kind === 'call' && callee.kind === 'member' ? `${on.call.name}().${callee.name}` : '';
}
