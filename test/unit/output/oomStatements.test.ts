import assert from 'node:assert/strict';
import { explainOom } from '../../../src/core/output/oom/explain';

const LINE =
  '    optimizer.zero_grad(); loss = F.cross_entropy(model(x), y); loss.backward(); optimizer.step()';
const END =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB of which 1.00 GiB is free.';

/** Python's traceback for a line with several statements: with markers since 3.11, without them before. */
const traceback = (marked: string | null, ...frames: readonly string[]): string => {
  const from = LINE.indexOf(marked ?? LINE);
  const marks = marked === null ? [] : [' '.repeat(from) + '^'.repeat(marked.length)];
  return ['Traceback (most recent call last):', '  File "/work/train.py", line 31, in <module>', LINE]
    .concat(marks, frames, END)
    .join('\n');
};

const torch = (path: string, name: string, source: string): string =>
  `  File "/venv/lib/python3.11/site-packages/torch/${path}", line 581, in ${name}\n    ${source}`;

const backward = [
  torch('_tensor.py', 'backward', 'torch.autograd.backward('),
  torch('autograd/__init__.py', 'backward', '_engine_run_backward('),
];
const step = [
  torch('optim/optimizer.py', 'wrapper', 'out = func(*args, **kwargs)'),
  torch('optim/adamw.py', 'step', 'has_complex = self._init_group('),
];
const loss = [torch('nn/functional.py', 'cross_entropy', 'return torch._C._nn.cross_entropy_loss(')];
const forward = [torch('nn/modules/module.py', '_call_impl', 'return forward_call(*args, **kwargs)')];

const phaseOf = (text: string) => explainOom(text)?.phase;

describe('a traceback whose line has several statements', () => {
  it('is of the one that Python marks', () => {
    assert.equal(phaseOf(traceback('loss.backward()', ...backward)), 'backward');
    assert.equal(phaseOf(traceback('optimizer.step()', ...step)), 'optimizer');
    assert.equal(phaseOf(traceback('F.cross_entropy(model(x), y)', ...loss)), 'loss');
    assert.equal(explainOom(traceback('loss.backward()', ...backward))?.owner, 'activations');
  });

  it('is of the one that the frames below it are in, where nothing is marked', () => {
    assert.equal(phaseOf(traceback(null, ...backward)), 'backward');
    assert.equal(phaseOf(traceback(null, ...step)), 'optimizer');
    assert.equal(phaseOf(traceback(null, ...loss)), 'loss');
    assert.notEqual(phaseOf(traceback(null, ...forward)), 'optimizer');
  });

  it('is not of a step that has no frame of its own', () => {
    const text = traceback(null).replace(LINE, '    y = x @ w; optimizer.step()');
    assert.equal(phaseOf(text), null);
  });

  it('may come from several ranks, each behind its prefix', () => {
    const all = traceback('loss.backward()', ...backward).split('\n');
    const ranks = [0, 1].flatMap(rank => all.map(line => `[rank${rank}]: ${line}`));
    assert.equal(phaseOf(ranks.join('\n')), 'backward');
  });

  it('is not parted by a semicolon in a text or a comment', () => {
    const said = '    optimizer.step()  # then; log("a;b")';
    assert.equal(phaseOf(traceback(null, ...step).replace(LINE, said)), 'optimizer');
    const text = `    log("before; after"); optimizer.step()`;
    assert.equal(phaseOf(traceback(null, ...step).replace(LINE, text)), 'optimizer');
  });
});
