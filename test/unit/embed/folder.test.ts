import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { longestText } from '../../../src/embed/folder/lengths';
import { readModelFolder } from '../../../src/embed/folder/modelFolder';
import type { ModelOverrides } from '../../../src/embed/folder/modelFolder';
import { FolderLock } from '../../../src/embed/output/lock';
import { workFolder } from './folders';
import { writeTinyModel } from './tinyModel';

describe('embed: a model folder', () => {
  const work = workFolder();
  after(work.remove);
  let made = 0;
  const read = (extra: Readonly<Record<string, unknown>>, wishes: Partial<ModelOverrides> = {}) =>
    readModelFolder(writeTinyModel(join(work.path, String(made++)), 1, extra), {
      precision: 'fp32',
      ...wishes,
    });

  it('says how its vectors are made', async () => {
    const model = await read({
      '1_Pooling/config.json': {
        pooling_mode_cls_token: true,
        pooling_mode_lasttoken: true,
        include_prompt: false,
      },
      'config_sentence_transformers.json': {
        prompts: { query: 'find: ' },
        default_prompt_name: 'query',
        truncate_dim: 8,
      },
    });
    assert.deepEqual(model.poolings, ['cls', 'lasttoken']);
    assert.deepEqual(
      [model.prompt, model.poolPrompt, model.dimensions, model.normalize, model.maxTokens],
      ['find: ', false, 8, true, 12],
    );
    assert.deepEqual(model.assumed, []);
  });

  it('gets defaults for missing settings, which are reported', async () => {
    const model = await read({ 'modules.json': null, 'sentence_bert_config.json': {} });
    const folder = join(work.path, 'bare');
    writeTinyModel(folder);
    for (const name of ['modules.json', '1_Pooling', 'sentence_bert_config.json', 'config.json']) {
      rmSync(join(folder, name), { recursive: true });
    }
    const bare = await readModelFolder(folder, { precision: 'fp32' });
    assert.equal(model.maxTokens, 16);
    assert.deepEqual(
      [bare.poolings, bare.normalize, bare.maxTokens, bare.assumed.length],
      [['mean'], true, 512, 3],
    );
  });

  it('is refused if a step would be left out', async () => {
    const modules = [{ idx: 0, path: '2_Dense', type: 'sentence_transformers.models.Dense' }];
    await assert.rejects(read({ 'modules.json': modules }), /Headroom can't run its step Dense\./);
    await assert.rejects(
      read({ '1_Pooling/config.json': { pooling_mode: 'median' } }),
      /pooling "median" is not known/,
    );
    await assert.rejects(readModelFolder(join(work.path, 'none'), { precision: 'fp32' }), /no such folder/);
  });

  it('is refused if its settings have wrong types', async () => {
    const pooling = (value: unknown) => read({ '1_Pooling/config.json': value });
    await assert.rejects(pooling([]), /1_Pooling\/config\.json: this holds no object; fetch the model again/);
    await assert.rejects(pooling('mean'), /this holds no object/);
    await assert.rejects(
      pooling({ pooling_mode_mean_tokens: 'yes' }),
      /pooling_mode_mean_tokens is "yes", not true or false; .*--pooling/,
    );
    await assert.rejects(pooling({ include_prompt: 1 }), /include_prompt is 1, not true or false/);
    const prompts = { prompts: { query: 7 }, default_prompt_name: 'query' };
    await assert.rejects(
      read({ 'config_sentence_transformers.json': prompts }),
      /the prompt query is no text/,
    );
    await assert.rejects(read({ 'modules.json': [null, { type: 1 }] }), /can't run its step unknown/);
  });

  it('must have regular files: no library waits for a pipe', async function () {
    if (process.platform === 'win32') this.skip();
    for (const name of ['tokenizer.json', 'onnx/model.onnx', '1_Pooling/config.json']) {
      const folder = writeTinyModel(join(work.path, `pipe-${made++}`));
      const path = join(folder, name);
      rmSync(path, { force: true });
      execFileSync('mkfifo', [path]);
      await assert.rejects(
        readModelFolder(folder, { precision: 'fp32' }),
        /not a regular file; fetch the model again/,
        name,
      );
    }
  });

  it('has a maximum length within its positions', () => {
    const of = (config: Record<string, unknown>, said: number | null, tokenizer = 1e30) =>
      longestText({
        config,
        sentenceBert: said === null ? {} : { max_seq_length: said },
        tokenizer: { model_max_length: tokenizer },
      });
    assert.equal(of({ model_type: 'bert', max_position_embeddings: 512 }, 1024), 512);
    assert.equal(of({ model_type: 'xlm-roberta', max_position_embeddings: 514, pad_token_id: 1 }, null), 512);
    assert.equal(of({}, null, 384), 384);
    assert.equal(of({}, null), null);
  });
});

describe('embed: a folder’s lock', () => {
  const work = workFolder();
  after(work.remove);
  const hold = (name: string, holder: unknown): string => {
    const folder = join(work.path, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'lock.json'), typeof holder === 'string' ? holder : JSON.stringify(holder));
    return folder;
  };

  it('is held by one process', async () => {
    const folder = join(work.path, 'free');
    mkdirSync(folder);
    const lock = await FolderLock.take(folder);
    await assert.rejects(FolderLock.take(folder), /process \d+ writes into this folder/);
    await lock.release();
    await (await FolderLock.take(folder)).release();
  });

  it('is taken over from a process that ended, whose id was reused, or that wrote half of it', async () => {
    const gone = { host: hostname(), pid: 2 ** 22 + 1, began: 'x' };
    await (await FolderLock.take(hold('gone', gone))).release();
    if (process.platform === 'linux') {
      await (await FolderLock.take(hold('other', { ...gone, pid: process.pid }))).release();
    }
    await (await FolderLock.take(hold('half', '{"ho'))).release();
  });

  it('is respected if another machine holds it', async () => {
    await assert.rejects(
      FolderLock.take(hold('far', { host: 'elsewhere', pid: 1, began: null })),
      /process 1 on elsewhere/,
    );
  });
});
