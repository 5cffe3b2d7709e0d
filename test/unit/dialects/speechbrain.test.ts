import assert from 'node:assert/strict';
import { readConfig } from '../../../src/core/reading/read';
import { running, worldOf } from './support';

const PATH = '/w/hparams/train.yaml';
const HEAD = '__set_seed: !apply:torch.manual_seed [1]\nnumber_of_epochs: 3\ntrain_logger: !new:Logger\n';

const withArguments = (keys: string): string => keys.replaceAll(/$/gm, '\n  lr: 0.1');

/** The optimizer of a recipe with these keys, or why there is none. */
async function optimizerOf(keys: string): Promise<unknown> {
  const text = `${HEAD}train_dataloader_opts:\n  batch_size: 4\n${withArguments(keys)}\n`;
  const { dialect, runs } = await readConfig(PATH, text, worldOf({ [PATH]: text }), running);
  assert.equal(dialect, 'speechbrain');
  const { value, origin } = (runs[0] ?? assert.fail('no run')).quantities.optimizer;
  return origin.kind === 'unresolved' ? origin.why : value;
}

describe('optimizers of SpeechBrain recipes', () => {
  it('are the class that a tag names, whatever the key is called', async () => {
    assert.equal(await optimizerOf('adam_opt_class: !name:torch.optim.Adam'), 'torch.optim.Adam');
    assert.equal(await optimizerOf('SGD: !name:torch.optim.SGD'), 'torch.optim.SGD');
    assert.equal(await optimizerOf('opt_class: !name:recipe.Own'), 'recipe.Own');
    const parts = 'a_opt_class: !name:torch.optim.AdamW\nb_opt_class: !name:torch.optim.AdamW';
    assert.equal(await optimizerOf(parts), 'torch.optim.AdamW');
  });

  it('are unknown where parts have different ones, and are no schedulers', async () => {
    const parts = 'a_opt_class: !name:torch.optim.AdamW\nb_opt_class: !name:torch.optim.SGD';
    assert.match(String(await optimizerOf(parts)), /different classes/);
    const scheduler = 'annealing: !new:torch.optim.lr_scheduler.StepLR\nwarm: !name:own.Warm';
    assert.match(String(await optimizerOf(scheduler)), /No key names/);
  });
});
