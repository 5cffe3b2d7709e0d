import type { NetworkArguments, NetworkClass, NetworkFacts, NetworkPart } from '../models/network';
import type { Project } from '../python/project';
import { isProgram } from '../text/paths';
import { childrenIn, parametersOf } from './modules';
import { largestOf, namedBy, sizeOf, trainedBeside } from './together';
import { Homes } from './homes';
import { instantiated, valueOf } from './instantiate';
import { programsOf } from './programs';
import { sampleIn } from './samples';
import { fieldsOf, namesIn } from './seen';
import { argumentsFor, inputsOf, ROWS } from './inputs';
import type { Input, SampleFacts } from './inputs';
import { TooLong } from './interpreter';
import type { Interpreter } from './interpreter';
import { NO_WORK, repeated, workOf } from './partWork';
import { passesOf } from './passes';
import { keptBytes } from './trace';
import {
  Dictionary,
  elementsOf,
  Func,
  Instance,
  isInstance,
  isTensor,
  Klass,
  Raised,
  UNKNOWN,
} from './values';
import { memberOf } from './calls';
import type { Value } from './values';

/** A network, or why there is none. */
export type NetworkReading =
  | { readonly ok: true; readonly network: NetworkFacts; readonly named: readonly string[] }
  | { readonly ok: false; readonly why: string; readonly named: readonly string[] };

/**
 * The network that a class of a project makes of a config's arguments: its parameters, and what a pass keeps for
 * backward, by running its code on shapes. Nothing of Python is executed. Never throws.
 */
export function readNetwork(project: Project, wanted: NetworkClass, facts: SampleFacts): NetworkReading {
  const homes = new Homes(project);
  const { machine } = homes;
  try {
    const own = isProgram(project.path) ? started(homes, project.path, wanted) : null;
    const network = (own && largestOf(machine)) ?? madeBy(homes, project, wanted);
    const named = namedBy(machine);
    if (network === null) return { ok: false, why: machine.whyNot ?? 'none is found', named };
    const sample = sampleIn({ ...own, ...wanted.config }, facts, machine.seen);
    const passed = passOf(machine, network, sample);
    if ('why' in passed) return { ok: false, why: `the pass of ${nameOf(network)}: ${passed.why}`, named };
    const first = factsOf(machine, network, passed, sample.data);
    const others = trainedBeside(machine, network);
    const all: [NetworkFacts, ...NetworkFacts[]] = [
      first,
      ...others.map(one => besideFacts(machine, one, sample, first)),
    ];
    return { ok: true, network: ofStep(all, passesOf(machine, [network, ...others])), named };
  } catch (error) {
    if (!(error instanceof Raised || error instanceof TooLong || error instanceof RangeError)) throw error;
    return { ok: false, why: error.message, named: [...machine.named] };
  }
}

/** The network that a class path names, else the largest that a program near the config makes of it, else a library's. */
function madeBy(homes: Homes, project: Project, wanted: NetworkClass): Instance | null {
  const { machine } = homes;
  machine.config = valueOf(wanted.config);
  if (wanted.path !== null && machine.find(wanted.path) !== null) {
    return made(machine, wanted.path, wanted.arguments);
  }
  // A program's neighbors train networks of their own.
  for (const program of isProgram(project.path) ? [] : programsOf(project)) {
    homes.start(program);
    const largest = largestOf(machine);
    if (largest) return largest;
  }
  const { library } = wanted;
  return library && made(machine, library.path, library.arguments);
}

/** Runs a program that has no config, with the options of its command; returns what it assigns to its names. */
function started(homes: Homes, program: string, { config }: NetworkClass): NetworkArguments {
  homes.machine.options = valueOf(config);
  const scope = homes.start(program);
  if (scope === null) return {};
  const all = [...homes.machine.settings.map(fieldsOf), namesIn(scope)];
  return Object.fromEntries(all.flatMap(one => Object.entries(one ?? {})));
}

