import { builtIn } from './defined/compile';
import type { Dialect, WriterTable } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import { hydraTree } from './engine/hydra/composer';
import { word, count, text } from './engine/readers';
import type { ValueReader } from './engine/readers';
import type { RunReader } from './engine/runReader';
import file from './hydra.yaml';
import { lightningWriters } from './lightningCli';
import { lightningDevices, lightningPrecision } from './shared/lightning';
import { lightningSharding, strategyWord } from './shared/lightningStrategy';
import { taskByClass } from './shared/tasks';
import { trainerSections } from './shared/trainerSections';
import { refuse, write } from './shared/writing';
import type { Quantity } from '../spec/quantity';

/** Keys that name classes of a project's own code, which identify the task and the project. */
const CLASSES = [
  'model._target_',
  'task._target_',
  'data._target_',
  'datamodule._target_',
  'data_module._target_',
  '_target_',
] as const;

const TRAINER = 'lightning trainer/trainer.py';

/** The section of the Trainer: the usual one, else where its arguments stand together; '' is the root. */
function trainers(run: RunReader): readonly string[] {
  return [USUAL, ...trainerSections(run).filter(section => section !== USUAL)];
}

const USUAL = 'trainer';

/** The key of a Trainer argument, if a section has it. */
function trainerKey(run: RunReader, name: string): string | null {
  return (
    trainers(run)
      .map(section => (section === '' ? name : `${section}.${name}`))
      .find(key => run.has(key)) ?? null
  );
}

/** True if there is a Trainer: its class, or an argument that no other trainer has under this name. */
function hasTrainer(run: RunReader): boolean {
  return ['_target_', 'devices', 'accelerator', 'accumulate_grad_batches'].some(
    name => trainerKey(run, name) !== null && !isForeign(run),
  );
}

/** True for custom trainers, whose defaults differ from Lightning's. */
function isForeign(run: RunReader): boolean {
  const name = run.has('trainer._target_') ? run.value('trainer._target_') : null;
  return typeof name === 'string' && !/(?:^|\.)(?:lightning|pytorch_lightning)\.|Trainer$/.test(name);
}

/** A row of the Trainer: the stated value, else Lightning's default if there is a Trainer. */
function trainerRow<T>(name: string, read: ValueReader<T>, otherwise: T): (run: RunReader) => Quantity<T> {
  return run => {
    const key = trainerKey(run, name);
    const stated = key === null ? null : run.read(key, read);
    if (key !== null && stated !== null) return run.at(key, stated);
    if (hasTrainer(run)) return run.byDefault(otherwise, TRAINER);
    return run.unknown(`No ${USUAL}.${name} is in these files, nor a Lightning Trainer.`);
  };
}

/** A custom loop on one device: `training.device: cuda:0`. */
const ONE_DEVICE = 'training.device';

const isOneDevice = (run: RunReader): boolean =>
  /^(?:cuda(?::\d+)?|cpu)$/.test(run.has(ONE_DEVICE) ? (run.word(ONE_DEVICE) ?? '') : '');

function devices(run: RunReader): Quantity<number | 'auto'> {
  for (const key of ['hydra.launcher.gpus_per_node', 'job.scheduler.ranks_per_node']) {
    const stated = run.has(key) ? run.read(key, count) : null;
    if (stated !== null) return run.at(key, stated);
  }
  if (isOneDevice(run)) {
    return run.derived<number>(1, [ONE_DEVICE], `one device, ${run.word(ONE_DEVICE) ?? ''}`);
  }
  const old = trainerKey(run, 'gpus');
  if (old !== null && trainerKey(run, 'devices') === null) {
    const stated = run.read(old, lightningDevices);
    if (stated !== null) return run.at(old, stated);
  }
  return trainerRow<number | 'auto'>('devices', lightningDevices, 'auto')(run);
}

function nodes(run: RunReader): Quantity<number> {
  for (const key of ['hydra.launcher.nodes', 'job.scheduler.num_nodes']) {
    const stated = run.has(key) ? run.read(key, count) : null;
    if (stated !== null) return run.at(key, stated);
  }
  if (isOneDevice(run)) return run.byDefault(1, 'one process on one device');
  return trainerRow('num_nodes', count, 1)(run);
}

function accelerator(run: RunReader): Quantity<string> {
  if (isOneDevice(run)) {
    return run.at(ONE_DEVICE, (run.word(ONE_DEVICE) ?? '').replace(/:\d+$/, ''));
  }
  return trainerRow('accelerator', text, 'auto')(run);
}

function strategy(run: RunReader): Quantity<string> {
  for (const key of ['trainer.strategy._target_', 'strategy._target_']) {
    const name = run.has(key) ? run.read(key, text) : null;
    if (name !== null) return run.at(key, strategyWord(name));
  }
  return trainerRow('strategy', text, 'auto')(run);
}

