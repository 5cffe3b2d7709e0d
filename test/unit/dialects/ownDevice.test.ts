import assert from 'node:assert/strict';
import { notebookOf } from '../python/support';
import { read } from './support';

const PROGRAM = `import torch
from torch import nn
from torch.utils.data import DataLoader
from net import Net

model = Net(16)
optimizer = torch.optim.Adam(model.parameters())
for x, y in DataLoader(rows, batch_size=64, shuffle=True):
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
`;
const NET = `import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 10)

    def forward(self, x):
        return self.layer(x + torch.arange(16, device=x.device))
`;

async function acceleratorOf(program: string, net = NET, opened = 'train.py'): Promise<string | null> {
  const { runs } = await read(
    { [opened]: program, 'net.py': net, 'run.sh': 'python train.py --epochs 3\n' },
    opened,
  );
  const [run, ...others] = runs;
  assert.ok(run && others.length === 0, `${runs.length} runs`);
  return run.quantities.accelerator.value;
}

/** What the program says between its network and its loop. */
const moved = (line: string): string => PROGRAM.replace('optimizer =', `${line}\noptimizer =`);

describe('a program of torch', () => {
  it('computes on the CPU where nothing moves its network', async () => {
    assert.equal(await acceleratorOf(PROGRAM), 'cpu');
    assert.equal(await acceleratorOf(moved('device = torch.device("cpu")\nmodel.to(device)')), 'cpu');
    assert.equal(await acceleratorOf(moved('model = model.to("cpu").to(torch.float64)')), 'cpu');
    assert.equal(await acceleratorOf(moved('torch.cuda.manual_seed(0)  # .cuda() is slower here')), 'cpu');
    const own = NET.replaceAll('import torch\nfrom torch import nn\n', '');
    const alone = PROGRAM.replace('from net import Net\n', own);
    assert.equal(
      await acceleratorOf(notebookOf(alone.split(/(?=class |model =|for x)/)), NET, 'a.ipynb'),
      'cpu',
    );
  });

  it('may compute elsewhere where it, or a module of its project, speaks of a device', async () => {
    for (const line of [
      'model.cuda()',
      'model.to(device)',
      'model.to(where)',
      'torch.set_default_device("mps")',
      'model = accelerator.prepare(model)',
      'model = nn.DataParallel(model)',
      'device = pick_device()\nmodel.to(device)',
    ]) {
      assert.equal(await acceleratorOf(moved(line)), null, line);
    }
    const net = NET.replace('super().__init__()', 'super().__init__()\n        self.cuda()');
    assert.equal(await acceleratorOf(PROGRAM, net), null);
    const inBrackets = PROGRAM.replace(
      'from net import Net',
      'from . import (  # ours\n    net,\n)\nNet = net.Net',
    );
    assert.equal(await acceleratorOf(inBrackets), 'cpu');
    assert.equal(await acceleratorOf(inBrackets, net), null);
  });

  it('may compute elsewhere where a module is not there, or another file starts it', async () => {
    const { runs } = await read({ 'train.py': PROGRAM.replace('from net', 'from .net') }, 'train.py');
    assert.deepEqual(
      runs.map(({ quantities }) => quantities.accelerator.value),
      [null],
    );
    const [head = '', loop = ''] = PROGRAM.split('model = Net(16)\n');
    const body = loop.trimEnd().replaceAll('\n', '\n    ');
    assert.equal(await acceleratorOf(`${head}def train(model):\n    ${body}\n`), null);
  });

  it('computes there too when a command starts it', async () => {
    const options = `import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--epochs', type=int, default=1)
parser.add_argument('--batch_size', type=int, default=64)
args = parser.parse_args()
`;
    const program = options + PROGRAM.replace('batch_size=64', 'batch_size=args.batch_size');
    const of = async (text: string): Promise<unknown> => {
      const files = { 'run.sh': 'python train.py --batch_size 32\n', 'train.py': text, 'net.py': NET };
      const { runs } = await read(files, 'run.sh');
      return runs.map(({ quantities }) => [quantities.microBatchSize.value, quantities.accelerator.value]);
    };
    assert.deepEqual(await of(program), [[32, 'cpu']]);
    assert.deepEqual(await of(program.replace('optimizer =', 'model.cuda()\noptimizer =')), [[32, null]]);
  });
});
