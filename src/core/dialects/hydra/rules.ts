import type { Quantity } from '../../spec/quantity';
import { accumulationFromGlobal } from '../engine/common';
import { count } from '../engine/readers';
import type { ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { lightningDevices, lightningPrecision } from '../shared/lightning';
import { strategyWord } from '../shared/lightningStrategy';
import { taskByClass } from '../shared/taskByClass';
import { trainerSections } from '../shared/trainerSections';

/** Keys that name classes of a project's own code, which identify the task and the project. */
export const CLASSES = [
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
export function trainerKey(run: RunReader, name: string): string | null {
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

export function devices(run: RunReader): Quantity<number | 'auto'> {
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

export function nodes(run: RunReader): Quantity<number> {
  for (const key of ['hydra.launcher.nodes', 'job.scheduler.num_nodes']) {
    const stated = run.has(key) ? run.read(key, count) : null;
    if (stated !== null) return run.at(key, stated);
  }
  if (isOneDevice(run)) return run.byDefault(1, 'one process on one device');
  return trainerRow('num_nodes', count, 1)(run);
}

const text: ValueReader<string> = value => (typeof value === 'string' ? { ok: value } : null);

export function accelerator(run: RunReader): Quantity<string> {
  if (isOneDevice(run)) {
    return run.at(ONE_DEVICE, (run.word(ONE_DEVICE) ?? '').replace(/:\d+$/, ''));
  }
  return trainerRow('accelerator', text, 'auto')(run);
}

export function strategy(run: RunReader): Quantity<string> {
  for (const key of ['trainer.strategy._target_', 'strategy._target_']) {
    const name = run.has(key) ? run.read(key, text) : null;
    if (name !== null) return run.at(key, strategyWord(name));
  }
  return trainerRow('strategy', text, 'auto')(run);
}

export function precision(run: RunReader): Quantity<string> {
  if (isOneDevice(run)) return run.byDefault('fp32', 'torch: no autocast unless the program asks for it');
  return trainerRow('precision', lightningPrecision, 'fp32')(run);
}

export function precisionRaw(run: RunReader): Quantity<string> {
  const key = trainerKey(run, 'precision');
  const value = key === null ? null : run.value(key);
  if (key === null || typeof value === 'object') return run.unknown('No precision is set.');
  return run.at(key, String(value));
}

export function gradAccum(run: RunReader): Quantity<number> {
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

export function task(run: RunReader): Quantity<string> {
  const byClass = taskByClass(run, CLASSES);
  if (byClass.value !== null) return byClass;
  const corpus = run.pathWords.find(word => PRETRAINING.test(word));
  return corpus === undefined ? byClass : run.derived('lm_pretrain', ['path'], `its path names ${corpus}`);
}

export function loadDtype(run: RunReader): Quantity<'fp32' | 'bf16' | 'fp16'> {
  const compute = run.get('precision').value;
  if (compute === null) return run.unknown('The precision is not known.');
  if (compute === 'bf16' || compute === 'fp16') {
    return run.derived<'bf16' | 'fp16'>(compute, ['precision'], 'true 16-bit precision casts the module');
  }
  return run.byDefault<'fp32'>('fp32', 'torch: modules are made in fp32');
}

/** Without adapters, the whole module is trained unless its code freezes parts. */
export function method(run: RunReader): Quantity<'full'> {
  const adapters = ['lora', 'peft', 'model.lora', 'model.peft', 'training.lora'].find(key => run.has(key));
  return adapters === undefined
    ? run.byDefault<'full'>('full', 'torch.nn: parameters are trained unless code freezes them')
    : run.unknown(`${adapters} is there: what it does is the program’s own.`);
}
