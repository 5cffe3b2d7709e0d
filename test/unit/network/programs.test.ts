import assert from 'node:assert/strict';
import { judge } from '../core/support';
import type { RunAnalysis } from '../../../src/core/rules/analysis';

const PROGRAM = `import argparse
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Sequential(nn.Linear(width, width), nn.GELU()) for _ in range(depth)])
        self.head = nn.Linear(width, 1000)

    def forward(self, x):
        return self.head(self.layers(x))


parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=256)
parser.add_argument("--depth", type=int, default=8)
args = parser.parse_args()

model = Net(2048, args.depth).cuda()
optimizer = torch.optim.Adadelta(model.parameters())
loader = torch.utils.data.DataLoader(data, batch_size=args.batch_size)
for x, y in loader:
    loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
`;

async function only(files: Readonly<Record<string, string>>): Promise<RunAnalysis> {
  const { runs } = await judge(files, 'RTX 4090');
  return runs.length === 1 && runs[0] ? runs[0] : assert.fail(`${runs.length} runs`);
}

const weights = ({ estimate }: RunAnalysis): number =>
  estimate?.devices[0]?.terms.find(({ term }) => term === 'weights')?.bytes ?? assert.fail();

const bytesOf = (depth: number): number => 4 * (depth * (2048 * 2048 + 2048) + 2048 * 1000 + 1000);

describe('a program with a network and a loop of its own', () => {
  it('has an estimate by its code, which is a guess', async () => {
    const run = await only({ 'train.py': PROGRAM });
    assert.ok(Math.abs(weights(run) / bytesOf(8) - 1) < 0.01);
    assert.equal(run.verdict, 'unknown');
    const { assumptions = [] } = run.estimate ?? {};
    assert.ok(
      assumptions.some(one => one.includes('as train.py has it')),
      assumptions.join('; '),
    );
    assert.ok(!assumptions.some(one => /transformers|which optimizer/.test(one)), assumptions.join('; '));
  });

  it('takes the options of the command that starts it', async () => {
    const run = await only({ 'run.sh': 'python train.py --depth 16 --batch_size 64\n', 'train.py': PROGRAM });
    assert.ok(Math.abs(weights(run) / bytesOf(16) - 1) < 0.01);
    assert.equal(run.run.quantities.microBatchSize.value, 64);
  });

  it('is read from the cells of a notebook', async () => {
    const source = PROGRAM.replaceAll(/^parser.*\n|^args.*\n/gm, '')
      .replaceAll('args.depth', '8')
      .replaceAll('args.batch_size', '32');
    const cell = { cell_type: 'code', metadata: {}, outputs: [], execution_count: null, source };
    const notebook = JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 });
    const run = await only({ 'train.ipynb': notebook });
    assert.ok(Math.abs(weights(run) / bytesOf(8) - 1) < 0.01);
  });

  it('stays unknown where a size is', async () => {
    const run = await only({ 'train.py': PROGRAM.replace('Net(2048,', 'Net(data.width,') });
    assert.equal(run.estimate, null);
    assert.match(run.networkWhy ?? '', /not known/);
  });
});
