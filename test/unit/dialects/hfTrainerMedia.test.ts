import assert from 'node:assert/strict';
import { runOf } from './support';

const plain =
  'model_name_or_path: x\noutput_dir: y\nper_device_train_batch_size: 16\nlearning_rate: 2.0e-5\nsave_strategy: epoch\n';

describe('a Trainer config of embeddings', () => {
  it('says how many passages a query has, how long both are, and that ranks share them', async () => {
    const keys =
      'train_group_size: 8\nquery_max_len: 64\npassage_max_len: 256\nnegatives_cross_device: true\n';
    const { quantities, details } = await runOf(plain + keys);
    assert.equal(quantities.task.value, 'contrastive_embedding');
    assert.deepEqual(details.contrastive?.value, {
      passages: 8,
      queryTokens: 64,
      passageTokens: 256,
      cachedRows: null,
      gathers: true,
    });
  });

  it('says so in whatever section it stands', async () => {
    const keys =
      'loss_config: {loss_type: mrl_infonce, hard_negatives: 7}\ndata_config: {query_max_len: 64, passage_max_len: 256}\n';
    const { quantities, details } = await runOf(plain + keys);
    assert.equal(quantities.task.value, 'contrastive_embedding');
    const { passages, queryTokens, passageTokens } = details.contrastive?.value ?? {};
    assert.deepEqual([passages, queryTokens, passageTokens], [8, 64, 256]);
  });

  it('encodes part by part where gradients are cached', async () => {
    const cached = async (keys: string) => (await runOf(plain + keys)).details.contrastive?.value?.cachedRows;
    const loss = 'loss: CachedMultipleNegativesRankingLoss\n';
    assert.equal(await cached(`${loss}mini_batch_size: 64\n`), 64);
    assert.equal(await cached(loss), 32);
    assert.equal(await cached('loss: MultipleNegativesRankingLoss\nmini_batch_size: 64\n'), null);
    assert.equal(await cached('train_group_size: 4\ngrad_cache: true\ngc_p_chunk_size: 8\n'), 8);
  });
});

describe('a Trainer config of speech', () => {
  it('says how long the audio is, what is frozen, and what evaluation writes', async () => {
    const keys =
      'max_duration_in_seconds: 20.0\nfreeze_feature_encoder: true\npredict_with_generate: true\ngeneration_max_length: 225\n';
    const { details } = await runOf(plain + keys);
    assert.equal(details.audioSeconds?.value, 20);
    assert.deepEqual(details.frozenParts?.value, ['convolutions']);
    assert.deepEqual(details.evaluationWrites?.value, { tokens: 225, beams: 1 });
  });

  it('says none of it where no key does', async () => {
    const { details } = await runOf(plain);
    assert.deepEqual(
      [details.audioSeconds, details.frozenParts, details.evaluationWrites, details.contrastive],
      [undefined, undefined, undefined, undefined],
    );
  });
});