function precision(run: RunReader): Quantity<string> {
  if (isOneDevice(run)) return run.byDefault('fp32', 'torch: no autocast unless the program asks for it');
  return trainerRow('precision', lightningPrecision, 'fp32')(run);
}

function precisionRaw(run: RunReader): Quantity<string> {
  const key = trainerKey(run, 'precision');
  const value = key === null ? null : run.value(key);
  if (key === null || typeof value === 'object') return run.unknown('No precision is set.');
  return run.at(key, String(value));
}

function gradAccum(run: RunReader): Quantity<number> {
  for (const key of [
    'training.gradient_accumulation_steps',
    'training.grad_accum_steps',
    'train.gradient_accumulation_steps',
    'gradient_accumulation_steps',
  ]) {
    const stated = run.has(key) ? run.read(key, count) : null;
    if (stated !== null) return run.at(key, stated);
  }
  const global = run.get('globalBatchSize').value !== null;
  if (global && trainerKey(run, 'accumulate_grad_batches') === null) return accumulationFromGlobal(run);
  return trainerRow('accumulate_grad_batches', count, 1)(run);
}

const PRETRAINING = /^(?:pile|openwebtext|the_pile|wikitext)/;

function task(run: RunReader): Quantity<string> {
  const byClass = taskByClass(run, CLASSES);
  if (byClass.value !== null) return byClass;
  const corpus = run.pathWords.find(word => PRETRAINING.test(word));
  return corpus === undefined ? byClass : run.derived('lm_pretrain', ['path'], `its path names ${corpus}`);
}

function loadDtype(run: RunReader): Quantity<'fp32' | 'bf16' | 'fp16'> {
  const compute = run.get('precision').value;
  if (compute === null) return run.unknown('The precision is not known.');
  if (compute === 'bf16' || compute === 'fp16') {
    return run.derived<'bf16' | 'fp16'>(compute, ['precision'], 'true 16-bit precision casts the module');
  }
  return run.byDefault<'fp32'>('fp32', 'torch: modules are made in fp32');
}

/** Without adapters, the whole module is trained unless its code freezes parts. */
function method(run: RunReader): Quantity<'full'> {
  const adapters = ['lora', 'peft', 'model.lora', 'model.peft', 'training.lora'].find(key => run.has(key));
  return adapters === undefined
    ? run.byDefault<'full'>('full', 'torch.nn: parameters are trained unless code freezes them')
    : run.unknown(`${adapters} is there: what it does is the program’s own.`);
}

/** What a Trainer's arguments begin with: its section and a dot, or nothing at the root. */
function trainerOf(run: RunReader): string | undefined {
  const key = trainerKey(run, 'devices') ?? trainerKey(run, '_target_');
  return key?.slice(0, key.lastIndexOf('.') + 1);
}

/** How to write quantities in Hydra projects: with the existing key, if it is unambiguous. */
const hydraWriters: WriterTable = {
  ...lightningWriters('trainer.'),
  gradAccum: (to, run) => {
    const trainer = trainerOf(run);
    return trainer === undefined
      ? refuse('There is no Lightning Trainer that would accumulate.')
      : write(`${trainer}accumulate_grad_batches`, to, [`${trainer}max_epochs`, `${trainer}devices`]);
  },
  precision: (to, run) =>
    trainerOf(run) === undefined
      ? refuse('The project has a loop of its own: its code chooses the precision.')
      : (lightningWriters(trainerOf(run) ?? '').precision?.(to, run) ??
        refuse('There is no such precision.')),
  devices: (to, run) => {
    const trainer = trainerOf(run);
    return trainer === undefined ? refuse('No Trainer counts the GPUs.') : write(`${trainer}devices`, to);
  },
};

/**
 * Projects that compose their config with Hydra, usually around a Lightning Trainer; sources are files of
 * facebookresearch/hydra 1.3 and Lightning 2.6. Project-specific keys are in `packs`.
 */
export const hydra: Dialect = builtIn(file, {
  classKeys: CLASSES,
  quantities: {
    ...lightningSharding('trainer.strategy', 'trainer.strategy'),
    model: { read: value => (typeof value === 'string' ? word(value) : null) },
    task,
    method,
    gradAccum,
    precision,
    precisionRaw,
    loadDtype,
    optimizer: { read: value => (typeof value === 'string' ? word(value) : null) },
    devices,
    nodes,
    accelerator,
    strategy,
    compile: { read: value => (typeof value === 'boolean' ? { ok: value } : null) },
  },
  writers: hydraWriters,
  compose: hydraTree,
});