function made(machine: Interpreter, path: string, given: NetworkArguments): Instance | null {
  const section = new Map<Value, Value>([
    ['_target_', path],
    ['init_args', valueOf(given)],
  ]);
  const network = instantiated(machine, new Dictionary(section), unstated(machine, path, given));
  return isInstance(network) ? network : null;
}

/** Arguments that the class needs and the config has not: the program that makes it gives them, and they are not known. */
function unstated(machine: Interpreter, path: string, given: NetworkArguments): ReadonlyMap<string, Value> {
  const of = machine.find(path);
  const init = of instanceof Klass ? memberOf(of, '__init__') : of;
  if (!(init instanceof Func)) return new Map();
  const own = of instanceof Klass ? init.parameters.slice(1) : init.parameters;
  const missing = own.filter(
    ({ name, byDefault, stars }) => stars === 0 && !byDefault && !Object.hasOwn(given, name),
  );
  return new Map(missing.map(({ name }) => [name, UNKNOWN]));
}

const nameOf = ({ of }: Instance): string => of?.name ?? 'a network';

interface Pass {
  readonly network: Instance;
  readonly input: Input;
  readonly outputs: number;
  /** Sides of the image that it makes; null: it makes none. */
  readonly sides: readonly number[] | null;
}

/** Inputs that are tried, and networks in the one that is made. */
const MOST_PARTS = 4;

/** What stopped a pass. */
interface Stopped {
  readonly why: string;
}

/** A pass of the network; if its own forward is not one of a tensor, of the largest network in it; else what stopped the first. */
function passOf(machine: Interpreter, network: Instance, facts: SampleFacts): Pass | Stopped {
  let stopped: Stopped | null = null;
  // A small part would tell little of the whole.
  const whole = sizeOf(network);
  const inner = childrenIn(network)
    .map(part => ({ part, size: sizeOf(part) }))
    .filter(({ size }) => size > whole / 2)
    .sort((a, b) => b.size - a.size)
    .slice(0, MOST_PARTS);
  for (const candidate of [network, ...inner.map(({ part }) => part)]) {
    for (const input of inputsOf(candidate, facts)) {
      const outputs = tried(machine, candidate, input);
      if (!('why' in outputs)) return { network: candidate, input, ...outputs };
      stopped ??= outputs;
    }
  }
  return stopped ?? { why: 'no input is known' };
}

/** The size of the output, or why the network does not take such an input. */
function tried(
  machine: Interpreter,
  network: Instance,
  input: Input,
): Pick<Pass, 'outputs' | 'sides'> | Stopped {
  machine.trace.begin();
  try {
    const result = machine.call(network, { list: argumentsFor(machine, network, input), named: new Map() });
    const tensors = tensorsIn(result);
    if (tensors.length === 0) return { why: 'it returns no tensor' };
    const [{ shape } = { shape: [] }] = tensors;
    return {
      outputs: tensors.reduce((sum, one) => sum + elementsOf(one.shape), 0),
      sides: shape.length === 4 ? shape.slice(2) : null,
    };
  } catch (error) {
    if (error instanceof Raised) return { why: error.message };
    throw error;
  }
}

function tensorsIn(value: Value, depth = 0): readonly Extract<Value, { kind: 'tensor' }>[] {
  if (isTensor(value)) return value.storage.isParameter ? [] : [value];
  if (depth > 3) return [];
  if (Array.isArray(value)) return value.flatMap(one => tensorsIn(one, depth + 1));
  if (value instanceof Dictionary) {
    return [...value.entries.values()].flatMap(one => tensorsIn(one, depth + 1));
  }
  return value instanceof Instance
    ? [...value.attributes.values()].flatMap(one => tensorsIn(one, depth + 1))
    : [];
}

/** What nothing passes. */
const NO_PASS = { kept: { full: 0, mixed: 0 }, largest: 0, work: NO_WORK } as const;

/** Parts of a network: more are joined. */
const MOST_SEGMENTS = 48;

