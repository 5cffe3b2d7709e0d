import type { Entry, ScalarNode } from '../yaml/node';
import { resolve } from '../yaml/path';
import { runsOfJob } from './command/jobs';
import { nodeAt, entriesOf, itemsOf, rootOf } from './command/nodes';
import { argument } from './command/word';
import type { Command, Word } from './command/word';
import { located } from './command/located';
import type { Composition, Layer, NearbyFiles } from './engine/compose';
import { cellsOf } from './engine/sweep';
import type { Axis } from './engine/sweep';
import { argumentsIn } from './envelopes/environment';
import { builtIn } from './defined/compile';
import file from './wandbSweep.yaml';
import type { Dialect } from './dialect';

/** One run for each cell: the sweep's fixed values are flags of the program, the swept ones override them. */
async function sweepRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const parameters = parametersIn(entriesOf(nodeAt(rootOf(opened), 'parameters')), '');
  const axes = parameters.filter(({ values }) => values.length > 1);
  const command = commandOf(opened, parameters);
  const job = { name: '', image: '', commands: [command], environment: [], launched: {} };
  const runs = (await runsOfJob(job, opened, files)).filter(({ dialect }) => dialect !== undefined);
  return runs.flatMap(run => cellsOf(run, axes, opened));
}

/** `{value: 1}`, `{values: [1, 2]}`, and nested parameters; distributions have no cells. */
function parametersIn(entries: readonly Entry[], prefix: string): readonly Axis[] {
  return entries.flatMap(({ key, keySpan, value }) => {
    const name = `${prefix}${key}`;
    const inner = nodeAt(value, 'parameters');
    if (inner) return parametersIn(entriesOf(inner), `${name}.`);
    const one = nodeAt(value, 'value');
    const values = one ? [one] : itemsOf(nodeAt(value, 'values')).map(resolve);
    const scalars = values.filter((node): node is ScalarNode => node?.kind === 'scalar');
    return scalars.length > 0 ? [{ key: name, keySpan, values: scalars }] : [];
  });
}

/**
 * The command of an agent: `command`, or by default the program with all parameters (wandb/wandb_agent.py, 0.19).
 */
function commandOf(opened: Layer, parameters: readonly Axis[]): Command {
  const { text } = opened.yaml;
  const root = rootOf(opened);
  const program = nodeAt(root, 'program');
  const script = program?.kind === 'scalar' ? [argument(located(program, text), new Map(), 'shell')] : [];
  const given = argumentsIn(nodeAt(root, 'command'), text, new Map(), 'shell').flatMap(word =>
    word.text === '${program}' ? script : [word],
  );
  const written = given.filter(({ text: word }) => !/^\$\{(?:env|interpreter|args\w*)\}$/.test(word));
  const words = given.length > 0 ? written : script;
  return [python(words), ...words, ...parameters.flatMap(axis => flagOf(axis, text))].flat();
}

/** Agents start programs with Python; a command that already does is unchanged. */
function python(words: Command): readonly Word[] {
  const [first] = words;
  return first?.text.endsWith('.py') === true ? [{ ...first, text: 'python' }] : [];
}

/** `--name value` with a parameter's first value, at the position where it is edited. */
function flagOf({ key, keySpan, values }: Axis, text: string): readonly Word[] {
  const [value] = values;
  if (!value) return [];
  const flag = { text: `--${key}`, span: keySpan, open: false, inText: false };
  return [flag, argument(located(value, text), new Map(), 'shell')];
}

/** Sweeps of Weights & Biases: the program, and the values that it is started with. wandb 0.19. */
export const wandbSweep: Dialect = builtIn(file, {
  compose: sweepRuns,
});
