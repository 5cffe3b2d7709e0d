import assert from 'node:assert/strict';
import { pythonRuns } from '../../../src/core/reading/program/runs';
import { runOf } from './support';

describe('programs with a module of Lightning, or that embed', () => {
  const MODULE = (init: string, made: string): string =>
    `import argparse
import pytorch_lightning as pl
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from torch.utils.data import DataLoader

def load(name):
    quant = BitsAndBytesConfig(load_in_4bit=True)
    model = AutoModelForCausalLM.from_pretrained(name, quantization_config=quant)
    return get_peft_model(model, LoraConfig(r=8, lora_alpha=16, target_modules=["q_proj"]))

class Tuner(pl.LightningModule):
    ${init}
    def configure_optimizers(self):
        return AdamW(self.parameters())
    def train_dataloader(self):
        return DataLoader(rows, batch_size=self.hparams.batch_size, shuffle=True)

def main(args):
    ${made}
    pl.Trainer(devices=1, precision="bf16-mixed").fit(model)

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=6)
parser.add_argument("--name", default="org/m")
parser.add_argument("--resume", default=None)
main(parser.parse_args())
`;
  const OF_ARGS = `def __init__(self, hparams):
        super().__init__()
        self.save_hyperparameters(hparams)
        self.model = load(self.hparams.name)`;
  const OF_NAMES = `def __init__(self, name, batch_size=4):
        super().__init__()
        self.save_hyperparameters()
        self.model = load(name)`;

  for (const [what, init, made] of [
    ['the options that it keeps', OF_ARGS, 'model = Tuner(args)'],
    ['its own arguments', OF_NAMES, 'model = Tuner(args.name, batch_size=args.batch_size)'],
    [
      'one of two that are made alike',
      OF_ARGS,
      'if args.resume.endswith(".pth"):\n        model = Tuner(args)\n    else:\n        model = Tuner(args)',
    ],
  ] as const) {
    it(`are Lightning’s module with the model, the adapters and the batch of ${what}`, async () => {
      const run = await runOf(MODULE(init, made), 'a.py');
      const { model, method, lora, quantization, microBatchSize } = run.quantities;
      assert.deepEqual(
        [
          run.dialect,
          model.value,
          method.value,
          lora.value?.r,
          quantization.value?.bits,
          microBatchSize.value,
        ],
        ['lightning-cli', 'org/m', 'qlora', 8, 4, 6],
      );
    });
  }

  it('embed with the batch of what encodes', async () => {
    const text = (batch: string): string =>
      `from sentence_transformers import SentenceTransformer
SIZE = 256
model = SentenceTransformer("BAAI/bge-m3", device="cuda:0")
vectors = model.encode(texts, ${batch}show_progress_bar=True)
`;
    const { dialect, quantities } = await runOf(text('batch_size=SIZE, '), 'a.py');
    const { model, task, microBatchSize, devices } = quantities;
    assert.deepEqual(
      [dialect, model.value, task.value, microBatchSize.value, devices.value],
      ['embeddings', 'BAAI/bge-m3', 'embed', 256, 1],
    );
    // A search that encodes a question is none.
    assert.deepEqual(pythonRuns('a.py', text('')), []);
  });
});
