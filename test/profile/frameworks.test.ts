import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toldGpu } from '../../src/profile/program/request';
import type { ProgramResult } from '../../src/profile/program/result';
import { runProgram } from '../../src/profile/program/runProgram';
import { cacheFolder, NEVER, standsIn, warmPython } from './python';

const folder = mkdtempSync(join(tmpdir(), 'headroom-frameworks-'));

function file(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

async function dry(command: string): Promise<ProgramResult> {
  const about = { gpus: null, gpu: toldGpu(null), steps: 2, seconds: 240, models: null };
  const program = { command: command.split(' '), folder, ...about };
  const options = { cacheFolder, progress: () => undefined };
  const result = await runProgram(await warmPython('program'), program, options, NEVER);
  assert.equal(result.how, 'finished');
  return result;
}

const TRAIN = `
import torch
model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for step in range(3):
    model(torch.zeros(4, 8, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
`;

/** As much of datasets as made-up rows need. */
const DATASETS = `class Dataset(list):
    from_list = classmethod(lambda cls, rows: cls(rows))
    remove_columns = select = train_test_split = None
class DatasetDict(dict):
    def _check_values_type(self): pass
    load_from_disk = None
Dataset.load_from_disk = None
def load_dataset(path, name=None, *args, **kwargs): raise FileNotFoundError(path)
def load_from_disk(path): raise FileNotFoundError(path)
def concatenate_datasets(sets): return sets[0]
interleave_datasets = concatenate_datasets
`;

describe('dry runs of training frameworks', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('let loggers pickle what has no data, and workers be asked for', async () => {
    file(
      'logs.py',
      `import concurrent.futures, copy, multiprocessing, pickle, sys, torch
x = torch.zeros(4, 8, device="cuda").t()
same = pickle.loads(pickle.dumps({"x": x}))["x"]
assert same.shape == x.shape and same.stride() == x.stride() and same.device == x.device and same.dtype == x.dtype
layer = pickle.loads(pickle.dumps(torch.nn.Linear(4, 2).cuda()))
assert isinstance(layer.weight, torch.nn.Parameter) and layer.weight.requires_grad and layer.weight.is_cuda
assert copy.copy(x).shape == x.shape
make, parts = x.__reduce_ex__(2)
assert all(type(one) in (str, bool, tuple) for one in parts), parts  # what YAML can write
with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
    assert list(pool.map(abs, [-1, 2])) == [1, 2]
class Data(torch.utils.data.Dataset):
    def __len__(self): return 4
    def __getitem__(self, i): return i
def collate(rows):
    assert isinstance(torch.utils.data.get_worker_info().dataset, Data)
    return rows
assert list(torch.utils.data.DataLoader(Data(), 2, num_workers=4, collate_fn=collate)) == [[0, 1], [2, 3]]
assert torch.utils.data.get_worker_info() is None and list(torch.utils.data.DataLoader(Data(), collate_fn=lambda rows: torch.utils.data.get_worker_info()))[0] is None
import torch.distributed.optim  # whose classes are scripted
from transformers import TrainingArguments
assert not TrainingArguments("out", report_to="wandb", use_cpu=True).report_to
torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))])  # thrown away
${TRAIN}`,
    );
    assert.equal((await dry('python logs.py')).steps, 2);
  });

  it('answer as the driver of the GPU when a Triton kernel is defined', async () => {
    file(
      'tuned.py',
      `import torch
try:
    import triton
except ImportError:
    triton = None
if triton is not None:
    from triton.runtime import driver
    @triton.autotune(configs=[triton.Config({"B": 16}), triton.Config({"B": 32})], key=["n"])
    @triton.jit
    def kernel(x, n, B: triton.language.constexpr):
        triton.language.store(x, n)
    x = torch.zeros(4, device="cuda")
    kernel[(1,)](x, 4)
    major, minor = torch.cuda.get_device_capability()
    assert driver.active.get_current_target().arch == major * 10 + minor
    assert driver.active.utils.get_device_properties(0)["max_shared_mem"] > 0
${TRAIN}`,
    );
    await dry('python tuned.py');
  });

  it('know the lengths of rows, and take every box and every value where nobody knows them', async () => {
    file(
      'lengths.py',
      `import torch
shares = torch.tensor([1.0, 0.5]).cuda()
longest = int((shares * 40).round().max().item())
assert longest == 40, longest
unknown = torch.rand(300, device="cuda")
places = (unknown > 0.5).nonzero().squeeze(1)
assert len(places[torch.randperm(300)[:128].cuda()].unique()) == 128
assert len(torch.rand(4, 300, device="cuda").argmax(0).unique()) == 1  # classes, of which metrics allow only so many
try:
    from torchvision.ops import nms
    assert len(nms(torch.rand(50, 4, device="cuda"), torch.rand(50, device="cuda"), 0.5)) == 50
except ImportError:
    pass
${TRAIN}`,
    );
    await dry('python lengths.py');
  });

  it("keep for the CTC loss what ATen's kernel keeps", async () => {
    file(
      'speech.py',
      `import torch
import torch.nn.functional as F
lengths, targets = torch.tensor([6, 4]), torch.randint(1, 9, (2, 7))
real = torch._ctc_loss(torch.zeros(20, 2, 9).log_softmax(-1), targets, [20, 20], [6, 4])[1]
x = torch.zeros(20, 2, 9, device="cuda", requires_grad=True)
loss = F.ctc_loss(x.log_softmax(-1), targets.cuda(), torch.tensor([20, 20]).cuda(), lengths.cuda(), reduction="none")
log_alpha = loss.grad_fn.saved_tensors[3]
assert log_alpha.shape == real.shape == (2, 20, 13), log_alpha.shape
torch.nn.CTCLoss()(x.log_softmax(-1), targets.cuda(), [20, 20], [6, 4]).backward()
assert x.grad.shape == x.shape
${TRAIN}`,
    );
    await dry('python speech.py');
  });

  it("run MMCV's operations by what its sources allocate, and refuse those whose results' shapes nobody knows", async () => {
    file('mmcv/__init__.py', '');
    file('mmcv/utils/__init__.py', '');
    file('mmcv/utils/ext_loader.py', 'def load_ext(name, funcs): raise ImportError("no mmcv._ext")\n');
    const uses = (text: string): string => `import torch
from mmcv.utils import ext_loader
ext = ext_loader.load_ext("_ext", ["nms"])
${text}
${TRAIN}`;
    file(
      'detect.py',
      uses(`assert ext.nms(torch.rand(9, 4, device="cuda"), torch.rand(9, device="cuda"), iou_threshold=0.5, offset=0).shape == (9,)
out = torch.empty(9, 256, 7, 7, device="cuda")
assert ext.roi_align_forward(out, out, out) is None
value, places = torch.zeros(2, 100, 8, 32, device="cuda"), torch.zeros(2, 50, 8, 4, 4, 2, device="cuda")
assert ext.ms_deform_attn_forward(value, None, None, places, None, im2col_step=64).shape == (2, 50, 256)
image, out = torch.zeros(2, 64, 128, 128, device="cuda"), torch.zeros(2, 64, 128, 128, device="cuda")
torch.cuda.reset_peak_memory_stats()
before = torch.cuda.memory_allocated()
ext.modulated_deform_conv_forward(image, None, None, None, None, None, out, None, kernel_h=3, kernel_w=3, stride_h=1)
assert torch.cuda.max_memory_allocated() - before == 64 * 9 * 128 * 128 * 4, torch.cuda.max_memory_allocated() - before
assert torch.cuda.memory_allocated() == before`),
    );
    standsIn(await dry('python detect.py'), /^MMCV's compiled operations/);
    file('groups.py', uses('ext.pixel_group()'));
    await assert.rejects(dry('python groups.py'), /MMCV's pixel_group/);
  });

  it("make up annotations of COCO with the classes that the program names, and MMEngine's pictures", async () => {
    file('pycocotools/__init__.py', '');
    file(
      'pycocotools/coco.py',
      `class COCO:
    def __init__(self, annotation_file=None):
        self.dataset = {}
        if annotation_file is not None: open(annotation_file).close()
    def createIndex(self): self.images = {one["id"]: one for one in self.dataset["images"]}
    def getCatIds(self, catNms=[], supNms=[], catIds=[]):
        return [one["id"] for one in self.dataset["categories"] if not catNms or one["name"] in catNms]
`,
    );
    file('mmengine/__init__.py', '');
    file('mmengine/dataset/__init__.py', '');
    file(
      'mmengine/dataset/base_dataset.py',
      `class BaseDataset:
    metainfo, data_prefix = {"classes": ("a", "b", "c")}, {"img_path": "nowhere/img", "seg_map_path": "nowhere/maps"}
    img_suffix, seg_map_suffix, label_map, reduce_zero_label = ".jpg", ".png", None, False
    def load_data_list(self): raise FileNotFoundError("nowhere/img")
    def full_init(self): self.data_list = self.load_data_list()
`,
    );
    file(
      'pictures.py',
      `from mmengine.dataset.base_dataset import BaseDataset
from pycocotools.coco import COCO
coco = COCO("nowhere/instances_train.json")
objects = coco.dataset["annotations"]
assert len(coco.images) == 256 and len(objects) == 7 * 256
assert coco.getCatIds(catNms=["cat", "balloon"]) == [1, 2] and {one["category_id"] for one in objects} == {1, 2}
data = BaseDataset()
data.full_init()
assert len(data.data_list) == 256 and data.data_list[3]["seg_map_path"].endswith("00003.png")
try:
    from PIL import Image
    assert Image.open("nowhere/train/" + coco.images[1]["file_name"]).size == (640, 384)
    assert Image.open(data.data_list[0]["seg_map_path"]).mode == "L" and Image.open(data.data_list[0]["img_path"]).mode == "RGB"
except ImportError:
    pass
${TRAIN}`,
    );
    const result = await dry('python pictures.py');
    standsIn(result, /^256 made-up pictures with 7 objects for instances_train.json/);
    standsIn(result, /^256 made-up pictures for BaseDataset/);
  });

  it('list missing cases of volumes, also where a case is a folder', async () => {
    file(
      'nibabel.py',
      'class Nifti1Image:\n    def __init__(self, data, affine): self.data = data\ndef load(path): raise OSError(path)\n',
    );
    file(
      'cases.py',
      `import os
import nibabel as nib
cases = os.listdir("data/train")
assert len(cases) == 256
one = os.path.join("data/train", cases[0])
assert nib.load(one).data.shape == nib.load(os.path.join(one, cases[0] + "_flair.nii.gz")).data.shape == (240, 240, 155)
${TRAIN}`,
    );
    standsIn(await dry('python cases.py'), /^made-up volumes of 240/);
  });

  it('have contents for data that a program downloads, and nothing for what it does not know', async () => {
    file(
      'requests.py',
      `class exceptions:
    class ConnectionError(OSError): pass
class Response:
    content = property(lambda self: self._content)
def get(url, **kwargs): raise exceptions.ConnectionError("offline")
class api: pass
`,
    );
    file(
      'fetches.py',
      `import json, urllib.request, requests
urllib.request.urlretrieve("https://nobody.invalid/input.txt?raw=1", "input.txt")
assert len(open("input.txt").read()) > 1_000_000
rows = json.loads(requests.get("https://nobody.invalid/data.json").content)
assert len(rows) == 256 and rows[0]["instruction"]
try:
    urllib.request.urlopen("https://nobody.invalid/weights.tar.gz")
    raise SystemExit("there is a network")
except OSError:
    pass
${TRAIN}`,
    );
    standsIn(await dry('python fetches.py'), /^made-up contents for data.json, which the program downloads/);
  });

  it('collect parts of SpeechBrain and checkpoints of fvcore by their shapes', async () => {
    file('speechbrain/__init__.py', '');
    file('speechbrain/utils/__init__.py', '');
    file(
      'speechbrain/utils/parameter_transfer.py',
      `class Pretrainer:
    loadables = {}
    def collect_files(self): raise FileNotFoundError("offline")
    def load_collected(self): raise ValueError("never collected")
`,
    );
    file('fvcore/__init__.py', '');
    file('fvcore/common/__init__.py', '');
    file(
      'fvcore/common/checkpoint.py',
      'class Checkpointer:\n    def load(self, path): raise OSError("offline")\n',
    );
    file(
      'parts.py',
      `from fvcore.common.checkpoint import Checkpointer
from speechbrain.utils.parameter_transfer import Pretrainer
class SentencePieceProcessor:
    def load(self, path): self.path = path
Pretrainer.loadables = {"tokenizer": SentencePieceProcessor()}
one = Pretrainer()
one.collect_files()
one.load_collected()
assert one.loadables["tokenizer"].path == "tokenizer.model"
assert Checkpointer().load("nobody://R-50.pkl") == {}
${TRAIN}`,
    );
    standsIn(await dry('python parts.py'), /^pretrained weights by their shapes/);
  });

  it('hand trainers of sentence-transformers what the loss documents', async () => {
    file('sentences/datasets/__init__.py', DATASETS);
    file('sentences/datasets/formatting/__init__.py', '');
    file(
      'sentences/datasets/formatting/formatting.py',
      'class LazyDict:\n    def __getitem__(self, key): raise KeyError(key)\n',
    );
    file('sentences/sentence_transformers/__init__.py', '');
    file(
      'sentences/sentence_transformers/base/trainer.py',
      `class BaseTrainer:
    def __init__(self, model=None, args=None, train_dataset=None, eval_dataset=None, loss=None, evaluator=None):
        self.row, self.rest = train_dataset[0], (args, eval_dataset, evaluator)
`,
    );
    file('sentences/sentence_transformers/base/__init__.py', '');
    const table = (cells: string): string => `"""A loss.

    Inputs:
        +-----------------+--------+
        | Inputs          | Labels |
        +=================+========+
        | ${cells} |
        +-----------------+--------+
        | (one, more) row | class  |
        +-----------------+--------+
    """`;
    file(
      'sentences/main.py',
      `from datasets import load_dataset
from sentence_transformers.base.trainer import BaseTrainer
class Scored:
    ${table('(input_A, input_B) pairs | float similarity score')}
class Single:
    ${table('single inputs | class')}
class Around:
    ${table('any | any')}
    def __init__(self, loss): self.loss = loss
class Listed:
    ${table('(query, [doc1, doc2, ..., docN]) | [score1, score2, ..., scoreN]')}
def row(loss):
    trainer = BaseTrainer(args=1, train_dataset=load_dataset("nobody/nothing", split="train"), loss=loss, evaluator=2)
    assert trainer.rest == (1, None, 2)
    return trainer.row
assert list(row(Around(Scored()))) == ["input_A", "input_B", "label"] and type(row(Scored())["label"]) is float
assert list(row(Single())) == ["single_inputs", "label"] and type(row(Single())["label"]) is int
assert len(row(Listed())["documents"]) == len(row(Listed())["label"])
${TRAIN}`,
    );
    standsIn(
      await dry('python sentences/main.py'),
      /^the columns that the loss reads for a data set that is missing/,
    );
  });

  it('cut made-up rows where ms-swift and Axolotl would leave them out', async () => {
    file('datasets.py', 'class Dataset(list):\n    from_list = classmethod(lambda cls, rows: cls(rows))\n');
    file('swift/__init__.py', '');
    file('swift/llm/__init__.py', '');
    file('swift/llm/dataset/__init__.py', '');
    file(
      'swift/llm/dataset/loader.py',
      'class DatasetLoader:\n    @staticmethod\n    def _load_repo_dataset(name, subset, use_hf=None): raise OSError("offline")\n',
    );
    file('swift/llm/template/__init__.py', '');
    file(
      'swift/llm/template/base.py',
      'class Template:\n    max_length, truncation_strategy = 128, "raise"\n    def encode(self, row): return self.truncation_strategy\n',
    );
    file('axolotl/__init__.py', '');
    file('axolotl/utils/__init__.py', '');
    file('axolotl/utils/data/__init__.py', '');
    file(
      'axolotl/utils/data/utils.py',
      'def handle_long_seq_in_dataset(dataset, sequence_len, cfg):\n    return [row for row in dataset.rows if len(row["input_ids"]) <= sequence_len]\n',
    );
    file(
      'long_rows.py',
      `from swift.llm.dataset.loader import DatasetLoader
from swift.llm.template.base import Template
from axolotl.utils.data.utils import handle_long_seq_in_dataset
class Rows:
    column_names = ["input_ids"]
    def __init__(self, rows): self.rows = rows
    def map(self, function): return Rows([function(row) for row in self.rows])
long = Rows([{"input_ids": [1] * 300}])
assert Template().encode({}) == "raise" and handle_long_seq_in_dataset(long, 100, None) == []
rows = DatasetLoader._load_repo_dataset("nobody/rows", None, use_hf=False)
assert [one["role"] for one in rows[0]["messages"]] == ["user", "assistant"]
assert Template().encode({}) == "left" and len(handle_long_seq_in_dataset(long, 100, None)[0]["input_ids"]) == 100
${TRAIN}`,
    );
    standsIn(await dry('python long_rows.py'), /^256 rows of 600 words for nobody\/rows/);
  });
});
