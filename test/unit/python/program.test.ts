import assert from 'node:assert/strict';
import { readProgram } from '../../../src/core/python/program';
import { programOf } from '../../../src/core/python/source';
import type { Value } from '../../../src/core/python/value';
import { cellText } from '../../../src/core/text/cells';
import { notebookOf } from './support';

/** What `f(…)` is called with, in plain values; `?` for what is not known. */
function argumentsOf(code: string): Record<string, unknown> {
  const [found] = readProgram(code).calls(name => name === 'f');
  return Object.fromEntries(
    (found?.call.args ?? []).map(arg => [arg.name ?? String(arg.position), plain(arg.value)]),
  );
}

function plain(value: Value): unknown {
  switch (value.kind) {
    case 'scalar':
      return value.value;
    case 'items':
      return value.items.map(plain);
    case 'fields':
      return Object.fromEntries(value.fields.map(field => [field.key, plain(field.value)]));
    case 'name':
      return value.name;
    case 'call':
      return `${value.call.name}()`;
    case 'class':
    case 'function':
      return value.of.name;
    case 'open':
      return '?';
  }
}

const IMPORT = 'from lib import f\n';

describe('what a Python program calls with', () => {
  const cases: [title: string, code: string, args: Record<string, unknown>][] = [
    [
      'literals',
      'f(1, "a", b=2e-4, c=None, d=-1, e=[1, 2], g=1_000)',
      { 0: 1, 1: 'a', b: 2e-4, c: null, d: -1, e: [1, 2], g: 1000 },
    ],
    ['a constant', 'N = 4\nf(n=N * 2, m=N // 3, k=2**N, t=f"x-{N}")', { n: 8, m: 1, k: 16, t: 'x-4' }],
    ['the last assignment before it', 'n = 1\nn = 2\nf(n=n)\nn = 3', { n: 2 }],
    [
      'a match',
      'm = "a"\nmatch m:\n    case "a":\n        n = 1\n    case "b":\n        n = 2\n    case _:\n        n = 3\nf(n=n)',
      { n: 1 },
    ],
    [
      'a match of the rest',
      'match 4:\n    case 5:\n        n = 1\n    case _:\n        n = 3\nf(n=n)',
      { n: 3 },
    ],
    ['an unknown match', 'n = 2\nmatch x():\n    case [m] if m > 1:\n        n = 1\nf(n=n)', { n: '?' }],
    ['an update', 'n = 2\nn *= 3\nf(n=n)', { n: 6 }],
    ['an imported name', 'import torch\nf(dtype=torch.bfloat16)', { dtype: 'torch.bfloat16' }],
    ['a dictionary', 'kw = dict(a=1)\nkw["b"] = 2\nf(**kw, c=kw["a"])', { a: 1, b: 2, c: 1 }],
    ['a dictionary literal', 'kw = {"a": 1, **{"b": 2}}\nf(**kw)', { a: 1, b: 2 }],
    [
      'an attribute of a class',
      'class C:\n    a: int = 4\nc = C()\nc.b = 3\nf(a=C.a, b=c.a, d=c.b)',
      { a: 4, b: 4, d: 3 },
    ],
    [
      'a known condition',
      'big = True\nif big:\n    n = 8\nelse:\n    n = 1\nf(n=n, m=1 if big else 2)',
      { n: 8, m: 1 },
    ],
    ['an unknown condition', 'n = 1\nif g():\n    n = 2\nf(n=n, m=1 if g() else 2)', { n: '?', m: '?' }],
    ['a loop', 'for n in [1, 2]:\n    f(n=n)', { n: '?' }],
    ['a function of the program', 'def make(a, b=2):\n    return a + b\nf(n=make(1))', { n: 3 }],
    ['arguments of the function around it', 'def main(n, m=5):\n    f(n=n, m=m)\nmain(3)', { n: 3, m: 5 }],
    [
      'argparse',
      'import argparse\np = argparse.ArgumentParser()\np.add_argument("--batch-size", type=int, default=4)\np.add_argument("-x", action="store_true")\nargs = p.parse_args()\nf(b=args.batch_size, x=args.x, y=args.z)',
      { b: 4, x: false, y: '?' },
    ],
    [
      'a variable of the environment',
      'import os\nf(n=int(os.environ.get("N", "3")), m=os.environ["M"])',
      { n: 3, m: '?' },
    ],
    [
      'what the GPU decides',
      'import torch\nf(a=torch.cuda.is_available(), b=torch.cuda.is_bf16_supported())',
      { a: true, b: true },
    ],
    ['the result of another call', 'from lib import g\nm, t = g("x")\nf(m=m.to("cuda"))', { m: 'lib.g()' }],
    ['nothing that ends', 'a = b\nb = a\nf(a=a)', { a: '?' }],
  ];
  for (const [title, code, args] of cases) {
    it(`is known from ${title}`, () => {
      // Bare names are what Python has built in: unknown unless they are.
      const found = argumentsOf(IMPORT + code);
      const unknown = Object.fromEntries(
        Object.entries(found).map(([name, value]) => [
          name,
          value === 'b' && title.startsWith('nothing') ? '?' : value,
        ]),
      );
      assert.deepEqual(unknown, args);
    });
  }
});

