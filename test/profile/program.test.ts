import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { amountsOf } from '../../src/profile/program/amounts';
import { toldGpu } from '../../src/profile/program/request';
import type { ProgramResult } from '../../src/profile/program/result';
import { ProfileError } from '../../src/profile/answers';
import { runProgram } from '../../src/profile/program/runProgram';
import { cacheFolder, NEVER, warmPython } from './python';

const MIB = 2 ** 20;
const sample = resolve('test/fixtures/profile/program');
const folder = mkdtempSync(join(tmpdir(), 'headroom-programs-'));

const file = (name: string, text: string): void => writeFileSync(join(folder, name), text);

async function dry(command: string, where = folder, seconds = 120, signal = NEVER): Promise<ProgramResult> {
  const gpu = toldGpu(null);
  const program = {
    command: command.split(' '),
    folder: where,
    gpus: null,
    gpu,
    steps: 2,
    seconds,
    models: null,
  };
  return runProgram(await warmPython('program'), program, { cacheFolder, progress: () => undefined }, signal);
}

async function refusal(command: string, seconds?: number): Promise<string> {
  try {
    await dry(command, folder, seconds);
  } catch (error) {
    assert.ok(error instanceof ProfileError);
    return error.message;
  }
  return assert.fail('It was run.');
}

const HEAD = `import os, sys, torch
sys.path.insert(0, ${JSON.stringify(sample)})
from net import Net
`;
const LOOP = `
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(5):
    ids = torch.randint(0, 8192, (8, 256), device=device)
    model(ids, ids).backward()
    optimizer.step()
    optimizer.zero_grad()
`;

/** Parameters of test/fixtures/profile/program/net.py with four layers. */
const PARAMETERS = (8192 * 2 + 256) * 512 + 4 * (12 * 512 * 512 + 13 * 512) + 2 * 512;
const BATCH = 8 * 256;

