import type { Composition, Layer } from '../../dialects/engine/compose';
import { layerOf, mapOf } from '../../dialects/engine/settings';
import { optionsOf } from './options';
import { factsOf, silenceOf } from './facts';
import { deviceOfLoop } from './ownDevice';
import { visibleGpus, workersOfRay } from './platform';
import { recognizeLoop } from '../../dialects/stranger';
import type { Known } from '../../dialects/known';
import type { BesideCall } from '../../python/callFinder';
import type { Program } from '../../python/program';
import type { Project } from '../../python/project';
import type { ProgramSource } from '../../python/source';
import { PYTHON } from '../../yaml/node';

/** A loop computes gradients by itself, and a step of an optimizer of its own follows; each may be in another file. */
const TRAINS = /\.step\(|\.backward\(|\boptim|[Tt]rain/;

/** A training step as a method of the model: how image-to-image programs call it, whose model class is chosen by name. */
const STEP = 'optimize_parameters';

interface Around {
  /** What other files of the project say. */
  readonly project: Project | null;
  /** The config that the program is handed says its model and its batch, and its loop may be Lightning's. */
  readonly isHanded: boolean;
}

/** The call that makes a program's loop one that trains; undefined: it has none. */
function startIn(program: Program, source: ProgramSource, isLightning: boolean): BesideCall | undefined {
  if (!TRAINS.test(source.text)) return undefined;
  const called = (wanted: string): readonly BesideCall[] => {
    const own = program.besides(name => name === wanted);
    return own.length > 0 || !program.isStarted ? own : program.elsewhere(name => name === wanted);
  };
  const [backward] = called('backward');
  const [own] = backward && called('step').length > 0 ? [backward] : called(STEP);
  return own ?? (isLightning ? called('fit')[0] : undefined);
}

/** The GPUs that a loop sees; without what shares its work, it uses one of several. */
function visibleTo(program: Program, opened: Layer, source: ProgramSource): Pick<Composition, 'launched'> {
  const workers = workersOfRay(program, opened, source);
  if (workers) return { launched: workers };
  const visible = visibleGpus(program, opened, source);
  return visible && (visible.devices?.value === 1 || SHARES.test(source.text)) ? { launched: visible } : {};
}

/** Several GPUs work on one batch, or each on its own. */
const SHARES = /\b(?:Distributed)?DataParallel\b|\bAccelerator\(/;

/** A module of Lightning, whose trainer has the loop. */
const IN_LIGHTNING = /\bdef configure_optimizers\(/;

/**
 * The run of a program that trains in a loop of its own, by what its calls say. Null if it says no model and no batch,
 * or has no such loop.
 */
export function loopRun(
  program: Program,
  source: ProgramSource,
  opened: Layer,
  { project, isHanded }: Around,
): { readonly known: Known; readonly composition: Composition } | null {
  // A test trains something small of its own, if anything starts it.
  if (isTest(opened.path) && !isHanded) return null;
  const others = project?.programs() ?? [];
  const isLightning = isHanded && [source.text, ...others].some(text => IN_LIGHTNING.test(text));
  const start = startIn(program, source, isLightning);
  if (!start) return null;
  const place = source.inFile(start.nameSpan);
  // A library's function trains what its callers give it.
  const isIdle = start.inFunction && !program.isStarted;
  const device = isIdle ? [] : deviceOfLoop(source.text, project, place);
  const told = [...factsOf(program, source, others, isIdle), ...optionsOf(program, source), ...device];
  const layer = layerOf(opened, mapOf(told, place, PYTHON), null);
  const document = layer.yaml.documents[layer.document];
  const silence = silenceOf([source.text, ...others], told);
  const known = document ? recognizeLoop(document, silence, isHanded) : null;
  const isOpen = isIdle && !isHanded && !saysBatch(known);
  return known && !isOpen
    ? { known, composition: { name: '', layers: [layer], ...visibleTo(program, opened, source) } }
    : null;
}

/** A file of pytest or unittest. */
export const isTest = (path: string): boolean => /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path);

const saysBatch = (known: Known | null): boolean =>
  Object.keys(known?.definition?.rows ?? {}).some(name => /^(?:micro|global)BatchSize$/.test(name));
