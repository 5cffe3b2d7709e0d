import { isDetailName, isQuantityName } from '../../spec/names';
import type { Quantity } from '../../spec/quantity';
import { accumulationFromGlobal } from '../engine/common';
import type { QuantityTable } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { composerTrainer } from '../shared/composerTrainer';
import { deviceMapAt } from '../shared/deviceMap';
import { ggmlQuantization } from '../shared/ggml';
import { autocastByPrecision, lightningTrainer } from '../shared/lightning';
import { checkpointDtype, loadDtype } from '../shared/loading';
import { kvCacheDtype, servedDevices, servedQuantization, servedStrategy } from '../shared/serving';
import {
  fsdpOfParts,
  megatronDegrees,
  offloadOfFsdp,
  offloadOfParts,
  zeroBuffersOf,
  zeroStage,
} from '../shared/sharding';
import { head, sequencesPerSample } from '../shared/tasks';
import { effectiveOfMicro, effectiveOfShared, encoderDecoder, shareOfBatch } from '../shared/toolkit';
import {
  autocastByFlags,
  evaluatesByStrategy,
  ligerKernels,
  reentrantCheckpointing,
  resumesBy,
  trainingArguments,
} from '../shared/trainingArguments';
import { rawRow, shareOf, wholeModel } from '../shared/vision';
import { rawWords } from '../shared/words';
import type { DefinedRow } from './definition';

/** A rule that several dialects share, for the keys of the row that names it; null: no answer. */
type SharedRule = (row: DefinedRow, name: string) => (run: RunReader) => Quantity<unknown> | null;

const plain =
  (rule: (run: RunReader) => Quantity<unknown> | null): SharedRule =>
  () =>
    rule;

/** The answer of the first of these files that has one. */
const knownInParts: SharedRule =
  ({ keys }, name) =>
  run => {
    const found = keys.map(key => {
      const part = run.part(key);
      if (part === null) return null;
      return isQuantityName(name) ? part.get(name) : isDetailName(name) ? part.detail(name) : null;
    });
    return found.find(one => one !== null && one.value !== null) ?? null;
  };

/** Rules that a row of a dialect file can name. */
export const sharedRules: Readonly<Record<string, SharedRule>> = {
  accumulationFromGlobal: plain(accumulationFromGlobal),
  autocastByFlags: plain(autocastByFlags),
  autocastByPrecision: plain(autocastByPrecision),
  checkpointDtype: ({ keys }) => checkpointDtype(keys),
  deviceMap: ({ keys }) => deviceMapAt(...keys),
  effectiveOfMicro: plain(effectiveOfMicro),
  effectiveOfShared: plain(effectiveOfShared),
  encoderDecoder: plain(encoderDecoder),
  evaluatesByStrategy: plain(evaluatesByStrategy),
  fsdpOfParts:
    ({ keys }) =>
    run =>
      fsdpOfParts(run, keys),
  ggmlQuantization: ({ keys }) => ggmlQuantization(keys),
  headOfTask: plain(head),
  knownInParts,
  kvCacheDtype: ({ keys: [key = ''] }) => kvCacheDtype(key),
  ligerKernels: plain(ligerKernels),
  offloadOfFsdp: plain(offloadOfFsdp),
  offloadOfParts:
    ({ keys }) =>
    run =>
      offloadOfParts(run, keys),
  loadDtype:
    ({ keys }) =>
    run =>
      loadDtype(run, keys),
  megatronDegrees:
    ({ keys: [section = ''] }) =>
    run =>
      megatronDegrees(run, section),
  raw: ({ keys }) => rawRow(...keys),
  rawWords:
    ({ keys }) =>
    run => {
      const words = rawWords(run, keys);
      return words === null ? null : run.at(keys, words);
    },
  reentrantCheckpointing: plain(reentrantCheckpointing),
  resumes: ({ keys: [key = ''] }) => resumesBy(key),
  sequencesPerSample: plain(sequencesPerSample),
  servedQuantization: ({ keys: [key = ''] }) => servedQuantization(key),
  shareOfBatch: plain(shareOfBatch),
  shareOfGlobal: plain(shareOf),
  zeroBuffers: ({ keys }) => zeroBuffersOf(keys),
  zeroStage:
    ({ keys }) =>
    run =>
      zeroStage(run, keys),
};

/** Tables of rows that a dialect file can include (`like`), by the section of their keys or their source. */
export const sharedTables: Readonly<Record<string, (at: string) => QuantityTable>> = {
  composerTrainer: () => composerTrainer,
  lightningTrainer,
  serving: () => ({ devices: servedDevices, strategy: servedStrategy }),
  trainingArguments: () => trainingArguments,
  wholeModel,
};