describe('dry runs of a program', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('count a plain script as by hand, name its lines, and leave its folder alone', async () => {
    const before = readdirSync(sample);
    const result = await dry('python train.py', sample);
    assert.equal(result.how, 'finished');
    assert.equal(result.steps, 2);
    const { peak, lines } = amountsOf(result, null);
    assert.equal(peak.phase, 'backward steady');
    const weights = 4 * PARAMETERS;
    assert.ok(Math.abs((peak.terms.weights ?? 0) / weights - 1) < 0.002);
    assert.ok(Math.abs((peak.terms['optimizer states'] ?? 0) / (2 * weights) - 1) < 0.002);
    // Logits, their logarithms and the gradients of both, then 4 layers of 17 tensors of the width, and their ends.
    const logits = BATCH * 8192 * 4;
    const byHand = 3 * weights + 3 * logits + 4 * 17 * BATCH * 512 * 4 - 4 * 512 * BATCH * 4;
    assert.ok(Math.abs(peak.bytes / byHand - 1) < 0.03, `${peak.bytes} and ${byHand} by hand`);
    assert.ok(lines.some(({ line }) => /^net\.py:\d+$/.test(line)));
    assert.deepEqual(Object.keys(result.files), ['net.py', 'small.json', 'train.py']);
    assert.deepEqual(readdirSync(sample), before);
    assert.ok(result.standIns.includes('made-up answers of git'));
    assert.ok(result.standIns.some(what => what.includes('train.bin')));
    assert.ok(result.assumed.some(({ what }) => what === 'False as the value of a tensor at train.py:40'));
  });

  it('count a Trainer of Transformers with checkpointing and accumulation', async () => {
    file(
      'trainer.py',
      `import torch
from transformers import AutoModelForCausalLM, LlamaConfig, Trainer, TrainingArguments
rows = [{"input_ids": torch.arange(128), "labels": torch.arange(128)}] * 64
config = LlamaConfig(hidden_size=256, intermediate_size=704, num_hidden_layers=2, num_attention_heads=4, vocab_size=4096)
model = AutoModelForCausalLM.from_config(config)
arguments = TrainingArguments("out", per_device_train_batch_size=4, gradient_accumulation_steps=2, bf16=True,
    max_steps=9, logging_steps=1, save_steps=1, report_to="none", gradient_checkpointing=True)
Trainer(model=model, args=arguments, train_dataset=rows).train()
`,
    );
    const result = await dry('python trainer.py');
    const { peak } = amountsOf(result, null);
    const parameters = 2 * 4096 * 256 + 2 * (4 * 256 * 256 + 3 * 256 * 704 + 2 * 256) + 256;
    assert.equal(result.how, 'finished');
    assert.ok(Math.abs((peak.terms['optimizer states'] ?? 0) / (8 * parameters) - 1) < 0.02);
    assert.ok(Math.abs((peak.terms.weights ?? 0) / (4 * parameters) - 1) < 0.02);
    assert.ok(!existsSync(join(folder, 'out')));
  });

  it('run only those micro-batches of an accumulated step that differ', async () => {
    const accumulating = (steps: number): string => `import torch
from transformers import AutoModelForCausalLM, LlamaConfig, Trainer, TrainingArguments
rows = [{"input_ids": torch.arange(128), "labels": torch.arange(128)}] * 512
config = LlamaConfig(hidden_size=256, intermediate_size=704, num_hidden_layers=2, num_attention_heads=4, vocab_size=4096)
model = AutoModelForCausalLM.from_config(config)
passes = []
model.register_forward_hook(lambda *_: passes.append(1))
class Counted(Trainer):
    def training_step(self, *args, **kwargs):
        assert len(passes) <= 6, "a micro-batch like the one before ran again"
        return super().training_step(*args, **kwargs)
arguments = TrainingArguments("out", per_device_train_batch_size=4, gradient_accumulation_steps=${steps}, max_steps=9, report_to="none")
Counted(model=model, args=arguments, train_dataset=rows).train()
`;
    file('four.py', accumulating(4));
    file('many.py', accumulating(24));
    const [four, many] = [await dry('python four.py'), await dry('python many.py')];
    // The Trainer has the tokens of all micro-batches on the GPU at once.
    const tokens = (24 - 4) * 2 * 4 * 128 * 8;
    const more = amountsOf(many, null).peak.bytes - amountsOf(four, null).peak.bytes;
    assert.ok(more >= 0 && more <= tokens, `${more} more, ${tokens} of them tokens`);
    assert.ok(many.standIns.some(what => what.startsWith('the second micro-batch of a step')));
  });

  it('end a program that changes its parameters by itself', async () => {
    file(
      'by_hand.py',
      `${HEAD}
model, device = Net(layers=1).cuda(), "cuda"
for step in range(1000):
    ids = torch.randint(0, 8192, (8, 256), device=device)
    model.zero_grad()
    model(ids, ids).backward()
    for parameter in model.parameters():
        parameter.data.add_(parameter.grad, alpha=-0.1)
raise SystemExit("it went on")
`,
    );
    const result = await dry('python by_hand.py');
    assert.equal(result.how, 'finished');
    assert.ok(result.standIns.some(what => what.startsWith("the program's own arithmetic")));
    assert.equal(amountsOf(result, null).peak.terms['optimizer states'] ?? 0, 0);
  });

  it('count the first of four ranks: buckets with DDP, a quarter of the states with FSDP', async () => {
    const ranks = `${HEAD}
import torch.distributed as dist
dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
model, device = Net().cuda(), "cuda"
`;
    file('ddp.py', `${ranks}model = torch.nn.parallel.DistributedDataParallel(model)${LOOP}`);
    file(
      'fsdp.py',
      `${ranks}
try:
    from torch.distributed.fsdp import fully_shard
    fully_shard(model)
except ImportError:  # before torch 2.6
    from torch.distributed.fsdp import FullyShardedDataParallel
    model = FullyShardedDataParallel(model)
${LOOP}`,
    );
    const replicated = await dry('torchrun --nproc_per_node=4 ddp.py');
    assert.equal(replicated.gpus, 4);
    assert.ok(Math.abs((replicated.phases['load'] ?? 0) / (8 * PARAMETERS) - 1) < 0.02);
    const sharded = await dry('torchrun --nproc_per_node=4 fsdp.py');
    const states = sharded.alive['forward steady']?.['optimizer states'] ?? 0;
    assert.ok(Math.abs(states / (2 * PARAMETERS) - 1) < 0.02, `${states}`);
  });

  it('refuse by name what they cannot follow', async () => {
    file('cpu.py', `${HEAD}device = "cpu"\nmodel = Net(layers=1, width=64, heads=2)${LOOP}`);
    file('never.py', 'import torch\nprint(torch.cuda.is_available())\n');
    file('broken.py', 'import torch\nraise ValueError("no such thing")\n');
    file('slow.py', 'import time\ntime.sleep(60)\n');
    file(
      'tp.py',
      'import torch\nfrom torch.distributed.tensor.parallel import parallelize_module\nparallelize_module(None)\n',
    );
    assert.match(await refusal('python cpu.py'), /trains on the CPU/);
    assert.match(await refusal('python never.py'), /ended without a training step/);
    assert.match(await refusal('python broken.py'), /no such thing \(broken\.py:2\)/);
    assert.match(await refusal('python tp.py'), /tensor parallelism cannot be followed/);
    assert.match(await refusal('deepspeed nowhere.py'), /nowhere\.py is not a file/);
    assert.match(await refusal('bash train.sh'), /starts a shell/);
    assert.match(await refusal('python nowhere.py'), /nowhere\.py is not a file/);
    assert.match(await refusal('python slow.py', 1), /no optimizer stepped within 1 s/);
  });

  it('name a package as the index does', async () => {
    file('plan.py', 'import pl_bolts\npl_bolts.begin()\n');
    assert.match(
      await refusal('python plan.py'),
      /needs pl_bolts, which this Python lacks.*-m pip install lightning-bolts$/,
    );
  });

  it('refuse pipeline parallelism, which torch has since 2.4', async () => {
    file(
      'pp.py',
      `import torch
from torch.distributed.pipelining import PipelineStage
PipelineStage(torch.nn.Linear(2, 2), 0, 2, torch.device("cuda"))
`,
    );
    const why =
      /pipeline parallelism cannot be followed|pipelining, which the installed torch 2\.[23]\.\d does not have/;
    assert.match(await refusal('python pp.py'), why);
  });

  it('keep a program from writing, connecting, starting and ending others', async () => {
    file('precious.txt', 'mine');
    file(
      'wild.py',
      `${HEAD}
import ctypes, shutil, signal, socket, subprocess
device, model = "cuda", Net(layers=1).cuda()
open("precious.txt", "w").write("theirs")
assert open("precious.txt").read() == "theirs"
os.makedirs("a/b"); open("a/b/c.txt", "w").close(); os.rename("a/b/c.txt", "a/d.txt")
assert sorted(os.listdir("a")) == ["b", "d.txt"] and "a" in os.listdir(".")
os.remove("precious.txt"); assert not os.path.exists("precious.txt")
shutil.rmtree("a"); assert not os.path.exists("a")
fails = 0
assert os.system("touch started") == 0  # as if it had worked
for act in (lambda: subprocess.run(["touch", "started"]), lambda: os.posix_spawn("/usr/bin/touch", ["touch", "started"], {}),
            lambda: socket.create_connection(("127.0.0.1", 9)), lambda: os.kill(os.getppid(), signal.SIGTERM), os.fork):
    try:
        act()
    except OSError:
        fails += 1
assert fails == 5, fails
assert subprocess.run(["git", "status", "--porcelain"], capture_output=True, text=True, check=True).stdout == ""
assert len(subprocess.check_output("git -C . rev-parse HEAD", shell=True).strip()) == len(os.popen("git rev-parse HEAD").read().strip()) == 40
try:
    subprocess.check_call(["git", "commit", "-m", "x"])
    raise AssertionError("It was started.")
except OSError:
    pass
if sys.platform == "linux":
    libc = ctypes.CDLL(None)
    assert libc.open(${JSON.stringify(join(folder, 'native'))}.encode(), os.O_CREAT | os.O_WRONLY, 0o600) == -1
${LOOP}`,
    );
    const result = await dry('python wild.py');
    assert.equal(result.how, 'finished');
    assert.equal(readFileSync(join(folder, 'precious.txt'), 'utf8'), 'mine');
    assert.deepEqual(
      ['started', 'native', 'a'].filter(name => existsSync(join(folder, name))),
      [],
    );
    assert.ok(amountsOf(result, null).device.expected > 100 * MIB);
  });

  it('end everything when they are canceled', async () => {
    file('forever.py', 'while True:\n    pass\n');
    const signal = { aborted: false };
    setTimeout(() => (signal.aborted = true), 500);
    await assert.rejects(dry('python forever.py', folder, 60, signal), { kind: 'aborted' });
  });
});
