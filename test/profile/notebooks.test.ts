import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toldGpu } from '../../src/profile/program/request';
import type { ProgramResult } from '../../src/profile/program/result';
import { runProgram } from '../../src/profile/program/runProgram';
import { cacheFolder, NEVER, warmPython } from './python';

const folder = mkdtempSync(join(tmpdir(), 'headroom-notebooks-'));

function notebook(name: string, ...cells: readonly string[]): void {
  const code = cells.map(source => ({ cell_type: 'code', source: source.split(/(?<=\n)/), outputs: [] }));
  const told = {
    nbformat: 4,
    metadata: {},
    cells: [{ cell_type: 'markdown', source: ['# A run'] }, ...code],
  };
  writeFileSync(join(folder, name), JSON.stringify(told));
}

async function dry(command: string): Promise<ProgramResult> {
  const about = { gpus: null, gpu: toldGpu(null), steps: 2, seconds: 240, models: null };
  const options = { cacheFolder, progress: () => undefined };
  return runProgram(
    await warmPython('program'),
    { command: command.split(' '), folder, ...about },
    options,
    NEVER,
  );
}

const MODEL = `import torch
model = torch.nn.Linear(width, 1024).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    loss = model(torch.ones(256, width, device="cuda")).sum()
    loss.backward()
    optimizer.step()`;
const LOOP = 'for _ in range(9):\n    step()';

describe('dry runs of notebooks', () => {
  before(() => mkdirSync(join(folder, 'runs')));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('run the cells up to the training, in the folder of the notebook', async () => {
    writeFileSync(join(folder, 'runs', 'sizes.py'), 'width = 2048\n');
    const late = 'raise SystemExit("never reached")';
    notebook('runs/a.ipynb', 'from sizes import width\nopen("sizes.py").close()', MODEL, LOOP, late);
    for (const command of ['jupyter execute runs/a.ipynb', 'runs/a.ipynb']) {
      const result = await dry(command);
      assert.equal(result.how, 'finished', command);
      assert.ok((result.alive['backward steady']?.['weights'] ?? 0) >= 2048 * 1024 * 4, command);
    }
  });

  it('understand signs of IPython, and leave what they would do undone', async () => {
    const signs = `%matplotlib inline
!pip install -q \\
    nothing
files = !ls
%env WIDTH=512
%time import os
?os
if True:
    !touch made
width = int(os.environ["WIDTH"])
display(width)
assert files == []`;
    const page = '%%html\n<b>if not Python:</b>';
    notebook('signs.ipynb', signs, page, `%%time\n${MODEL}`, '%%writefile loop.txt\nstep', LOOP);
    const result = await dry('jupyter nbconvert --to notebook --execute signs.ipynb');
    assert.equal(result.how, 'finished');
    assert.ok(!existsSync(join(folder, 'made')) && !existsSync(join(folder, 'loop.txt')));
  });

  it('start the programs that their cells write and start', async () => {
    const write = `%%writefile train.py\nimport sys\nwidth = int(sys.argv[1])\n${MODEL}\n${LOOP}`;
    notebook('writes.ipynb', 'width = 256', write, '!python train.py {width}');
    const result = await dry('jupyter execute writes.ipynb');
    assert.equal(result.how, 'finished');
    assert.ok(!existsSync(join(folder, 'train.py')));
  });

  it('have nothing of the host that they were written for', async () => {
    const tried = `try:
    import google.colab
    width = 1
except ImportError:
    width = 64`;
    const colab = `from google.colab import drive, userdata
drive.mount("/content/drive")
key = userdata.get("KEY")`;
    notebook('colab.ipynb', tried, colab, MODEL, `assert width == 64\n${LOOP}`);
    const result = await dry('jupyter execute colab.ipynb');
    assert.equal(result.how, 'finished');
    assert.ok(result.standIns.some(one => one.startsWith('nothing for google.colab')));
  });

  it('name the cell and the line of an error', async () => {
    notebook('fails.ipynb', 'a = 1', '\na = b');
    await assert.rejects(dry('jupyter execute fails.ipynb'), /fails\.ipynb, cell 2:2/);
  });

  it('follow a program that was exported from a notebook', async () => {
    const exported = `get_ipython().run_line_magic('matplotlib', 'inline')\nwidth = 64\n${MODEL}\n${LOOP}`;
    writeFileSync(join(folder, 'exported.py'), exported);
    assert.equal((await dry('python exported.py')).how, 'finished');
  });
});
