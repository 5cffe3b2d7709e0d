import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toldGpu } from '../../src/profile/program/request';
import type { ProgramResult } from '../../src/profile/program/result';
import { runProgram } from '../../src/profile/program/runProgram';
import { cacheFolder, interpreter, NEVER, warmPython } from './python';

const folder = mkdtempSync(join(tmpdir(), 'headroom-strangers-'));

function file(name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

async function dry(command: string, executable: string | null = null): Promise<ProgramResult> {
  const about = { gpus: null, gpu: toldGpu(null), steps: 2, seconds: 240, models: null };
  const python = executable === null ? await warmPython('program') : { ...interpreter(), executable };
  const program = { command: command.split(' '), folder, ...about };
  const result = await runProgram(python, program, { cacheFolder, progress: () => undefined }, NEVER);
  assert.equal(result.how, 'finished');
  return result;
}

const stoodIn = (result: ProgramResult, what: RegExp): void =>
  assert.ok(
    result.standIns.some(one => what.test(one)),
    result.standIns.join('; '),
  );

/** Two steps of a model, which must be called `model`, on an input `x`. */
const TRAIN = `
optimizer = torch.optim.AdamW(model.parameters())
for step in range(3):
    model(x).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
`;
const LINEAR = 'import torch\nmodel = torch.nn.Linear(8, 8).cuda()\nx = torch.zeros(4, 8, device="cuda")\n';

describe('dry runs of programs of strangers', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("find the project's own modules, which are not installed", async () => {
    file('setup.py', '');
    file('src/widths/__init__.py', 'WIDTH = 8\n');
    file('parts/deep/code.py', 'WIDTH = 8\n');
    file('pictures/1.txt', '');
    file(
      'bin/train.py',
      `from widths import WIDTH
from parts.deep.code import WIDTH as same
try:
    import pictures
    raise SystemExit("a folder without code is a module")
except ImportError:
    pass
assert WIDTH == same
${LINEAR}${TRAIN}`,
    );
    const result = await dry('python bin/train.py');
    stoodIn(result, /^the project's own widths, which is not installed here/);
  });

  it('name a package to install only where its name on the index is known', async () => {
    const missing = async (text: string): Promise<string> => {
      file('lacks.py', `${text}\n${LINEAR}${TRAIN}`);
      return dry('python lacks.py').then(
        () => '',
        (error: unknown) => String(error),
      );
    };
    file('requirements.txt', 'torch\nown-name[extra]>=1.0\n');
    assert.match(await missing('import own_name\nown_name.go()'), /-m pip install own-name\[extra\]$/);
    file('pyproject.toml', '[project]\nname = "nobody_knows"\n');
    assert.match(await missing('from box import Box\nBox()'), /-m pip install python-box$/);
    const unknown = await missing('import nobody_knows\nnobody_knows.go()');
    assert.match(unknown, /nobody_knows, which this Python lacks; its package may have another name/);
    assert.doesNotMatch(unknown, /pip install/);
  });

  it('say which word the installed release of a library does not take', async () => {
    const error = async (text: string): Promise<string> => {
      file('old.py', text);
      return dry('python old.py').then(
        () => '',
        (reason: unknown) => String(reason),
      );
    };
    assert.match(
      await error(
        'from transformers import TrainingArguments\nTrainingArguments(output_dir="o", evaluation_strategy="no")',
      ),
      /uses evaluation_strategy of TrainingArguments, which the installed transformers \d\S* does not have \(old\.py:2\)/,
    );
    assert.match(await error('import numpy\nnumpy.float'), /uses float, which the installed numpy \d/);
    assert.match(await error('from torch.optim import Nadam7'), /uses Nadam7, which the installed torch \d/);
    assert.match(
      await error('def own(a): pass\nown(b=1)'),
      /TypeError: own\(\) got an unexpected keyword argument 'b'/,
    );
  });

  it("go on without Hydra's colored log", async () => {
    file('hydra/__init__.py', '');
    file('hydra/_internal/__init__.py', '');
    file(
      'hydra/_internal/config_repository.py',
      `class ObjectType:
    CONFIG, GROUP = 1, 2
class ConfigRepository:
    def _find_object_source(self, config_path, object_type=ObjectType.CONFIG):
        return config_path in ("hydra/job_logging/default", "model") or None
    def load_config(self, config_path):
        return config_path if self._find_object_source(config_path) else None
    def config_exists(self, config_path):
        return self._find_object_source(config_path) is not None
`,
    );
    file(
      'colored.py',
      `from hydra._internal.config_repository import ConfigRepository
one = ConfigRepository()
assert one.load_config("hydra/job_logging/colorlog") == "hydra/job_logging/default"
assert one.config_exists("hydra/job_logging/colorlog") and not one.config_exists("data") and one.load_config("model") == "model"
${LINEAR}${TRAIN}`,
    );
    stoodIn(await dry('python colored.py'), /^the plain log of Hydra/);
  });

  it('make up data beside words about them, numbers that the program has, and what belongs to a picture', async () => {
    file('brain/source.txt', 'https://data\n');
    file('notes/a.txt', 'words\n');
    file(
      'data.py',
      `import glob, json, os
VOCAB = 32
class Sizes:
    width: int = 8
assert len(glob.glob("brain/*/*.wav")) == 2560
assert [one for one in os.listdir("notes") if one.endswith(".txt")] == ["a.txt"]
meta = json.load(open("meta.json"))
assert meta["vocab"] == VOCAB and meta["width"] == 8
coco = json.load(open("coco.json"))
assert "images" in coco and "nothing" not in coco and len(coco["categories"]) == 10
by_picture = {one["image_id"]: one for one in coco["annotations"]}
assert {one["id"] for one in coco["images"]} == set(by_picture) and len(by_picture) == 256
assert len(by_picture[3]["bbox"]) == 4 and coco["images"][0]["file_name"].endswith(".jpg")
${LINEAR}${TRAIN}`,
    );
    const result = await dry('python data.py');
    stoodIn(result, /^the program's own vocab, 32, for that of a JSON file that is missing/);
  });

  it("run FlashAttention's code of Transformers without its package", async () => {
    file(
      'flash.py',
      `import torch
from transformers import LlamaConfig, LlamaForCausalLM
config = LlamaConfig(vocab_size=64, hidden_size=64, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=2)
config.save_pretrained("tiny")
model = LlamaForCausalLM.from_pretrained("tiny", attn_implementation="flash_attention_2", dtype=torch.bfloat16).cuda()
assert model.config._attn_implementation == "flash_attention_2"
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    ids = torch.ones(2, 16, dtype=torch.long)
    mask = torch.ones(2, 16, dtype=torch.long)
    mask[1, 8:] = 0
    model(input_ids=ids.cuda(), attention_mask=mask.cuda(), labels=ids.cuda()).loss.backward()
    optimizer.step()
`,
    );
    stoodIn(await dry('python flash.py'), /^FlashAttention's kernels by torch's/);
  });

  it("cut texts at spaces where NLTK's files are missing, wherever its functions are imported from", async () => {
    file(
      'nltk/__init__.py',
      'from nltk.tokenize import *\ndef download(name): raise OSError("no network")\n',
    );
    file(
      'nltk/tokenize/__init__.py',
      'def word_tokenize(text): raise LookupError("punkt")\ndef sent_tokenize(text): raise LookupError("punkt")\n',
    );
    file(
      'words.py',
      `import nltk
from nltk.tokenize import word_tokenize
assert nltk.download("punkt") and word_tokenize("a b") == nltk.word_tokenize("a b") == ["a", "b"]
${LINEAR}${TRAIN}`,
    );
    stoodIn(await dry('python words.py'), /^words between spaces for NLTK's tokenizer/);
  });

  it("build OpenAI's Whisper by its name", async () => {
    file(
      'whisper/__init__.py',
      `import torch
class ModelDimensions:
    def __init__(self, **sizes): self.__dict__.update(sizes)
class Whisper(torch.nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.dims, self.layer = dims, torch.nn.Linear(dims.n_audio_state, dims.n_text_layer)
        self.register_buffer("alignment_heads", torch.ones(2, 2, dtype=torch.bool).to_sparse(), persistent=False)
    def forward(self, x): return self.layer(x)
def load_model(name, device=None, download_root=None): raise OSError("no network")
`,
    );
    file(
      'listens.py',
      `import torch, whisper
model = whisper.load_model("turbo")
assert model.dims.n_text_layer == 4 and model.dims.n_mels == 128
x = torch.zeros(4, 1280, device="cuda")
${TRAIN}`,
    );
    stoodIn(await dry('python listens.py'), /^pretrained weights by their shapes/);
  });

  it("set papermill's parameters after the cell that is tagged for them", async () => {
    const cell = (source: string, ...tags: readonly string[]): object => ({
      cell_type: 'code',
      source,
      metadata: { tags },
    });
    const cells = [
      cell('import os\nwidth, name, rate = 1, "", 0', 'parameters'),
      cell(
        'assert (width, name, rate) == (8, "007", 0.5), (width, name, rate)\nassert os.path.basename(os.getcwd()) != "books"',
      ),
      cell(`${LINEAR}${TRAIN}`),
    ];
    file('books/run.ipynb', JSON.stringify({ nbformat: 4, metadata: {}, cells }));
    await dry(
      'papermill books/run.ipynb out.ipynb -p width 8 -r name 007 --parameters rate 0.5 --log-output',
    );
    await assert.rejects(dry('papermill books/run.ipynb out.ipynb -y words'), /papermill cannot be read/);
  });

  describe('with the packages that read them', function () {
    const python = process.env['HEADROOM_TEST_DATA_PYTHON'] ?? null;
    before(function () {
      if (python === null) this.skip();
    });

    it('go on with a stream as long as the program takes rows', async () => {
      file(
        'streams.py',
        `from datasets import load_dataset
rows = iter(load_dataset("nobody/corpus", split="train", streaming=True))
texts = [next(rows)["text"] for _ in range(5000)]
${LINEAR}${TRAIN}`,
      );
      await dry('python streams.py', python);
    });

    it('have an object in each mask', async () => {
      file(
        'masks.py',
        `import os
from PIL import Image
assert Image.open("masks/1.png").getextrema() == (0, 1) == Image.open(os.path.join("labels", sorted(name for name in os.listdir("labels") if name.endswith(".png"))[0])).getextrema()
${LINEAR}${TRAIN}`,
      );
      await dry('python masks.py', python);
    });
  });
});
