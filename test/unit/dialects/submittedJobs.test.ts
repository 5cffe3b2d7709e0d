import assert from 'node:assert/strict';
import { couldBeRead } from '../../../src/core/dialects/couldBe';
import { read, runOf } from './support';

const ESTIMATOR = `from sagemaker.huggingface import HuggingFace
hyperparameters = {"epochs": 1, "per_device_train_batch_size": 32, "model_name_or_path": "distilbert-base-uncased"}
def submit(role):
    estimator = HuggingFace(
        entry_point="train.py",
        source_dir="./scripts",
        instance_type="ml.g5.12xlarge",
        instance_count=2,
        transformers_version="4.26.0",
        distribution={"torch_distributed": {"enabled": True}},
        role=role,
        hyperparameters=hyperparameters,
    )
    estimator.fit()
`;

describe('jobs that a program hands to a platform', () => {
  it('are SageMaker’s estimators, on the GPUs of their instances', async () => {
    const run = await runOf(ESTIMATOR, 'launch.py');
    const { model, microBatchSize, devices, nodes, gpus } = run.quantities;
    assert.deepEqual(
      [model, microBatchSize, devices, nodes, gpus].map(({ value }) => value),
      ['distilbert-base-uncased', 32, 4, 2, 8],
    );
    assert.equal(run.launched?.gpu?.value, 'A10G');
    assert.deepEqual(
      run.launched.releases?.map(({ library, release }) => [library, release]),
      [['transformers', '4.26.0']],
    );
  });

  it('are those of the script that they name, where it is there', async () => {
    const script = `import argparse
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--per_device_train_batch_size", type=int, default=16)
parser.add_argument("--model_name_or_path", type=str)
args, _ = parser.parse_known_args()
model = AutoModelForSequenceClassification.from_pretrained(args.model_name_or_path)
training_args = TrainingArguments("out", per_device_train_batch_size=args.per_device_train_batch_size, fp16=True)
Trainer(model, training_args).train()
`;
    const { runs } = await read({ 'launch.py': ESTIMATOR, 'scripts/train.py': script });
    const { task, microBatchSize, precision } = runs[0]?.quantities ?? {};
    assert.deepEqual(
      [runs[0]?.dialect, task?.value, microBatchSize?.value, precision?.value],
      ['hf-trainer', 'sequence_classification', 32, 'fp16-mixed'],
    );
  });

  it('have no GPUs that nobody knows', async () => {
    const run = await runOf(ESTIMATOR.replace('ml.g5.12xlarge', 'local_gpu'), 'launch.py');
    assert.equal(run.quantities.devices.value, null);
  });

  it('are read where flags of one’s own make a config of one’s own', async () => {
    const command = '["python", "train.py", "--epochs", "1", "--batch_size", "32", "--model", "resnet50"]';
    const run = await runOf(`import subprocess\nsubprocess.run(${command})\n`, 'start.py');
    const { model, microBatchSize } = run.quantities;
    assert.deepEqual([model.value, microBatchSize.value], ['resnet50', 32]);
  });

  it('are launchers in lists of words', () => {
    assert.equal(
      couldBeRead('import subprocess\nsubprocess.run(["accelerate", "launch", x])\n', 'a.py'),
      true,
    );
    assert.equal(couldBeRead('import subprocess\nsubprocess.run(["git", "status"])\n', 'a.py'), false);
  });
});

describe('workers of Ray Train', () => {
  const trainer = (scaling: string): string => `from ray.train import ScalingConfig
from ray.train.torch import TorchTrainer
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments
def train_func():
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=5)
    trainer = Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=16))
    trainer.train()
TorchTrainer(train_func, scaling_config=ScalingConfig(${scaling})).fit()
`;
  const gpusOf = async (scaling: string) => {
    const { quantities, launched } = await runOf(trainer(scaling), 'a.py');
    return [quantities.gpus.value, launched?.gpu?.value ?? null];
  };

  it('have a GPU each, or as many as they ask for', async () => {
    assert.deepEqual(await gpusOf('num_workers=4, use_gpu=True'), [4, null]);
    const more = 'num_workers=2, use_gpu=True, resources_per_worker={"GPU": 2}, accelerator_type="A10G"';
    assert.deepEqual(await gpusOf(more), [4, 'A10G']);
    const others = 'num_workers=2, use_gpu=True, resources_per_worker={"CPU": 4}';
    assert.deepEqual(await gpusOf(others), [2, null]);
  });

  it('have none, or nobody knows how many', async () => {
    assert.deepEqual(await gpusOf('num_workers=4'), [null, null]);
    assert.deepEqual(await gpusOf('num_workers=count, use_gpu=True'), [null, null]);
  });
});
