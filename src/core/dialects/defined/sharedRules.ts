import type { Quantity } from '../../spec/quantity';
import { accumulationFromGlobal } from '../engine/common';
import type { QuantityTable } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { resumesBy } from '../shared/checkpoints';
import { composerTrainer } from '../shared/composerTrainer';
import { deviceMapAt } from '../shared/deviceMap';
import { evaluatesByStrategy } from '../shared/evaluation';
import { ggmlQuantization } from '../shared/ggml';
import { autocastByPrecision, lightningTrainer } from '../shared/lightning';
import { checkpointDtype, loadDtype } from '../shared/loading';
import { megatronDegrees } from '../shared/megatronDegrees';
import { kvCacheDtype, servedDevices, servedQuantization, servedStrategy } from '../shared/serving';
import { fsdpOfParts, offloadOfFsdp, offloadOfParts, zeroBuffersOf, zeroStage } from '../shared/sharding';
import { head, sequencesPerSample } from '../shared/tasks';
import { effectiveOfMicro, effectiveOfShared, encoderDecoder, shareOfBatch } from '../shared/toolkit';
import {
  autocastByFlags,
  ligerKernels,
  reentrantCheckpointing,
  trainingArguments,
} from '../shared/trainingArguments';
import { rawRow, shareOf, wholeModel } from '../shared/vision';
import { rawWords } from '../shared/words';
import type { DefinedRow } from './definition';
import type { RowKind } from './rows';

/** A rule that several dialects share, for the keys of the row that names it; null: no answer. */
type SharedRule = (row: DefinedRow, kind: RowKind) => (run: RunReader) => Quantity<unknown> | null;

const plain =
  (rule: (run: RunReader) => Quantity<unknown> | null): SharedRule =>
  () =>
    rule;

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
  ggmlQuantization: ({ keys: [key = ''] }) => ggmlQuantization(key),
  headOfTask: plain(head),
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