describe('the code of a notebook', () => {
  const cells = [
    '!pip install "trl==0.22.2"\nx = 1\n',
    'if x:\n    %matplotlib inline\n',
    'y = "a\\n\\u00e9 ü"\nf(1)',
  ];
  for (const asText of [false, true]) {
    it(`is its code cells, at their places, from ${asText ? 'texts' : 'lists of lines'}`, () => {
      const file = notebookOf(cells, asText);
      const source = programOf('a.ipynb', file);
      assert(source);
      assert.deepEqual(source.installs, ['!pip install "trl==0.22.2"']);
      assert.match(
        source.text.replaceAll('# %%\n', ''),
        /^pass +\nx = 1\nif x:\n {4}pass +\ny = "a\\n\\u00e9 ü"\nf\(1\)\n$/,
      );
      for (const word of ['x = 1', 'if x', 'f(1)', 'y = ']) {
        const start = source.text.indexOf(word);
        const span = source.inFile({ start, end: start + word.length });
        assert.equal(file.slice(span.start, span.end), word);
      }
    });
  }

  it('is the same from the joined cells of an editor, at their own places', () => {
    const joined = cells.map(cellText).join('');
    const source = programOf('a.ipynb', joined);
    assert(source);
    const fromFile = programOf('a.ipynb', notebookOf(cells));
    assert.deepEqual({ ...source, inFile: null, isJson: true }, { ...fromFile, inFile: null });
    const at = joined.indexOf('f(1)');
    assert.deepEqual(source.inFile({ start: at, end: at + 4 }), { start: at, end: at + 4 });
  });

  it('leaves out cells of other languages, not what stands behind them', () => {
    const shell = '%%bash\nfor i in 1 2; do echo $i; done\n';
    const timed = '%%time\nx = f()\n';
    const source = programOf('a.ipynb', notebookOf([shell, timed]));
    assert.match(source?.text ?? '', /^# %%\n +\n +\n# %%\npass +\nx = f\(\)\n$/);
  });

  it('is nothing in other JSON and in broken files', () => {
    const broken = notebookOf(cells).slice(0, 300);
    for (const text of ['', '{}', '[1]', '{"cells": 3}', broken, '['.repeat(10_000)]) {
      assert.equal(programOf('a.ipynb', text)?.text ?? '', '');
    }
  });
});

describe('a Python program with mistakes', () => {
  const mistake = 'x = ((1_0 lambda: {\n';
  const callsIn = (code: string): number => readProgram(code).calls(name => name === 'f').length;

  it('is read around some of them', () => {
    assert.equal(callsIn(`${IMPORT}f(1)\n${'print "old"\n'.repeat(200)}`), 1);
    assert.equal(callsIn(`${IMPORT}f(1)\n${mistake.repeat(20)}`), 1);
  });
});