/** A network that a step passes too; of one whose pass is not known, its parameters alone. */
function besideFacts(
  machine: Interpreter,
  network: Instance,
  sample: ReturnType<typeof sampleIn>,
  first: NetworkFacts,
): NetworkFacts {
  const passed = passOf(machine, network, { ...sample, sides: sample.sides ?? first.sides ?? null });
  if (!('why' in passed)) return factsOf(machine, network, passed, null);
  const shapes = byTraining(machine, parametersOf(network));
  return {
    ...{ name: nameOf(network), file: network.of?.home.path ?? '', inputs: 0, outputs: 0 },
    parts: [{ ...shapes, ...NO_PASS }],
    parameters: sizeOf(network),
    assumed: [`the pass of ${nameOf(network)} is not counted: ${passed.why}`],
  };
}

/** Networks of one step: all of them live at once. */
const together = (first: NetworkFacts, other: NetworkFacts): NetworkFacts => ({
  ...first,
  name: `${first.name} + ${other.name}`,
  parts: [...first.parts, ...other.parts],
  inputs: first.inputs + other.inputs,
  outputs: first.outputs + other.outputs,
  parameters: first.parameters + other.parameters,
  assumed: [...first.assumed, ...other.assumed],
});

/** The networks of a step, each with the work of all its passes. */
function ofStep(all: readonly [NetworkFacts, ...NetworkFacts[]], passes: readonly number[]): NetworkFacts {
  if (all.length === 1) return all[0];
  const [first, ...others] = all.map((one, at) => ({
    ...one,
    parts: one.parts.map(part => ({ ...part, work: repeated(part.work, passes[at] ?? 1) })),
  }));
  return first ? others.reduce(together, first) : all[0];
}

function factsOf(machine: Interpreter, whole: Instance, pass: Pass, data: string | null): NetworkFacts {
  const { trace } = machine;
  const parameters = parametersOf(whole);
  const each = Math.ceil(trace.segments.length / MOST_SEGMENTS);
  const parts: NetworkPart[] = [];
  for (let from = 0; from < trace.segments.length; from += each) {
    const segments = trace.segments.slice(from, from + each);
    const kept = trace.storages
      .filter(({ segment }) => segment >= from && segment < from + each)
      .map(keptBytes);
    const own = segments.flatMap(one => one.parameters);
    parts.push({
      ...byTraining(machine, own),
      kept: {
        full: kept.reduce((sum, { full }) => sum + full, 0) / ROWS,
        mixed: kept.reduce((sum, { mixed }) => sum + mixed, 0) / ROWS,
      },
      largest: Math.max(...segments.map(({ largest }) => largest)) / ROWS,
      work: workOf(segments),
    });
  }
  const rest = parameters.filter(one => !trace.isPlaced(one));
  if (rest.length > 0) parts.push({ ...byTraining(machine, rest), ...NO_PASS });
  const inside = pass.network === whole ? [] : ['a step is a pass of the largest network in it'];
  return {
    name: nameOf(whole),
    file: whole.of?.home.path ?? '',
    parts,
    inputs: elementsOf(pass.input.shape) / ROWS,
    outputs: pass.outputs / ROWS,
    ...(pass.sides && { sides: pass.sides }),
    parameters: parameters.reduce((sum, { shape }) => sum + elementsOf(shape), 0),
    assumed: [
      ...inside,
      ...(data === null ? [] : [`images of the size that ${data} has`]),
      ...(pass.input.assumed === null ? [] : [pass.input.assumed]),
    ],
  };
}

function byTraining(
  { frozen }: Interpreter,
  parameters: ReturnType<typeof parametersOf>,
): Pick<NetworkPart, 'trained' | 'frozen'> {
  const shapes = (isFrozen: boolean) =>
    parameters.filter(({ storage }) => frozen.has(storage) === isFrozen).map(({ shape }) => shape);
  return { trained: shapes(false), frozen: shapes(true) };
}
