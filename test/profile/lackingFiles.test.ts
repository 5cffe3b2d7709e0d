import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toldGpu } from '../../src/profile/program/request';
import type { ProgramResult } from '../../src/profile/program/result';
import { runProgram } from '../../src/profile/program/runProgram';
import { cacheFolder, interpreter, NEVER, warmPython } from './python';

const folder = mkdtempSync(join(tmpdir(), 'headroom-lacking-files-'));

function file(name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

async function dry(command: string, executable: string | null = null): Promise<ProgramResult> {
  const about = { gpus: null, gpu: toldGpu(null), steps: 2, seconds: 120, models: null };
  const program = { command: command.split(' '), folder, ...about };
  const options = { cacheFolder, progress: () => undefined };
  const python = executable === null ? await warmPython('program') : { ...interpreter(), executable };
  return runProgram(python, program, options, NEVER);
}

/** Installed packages of the same name would be found before folders without such files. */
const packages = (...names: readonly string[]): void => {
  for (const name of names) file(`${name}/__init__.py`, '');
};

const stoodIn = (result: ProgramResult, what: RegExp): boolean => result.standIns.some(one => what.test(one));

/** Two steps of a model, which must be called `model`. */
const TRAIN = `
optimizer = torch.optim.AdamW(model.parameters())
for step in range(5):
    model(torch.zeros(4, 8, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
`;
const LINEAR = 'import torch\nmodel = torch.nn.Linear(8, 8).cuda()\n';

describe('dry runs of a program without its files', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('return to its own folder after it has written there', async () => {
    file(
      'moves.py',
      `import os
here = os.getcwd()
os.makedirs("logs/run")
os.chdir("logs/run")
os.chdir(here)
assert os.getcwd() == here
assert len([name for name in os.listdir("sounds") if name.endswith(".wav")]) == 256
${LINEAR}${TRAIN}`,
    );
    const result = await dry('python moves.py');
    assert.ok(stoodIn(result, /^256 made-up files \(\.wav\) for the folder sounds/));
  });

  it('answer what it asks of other programs, and end loops over values', async () => {
    file(
      'site-packages/nosy.py',
      'import sys\nif "hiddenlayer" in sys.modules:\n    from hiddenlayer.parts import one\n',
    );
    file(
      'asking.py',
      `import os, subprocess, sys
sys.path.append("site-packages")
import hiddenlayer
import nosy
rows, columns = os.popen("stty size").read().split()
assert (int(rows), int(columns)) == (24, 80)
query = ["nvidia-smi", "--query-gpu=index,memory.total,memory.free", "--format=csv,nounits,noheader"]
index, total, free = subprocess.check_output(query, text=True).split(",")
assert int(index) == 0 and int(total) == int(free) > 10_000
assert subprocess.run("touch started | cat", shell=True).returncode == 127 and not os.path.exists("started")
import torch
model = torch.nn.Linear(8, 8)
torch.nn.init.trunc_normal_(model.weight, std=0.02)
model = model.cuda()
x, rounds = torch.rand(8, device="cuda"), 0
while (x > 0.5).any():
    x, rounds = torch.rand(8, device="cuda"), rounds + 1
assert 0 < rounds < 100
${TRAIN}`,
    );
    const result = await dry('python asking.py');
    assert.equal(result.how, 'finished');
    assert.ok(stoodIn(result, /answers of nvidia-smi/) && stoodIn(result, /nothing from the shell's touch/));
  });

  it('read vocabularies past Python where the program sees them', async () => {
    file(
      'vocabulary.py',
      `import tokenizers
own = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="[UNK]"))
own.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
open("corpus.txt", "w").write("low lower lowest " * 50)
own.train(["corpus.txt"], tokenizers.trainers.BpeTrainer(vocab_size=40, special_tokens=["[UNK]"]))
own.save("own.json")
again = tokenizers.Tokenizer.from_file("own.json")
assert again.encode("low lower").ids == own.encode("low lower").ids and isinstance(again, tokenizers.Tokenizer)
missing = tokenizers.Tokenizer.from_file("missing.json")
assert missing.get_vocab_size() == 32_000 and len(missing.encode("w1 w2 w3").ids) == 3
${LINEAR}${TRAIN}`,
    );
    const result = await dry('python vocabulary.py');
    assert.equal(result.how, 'finished');
    assert.ok(stoodIn(result, /32,000 tokens of a made-up vocabulary for missing\.json/));
  });

  it("build models of torchtune's and LitGPT's folders without them", async () => {
    packages('torchtune', 'torchtune/training', 'torchtune/training/checkpointing', 'litgpt');
    file(
      'torchtune/training/checkpointing/_checkpointer.py',
      `class FullModelHFCheckpointer:
    def __init__(self, checkpoint_dir: str, checkpoint_files: list, model_type: str):
        raise ValueError(f"{checkpoint_dir} is not a valid directory.")
    def load_checkpoint(self):
        raise AssertionError
`,
    );
    file(
      'litgpt/utils.py',
      `import json
def check_valid_checkpoint_dir(checkpoint_dir, model_filename="lit_model.pth"):
    names = (model_filename, "model_config.yaml", "tokenizer.json", "tokenizer_config.json")
    assert all((checkpoint_dir / name).is_file() for name in names), checkpoint_dir
def load_checkpoint(fabric, model, checkpoint_path, strict=True):
    raise AssertionError
def save_config(config, checkpoint_dir):
    with open(checkpoint_dir / "model_config.yaml", "w") as file:
        json.dump(vars(config), file)
`,
    );
    file(
      'litgpt/config.py',
      `class Config:
    def __init__(self, vocab_size):
        self.vocab_size = vocab_size
    @classmethod
    def from_name(cls, name):
        if name != "pythia-14m":
            raise ValueError(name)
        return cls(500)
`,
    );
    file(
      'recipes.py',
      `from pathlib import Path
from torchtune.training.checkpointing import _checkpointer
import litgpt.utils
${LINEAR}
loader = _checkpointer.FullModelHFCheckpointer("/nowhere/model", ["model-1.safetensors"], model_type="LLAMA3")
model.load_state_dict(loader.load_checkpoint()["model"])
place = Path("checkpoints/EleutherAI/pythia-14m")
litgpt.utils.check_valid_checkpoint_dir(place)
litgpt.utils.load_checkpoint(None, model, place / "lit_model.pth")
try:
    litgpt.utils.check_valid_checkpoint_dir(Path("checkpoints/nobody/knows"))
    raise SystemExit("It was made up.")
except AssertionError:
    pass
${TRAIN}`,
    );
    const result = await dry('python recipes.py');
    assert.equal(result.how, 'finished');
    assert.ok(stoodIn(result, /pretrained weights by their shapes/));
  });

  describe('with Pillow', function () {
    const python = process.env['HEADROOM_TEST_DATA_PYTHON'] ?? null;
    before(function () {
      if (python === null) this.skip();
    });

    it('make up empty folders, masks, lists of names and folders that a loop would skip', async () => {
      file('data/images/.gitkeep', '');
      file('data/masks/.gitkeep', '');
      file('runs/.gitkeep', '');
      file(
        'folders.py',
        `import os
from pathlib import Path
from PIL import Image
def names():
    return [os.path.splitext(name)[0] for name in os.listdir("data/images") if not name.startswith(".")]
def voices():
    found = []
    for mood in ("calm", "angry"):
        place = os.path.join("voices", mood)
        if not os.path.isdir(place):
            continue
        found += [name for name in os.listdir(place) if name.endswith(".wav")]
    return found
def rows():
    place = Path("prepared") / "train.jsonl"
    if not place.exists():
        print("Prepare it first.")
        return
    return open(place).read().splitlines()
def resumed():
    place = Path("checkpoints") / "last.ckpt"
    if not place.exists():
        print("From the start.")
        return
    return open(place, "rb").read()
def listed():
    with open("split.txt") as lines:
        return [os.path.join("JPEGImages", line.strip() + ".jpg") for line in lines]
first = names()[0]
[mask] = list(Path("data/masks").glob(first + "_mask.*"))
assert Image.open(mask).mode == "L", mask
assert Image.open("JPEGImages/1.jpg").mode == "RGB" and Image.open("labels/1.png").mode == "L"
assert len(rows()) == 256 and resumed() is None
assert len(voices()) == 512 and listed()[1] == os.path.join("JPEGImages", "00001.jpg")
assert os.listdir("runs") == [".gitkeep"] and not os.path.isdir("elsewhere")
${LINEAR}${TRAIN}`,
      );
      const result = await dry('python folders.py', python);
      assert.equal(result.how, 'finished');
      assert.ok(stoodIn(result, /calm as if it were there/));
    });

    it("build Ultralytics' models by their names, with pictures that have objects", async () => {
      packages('ultralytics', 'ultralytics/nn', 'ultralytics/utils', 'ultralytics/data');
      file(
        'ultralytics/nn/tasks.py',
        `import torch
def torch_safe_load(weight, safe_only=False):
    raise FileNotFoundError(weight)
class DetectionModel(torch.nn.Linear):
    def __init__(self, cfg, verbose=True):
        super().__init__(8, 8)
        self.cfg = cfg
class PoseModel(DetectionModel):
    pass
`,
      );
      file('ultralytics/utils/checks.py', 'def check_amp(model):\n    raise AssertionError\n');
      file(
        'ultralytics/data/utils.py',
        `import yaml
DATASETS_DIR = "datasets"
def check_file(dataset):
    return dataset
def img2label_paths(paths):
    return [path.replace("images", "labels").replace(".jpg", ".txt") for path in paths]
def check_det_dataset(dataset):
    with open(dataset) as file:
        return yaml.safe_load(file)
`,
      );
      file('own.yaml', 'path: own\ntrain: images/train\nval: images/val\nnames: [a]\n');
      file(
        'detect.py',
        `import os
from ultralytics.nn import tasks
from ultralytics.utils import checks
from ultralytics.data import utils
import torch
found, path = tasks.torch_safe_load("yolov8n-pose.pt")
model = found["model"].cuda()
assert type(model).__name__ == "PoseModel" and model.cfg == "yolov8n-pose.yaml" and checks.check_amp(model)
utils.check_det_dataset("own.yaml")
pictures = os.listdir("datasets/own/images/train")
labels = open("datasets/own/labels/train/" + pictures[0].replace(".jpg", ".txt")).read().splitlines()
assert len(pictures) == 256 and len(labels) == 7
assert all(0 <= float(number) <= 1 for line in labels for number in line.split()[1:]), labels
${TRAIN}`,
      );
      const result = await dry('python detect.py', python);
      assert.equal(result.how, 'finished');
      assert.ok(stoodIn(result, /256 made-up pictures with 7 objects for train/));
    });
  });
});
