import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { toldGpu } from '../../src/profile/program/request';
import type { ProgramResult } from '../../src/profile/program/result';
import { runProgram } from '../../src/profile/program/runProgram';
import { cacheFolder, interpreter, NEVER, standsIn, warmPython } from './python';

const folder = mkdtempSync(join(tmpdir(), 'headroom-libraries-'));

function file(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

async function dry(command: string, seconds = 240): Promise<ProgramResult> {
  const program = {
    command: command.split(' '),
    folder,
    gpus: null,
    gpu: toldGpu(null),
    steps: 2,
    seconds,
    models: null,
  };
  return runProgram(await warmPython('program'), program, { cacheFolder, progress: () => undefined }, NEVER);
}

const STEPS = `
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    model(torch.ones(4, 8, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
`;
describe("dry runs and programs' libraries", () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('stand in for a hub that libraries have asked about before', async () => {
    file('datasets/formatting/__init__.py', '');
    file(
      'datasets/formatting/formatting.py',
      'class LazyDict(dict): pass\nclass LazyBatch(LazyDict): pass\n',
    );
    file(
      'datasets/__init__.py',
      `def load_dataset(*args, **kwargs):
    raise ConnectionError("offline")
def load_from_disk(path): pass
concatenate_datasets = interleave_datasets = load_from_disk
class DatasetDict(dict):
    load_from_disk = _check_values_type = load_from_disk
class Dataset:
    load_from_disk = remove_columns = select = train_test_split = load_from_disk
`,
    );
    file('evaluate.py', 'def load(path, *args):\n    raise FileNotFoundError(path)\n');
    file(
      'wandb.py',
      'def login(): pass\ndef init(project=None, mode=None):\n    assert mode == "disabled", mode\n',
    );
    file(
      'hub.py',
      `import importlib.util, torch
assert importlib.util.find_spec("datasets") is not None  # as Transformers does
from datasets import load_dataset
import evaluate, wandb
wandb.init(project="p", mode="online")
rows = load_dataset("nobody/rows", split="train")
assert len(rows[0]["text"].split()) == 600
score = evaluate.load("glue", "sst2").compute()
assert not score["accuracy"] > 0.5
model = torch.nn.Linear(8, 8).cuda()
${STEPS}`,
    );
    const result = await dry('python hub.py');
    assert.equal(result.how, 'finished');
    standsIn(result, /rows of 600 words for nobody\/rows/);
    standsIn(result, /nothing for the metric glue/);
  });

  it('run inside of them the Python programs that they start', async () => {
    file(
      'own.py',
      `import os, torch\nassert os.environ["MODE"] == "train"\nmodel = torch.nn.Linear(8, 8).cuda()\nassert torch.cuda.device_count() == 2\n${STEPS}`,
    );
    file(
      'starter.py',
      `import os, subprocess, sys
subprocess.run([sys.executable, "prepare.py"], check=True)
assert subprocess.run([sys.executable, "prepare.py", "3"]).returncode == 3
try:
    subprocess.run([sys.executable, "-m", "pip", "install", "x"])
    raise SystemExit("pip was started")
except FileNotFoundError:
    pass
assert sys.argv[1:] == ["a"]
words = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2", "own.py"]
sys.exit(subprocess.run(words, env={**os.environ, "MODE": "train"}).returncode)
`,
    );
    file('prepare.py', 'import sys\nsys.exit(int(sys.argv[1]) if sys.argv[1:] else 0)\n');
    const result = await dry('python starter.py a');
    assert.equal(result.how, 'finished');
    assert.equal(result.gpus, 2);
  });

  it('know the values of a batch that is there, and what follows from them', async () => {
    file(
      'known.py',
      `import torch
labels = torch.tensor([[-100, -100, 5, 6, 7, -100]]).cuda()
mask = labels != -100
assert int(mask.sum()) == 3 and mask.tolist()[0][2] is True and bool((labels == 6).any())
hidden = torch.zeros(1, 6, 8, device="cuda", requires_grad=True)
assert hidden[mask].shape == (3, 8) and labels[mask].shape == (3,)
assert torch.nonzero(mask).shape == (3, 2) and mask.unsqueeze(0)[0, 0].nonzero().numel() == 3
view = labels[0]
view[torch.rand(6, device="cuda") > 0.5] = 9
assert labels[labels != -100].shape == (6,), "what nobody knows has changed them: the most"
model = torch.nn.Linear(8, 8).cuda()
${STEPS}`,
    );
    const result = await dry('python known.py');
    assert.equal(result.how, 'finished');
    assert.equal(result.assumedShapes, 1);
  });

  it('build models of diffusers by their configs', async () => {
    file(
      'diffusers/models/modeling_utils.py',
      `import torch
class ModelMixin(torch.nn.Module):
    @classmethod
    def load_config(cls, name, subfolder=None):
        raise OSError("offline")
    @classmethod
    def from_config(cls, config):
        return cls(**config)
class AutoencoderKL(ModelMixin):
    def __init__(self, block_out_channels=(64,), latent_channels=4, **_):
        super().__init__()
        self.last = torch.nn.Linear(block_out_channels[-1], latent_channels)
`,
    );
    file('diffusers/__init__.py', '');
    file('diffusers/models/__init__.py', '');
    file(
      'latent.py',
      `import torch
from diffusers.models.modeling_utils import AutoencoderKL
vae = AutoencoderKL.from_pretrained("someone/sd-vae-ft", torch_dtype=torch.float16).to("cuda")
assert vae.last.in_features == 512 and vae.last.weight.dtype is torch.float16
model = torch.nn.Linear(8, 8).cuda()
${STEPS}`,
    );
    standsIn(await dry('python latent.py'), /someone\/sd-vae-ft by the configs of Stable Diffusion/);
    file(
      'unknown.py',
      'from diffusers.models.modeling_utils import AutoencoderKL\nAutoencoderKL.from_pretrained("a/b")\n',
    );
    await assert.rejects(dry('python unknown.py'), /the config\.json of a\/b is not on this machine/);
  });

  it('run what repeats without gradients three times', async () => {
    file(
      'sampler.py',
      `import torch
class Net(torch.nn.Module):
    calls = 0
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
    def forward(self, x):
        Net.calls += 1
        return self.layers(x)
model = Net().cuda()
x = torch.ones(16, 8, device="cuda")
with torch.no_grad():
    for step in range(1000):
        x = x - model(x)
    model(torch.ones(32, 8, device="cuda"))
assert Net.calls == 4 and x.shape == (16, 8), Net.calls
assert f"{x.sum():.2f}" == "1.00"
with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
    heads = torch.ones(1, 2, 16, 8, device="cuda")
    attend = lambda q: torch.nn.functional.scaled_dot_product_attention(q, heads, heads)
    assert torch.func.jvp(attend, (heads,), (heads,))[1].shape == heads.shape
${STEPS}`,
    );
    const result = await dry('python sampler.py');
    assert.equal(result.how, 'finished');
    standsIn(result, /passes without gradients that came 3 times/);
  });

  it('name a module that the installed release lacks, and end who only sleeps', async () => {
    file('old.py', 'from torch._six import inf\n');
    await assert.rejects(dry('python old.py'), error => {
      assert.match(String(error), /needs torch\._six, which the installed torch \d+\.\d+\S* does not have/);
      assert.doesNotMatch(String(error), /pip install/);
      return true;
    });
    file('sleeps.py', 'import time\ntime.sleep(100)\n');
    await assert.rejects(dry('python sleeps.py', 2), /no optimizer stepped within 2 s/);
  });

  it('name a missing numpy, which torch does not require', () => {
    const code = `import importlib.metadata, sys
sys.path.insert(0, ${JSON.stringify(resolve('src/python'))})
found = importlib.metadata.version
def version(name):
    if name == "numpy":
        raise importlib.metadata.PackageNotFoundError(name)
    return found(name)
importlib.metadata.version = version
from headroom_python.program.run import run_program
try:
    run_program({"scratch": ""}, None)
except Exception as error:
    print(error)`;
    const run = spawnSync(interpreter().executable, ['-c', code], { encoding: 'utf8', timeout: 60_000 });
    assert.match(run.stdout, / has no numpy\n$/, run.stderr);
  });

  it("replace pathlib's own functions, which Python keeps until 3.10", () => {
    const code = `import os, pathlib, sys
sys.path.insert(0, ${JSON.stringify(resolve('src/python'))})
class Accessor:
    mkdir = os.mkdir
pathlib._NormalAccessor = Accessor
from headroom_python.program import overlay
os.mkdir = lambda path: f"{path} above"
overlay._in_pathlib()
print(Accessor().mkdir("a"))`;
    const run = spawnSync(interpreter().executable, ['-c', code], { encoding: 'utf8', timeout: 60_000 });
    assert.equal(run.stdout, 'a above\n', run.stderr);
  });
});
