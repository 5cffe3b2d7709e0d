import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tinyTexts, writeTinyModel } from '../unit/embed/tinyModel';
import { writeTinySafetensors } from '../unit/embed/tinySafetensors';
import { bytesOf, jsonlTexts } from './embedding';
import { file, folder, headroom, headroomBound, inTemporaryFolder } from './headroom';

const CLI = resolve('dist/cli.js');

describe('cli: embed', function () {
  // About thirty processes per test, on a machine that may be busy.
  this.timeout(240_000);
  inTemporaryFolder();
  const model = (): string => writeTinyModel(join(folder(), 'model'));

  it('reads every format and standard input to the same vectors', () => {
    const list = tinyTexts(30);
    file('a.jsonl', list.map(text => `${JSON.stringify({ text })}\n`).join(''));
    file('a.csv', ['text,n', ...list.map((text, i) => `"${text}",${i}`)].join('\r\n'));
    file('a.tsv', ['text\tn', ...list.map((text, i) => `${text}\t${i}`)].join('\n'));
    file('a.txt', list.join('\n'));
    for (const ending of ['jsonl', 'csv', 'tsv', 'txt']) {
      const run = headroom('embed', `a.${ending}`, '--out', ending, '--model', model());
      assert.deepEqual([run.code, run.out.trim()], [0, `${ending}: (30, 32) in 1 file`], run.err);
    }
    const input = readFileSync(join(folder(), 'a.jsonl'));
    const piped = spawnSync(process.execPath, [CLI, 'embed', '-', '-o', 'piped', '--model', model()], {
      cwd: folder(),
      input,
    });
    assert.equal(piped.status, 0, String(piped.stderr));
    for (const name of ['csv', 'tsv', 'txt', 'piped']) {
      assert.deepEqual(bytesOf(name), bytesOf('jsonl'), name);
    }
  });

  it('embeds only the first texts of a file or standard input on request', () => {
    file('a.jsonl', jsonlTexts(30));
    const run = headroom('embed', 'a.jsonl', '--out', 'few', '--limit', '7', '--model', model(), '--verify');
    assert.deepEqual([run.code, run.out.split('\n')[0]], [0, 'few: (7, 32) in 1 file'], run.err);
    const input = readFileSync(join(folder(), 'a.jsonl'));
    const args = [CLI, 'embed', '-', '-o', 'piped', '--limit', '7', '--model', model(), '--id-column', 'id'];
    assert.equal(spawnSync(process.execPath, args, { cwd: folder(), input }).status, 0);
    assert.deepEqual(bytesOf('piped'), bytesOf('few'));
  });

  it('reads only the beginning of a word without end, and what follows it', () => {
    for (const [name, length] of Object.entries({ long: 3_000_000, short: 200_000 })) {
      file(`${name}.txt`, `${'a'.repeat(length)} ${tinyTexts(1).join('')}\n`);
      const run = headroom('embed', `${name}.txt`, '--out', name, '--model', model());
      assert.equal(run.code, 0, run.err);
    }
    assert.deepEqual(bytesOf('long'), bytesOf('short'));
  });

  it('says why a pickle is not read, and how to convert it', () => {
    file('wikipedia.pkl', '');
    const run = headroom('embed', 'wikipedia.pkl', '--out', 'out', '--model', model());
    assert.equal(run.code, 3);
    assert.match(
      run.err,
      /^wikipedia\.pkl: pickles can run code and are not read\. .+to_json\('wikipedia\.jsonl'/m,
    );
  });

  it('says that not all listed GPUs are used', () => {
    file('a.jsonl', jsonlTexts(3));
    const lines = ['embeddings:', `  model: ${model()}`, '  device: ["cuda:0", "cuda:1"]', 'input: a.jsonl'];
    file('embed.yaml', lines.join('\n'));
    const run = headroom('embed', 'embed.yaml', '--out', 'out');
    assert.match(run.err, /^The config names 2 GPUs: embed computes on one\. To use all, /m);
  });

  it('reports what it does and did, also as JSON', () => {
    file('a.jsonl', jsonlTexts(10) + '{"id": "e", "text": "  "}\n');
    const asJson = ['--json', '--progress', 'json', '--workers', '1'];
    const run = headroom('embed', 'a.jsonl', '--out', 'out', '--model', model(), ...asJson);
    assert.match(
      run.err,
      /^11 texts, with model \(mean, normalized, cut at 12 tokens\) on the CPU.*; 1 worker, batches of 512 tokens(, \S+ [MG]B by the memory model with \S+ [MG]B free)?\.$/m,
    );
    const line = run.err.split('\n').find(each => each.startsWith('{')) ?? '';
    assert.deepEqual(
      Object.keys(JSON.parse(line) as object),
      'event rows rowsTotal tokens rowsPerS tokensPerS elapsedS etaS shards'.split(' '),
    );
    const { shape, state, batch } = JSON.parse(run.out) as {
      shape: unknown;
      state: string;
      batch: Readonly<Record<string, unknown>>;
    };
    assert.deepEqual([shape, state], [[11, 32], 'complete']);
    assert.deepEqual([batch['tokens'], batch['reason'], batch['tokensAtEnd']], [512, 'usual', 512]);
    assert.match(headroom('resume', 'out').err, /already complete/);
    assert.match(
      headroom('verify', 'out', '--shape', '11,32').out,
      /\(11, 32\) in 1 file · lengths 1\.0000 to 1\.0000 · ids unique · whole/,
    );
    const wrong = headroom('verify', 'out', '--shape', '12,32');
    assert.deepEqual([wrong.code, wrong.err.includes('it has 11 rows, not 12')], [1, true]);
  });

  it('says which package a Python lacks, and what it cannot do', () => {
    file('a.jsonl', jsonlTexts(5));
    const safe = writeTinySafetensors(join(folder(), 'safe'));
    const args = ['embed', 'a.jsonl', '--out', 'out', '--model', safe];
    const none = headroom(...args, '--python', './none');
    assert.deepEqual(
      [none.code, none.err.split('\n').at(-2)],
      [1, "Couldn't start ./none. Choose a Python with --python PATH."],
    );
    const pooling = headroom(...args, '--worker', 'python', '--pooling', 'cls');
    assert.equal(pooling.code, 3);
    assert.match(
      pooling.err,
      /^--pooling is for ONNX models; sentence-transformers runs a model as its folder says\./,
    );
    const onnx = headroom(...args, '--worker', 'onnx');
    assert.match(onnx.err, /there is no onnx\/model\.onnx or model\.onnx, and nothing else is run/);
    const asked =
      'import sys, importlib.util as u; print(sys.executable, u.find_spec("sentence_transformers"))';
    const answer = spawnSync('python3', ['-c', asked], { encoding: 'utf8' });
    if (answer.status !== 0) return;
    const [executable = '', found] = answer.stdout.trim().split(' ');
    if (found !== 'None') return;
    const bare = headroom(...args, '--python', executable);
    assert.equal(bare.code, 3, bare.err);
    assert.match(
      bare.err,
      /has no sentence-transformers\. Install it there: \S*python\S* -m pip install sentence-transformers; or name another/,
    );
  });

  it('runs an embedding config as it says', () => {
    model();
    file('texts.csv', 'body,key\nshort text,a\nlong long text,b\n');
    file(
      'run.yaml',
      'embeddings:\n  model_path: ./model\n  device: cpu\n  batch_size: 1\n  max_seq_length: 6\n  normalize_embeddings: false\n' +
        'data:\n  path: texts.csv\n  text_column: body\n  id_column: key\noutput:\n  path: vectors\n',
    );
    const run = headroom('embed', 'run.yaml');
    assert.deepEqual([run.code, run.out.trim()], [0, 'vectors: (2, 32) in 1 file'], run.err);
    assert.match(run.err, /with model \(mean, cut at 6 tokens\) on the CPU, as requested/);
    assert.equal(readFileSync(join(folder(), 'vectors/shard-00000.ids.jsonl'), 'utf8'), '"a"\n"b"\n');
    assert.equal(headroom('embed', 'run.yaml', '--out', 'other', '--no-id-column', '--normalize').code, 0);
    assert.equal(headroom('verify', 'other').code, 0);
    file(
      'train.yaml',
      'base_model: NousResearch/Meta-Llama-3-8B\nadapter: lora\nmicro_batch_size: 2\ndatasets:\n  - path: x\n',
    );
    const train = headroom('embed', 'train.yaml');
    assert.deepEqual([train.code, train.err.includes('this config embeds nothing')], [3, true]);
  });

  it("takes a model from huggingface_hub's cache, and downloads none", () => {
    file('a.jsonl', jsonlTexts(3));
    const hub = join(folder(), '.cache/huggingface/hub/models--some--model');
    mkdirSync(join(hub, 'refs'), { recursive: true });
    writeFileSync(join(hub, 'refs/main'), 'abc');
    writeTinyModel(join(hub, 'snapshots/abc'));
    assert.equal(headroom('embed', 'a.jsonl', '--model', 'some/model', '--out', 'out').code, 0);
    const none = headroom('embed', 'a.jsonl', '--model', 'some/other', '--out', 'none');
    assert.deepEqual([none.code, none.err.includes('not in the Hugging Face cache')], [3, true]);
  });

  it('reports errors in an input, a model or an option, with their place', () => {
    file('bad.jsonl', '{"text": "one"}\n{"text": 1, }\n');
    file('null.jsonl', '{"text": "one"}\n\n{"text": null}\n');
    file('latin.txt', Buffer.from([0x6f, 0x6b, 0x0a, 0xe9, 0x0a]));
    file('names.csv', 'title,body\na,b\n');
    file('empty.jsonl', '');
    const said = (...args: string[]): string => {
      const run = headroom('embed', ...args, '--out', 'out', '--model', model());
      assert.equal(run.code, 3, run.err);
      assert.equal(run.err.trim().split('\n').length, 1, run.err);
      return run.err;
    };
    assert.match(said('bad.jsonl'), /^bad\.jsonl:2: the line is not JSON/);
    assert.match(said('null.jsonl'), /^null\.jsonl:3: text is null/);
    assert.match(said('latin.txt'), /^latin\.txt:2: the line is not UTF-8/);
    assert.match(said('names.csv'), /^names\.csv: there is no column text \(there are: title, body\)/);
    assert.match(said('empty.jsonl'), /^empty\.jsonl: contains no text/);
    assert.match(said('nothing.jsonl'), /^nothing\.jsonl: no such file/);
    assert.match(said('folder'), /unknown file format/);
    assert.match(said('names.csv', '--text-column', 'body', '--max-tokens', '99'), /positions for 16 tokens/);
    assert.match(
      said('names.csv', '--text-column', 'body', '--prompt-name', 'query'),
      /no prompt query \(it has: none\)/,
    );
    assert.match(
      said('names.csv', '--text-column', 'body', '--precision', 'int8'),
      /no onnx\/model_quantized\.onnx/,
    );
    assert.match(said('names.csv', '--text-column', 'body', '--shard', '3/16'), /too few for 16 parts/);
    assert.match(
      headroom('embed', 'a.csv', '--out', 'out', '--shard', '0/4').err,
      /Expected a part such as 1\/16/,
    );
    const cuda = headroom(
      'embed',
      'names.csv',
      '--text-column',
      'body',
      '--out',
      'o',
      '--model',
      model(),
      '--device',
      'cuda',
    );
    assert.equal(cuda.code, 1);
    assert.match(cuda.err, /^CUDA, as requested, cannot be used: /);
  });

  it('stops after the current batches on request, and resumes', async () => {
    file('a.jsonl', jsonlTexts(12_000));
    const args = ['embed', 'a.jsonl', '--model', model(), '--batch-tokens', '24', '--out', 'out'];
    const child = spawn(process.execPath, [CLI, ...args], { cwd: folder() });
    let [out, err] = ['', ''];
    child.stdout.on('data', data => (out += String(data)));
    child.stderr.on('data', data => {
      if (err === '') setTimeout(() => child.kill('SIGTERM'), 200);
      err += String(data);
    });
    const code = await new Promise(done => child.once('close', done));
    assert.equal(code, 2, err);
    assert.match(out, /^out: stopped after [\d,]+ texts; continue with headroom resume out\.$/m);
    const before = headroom('verify', 'out');
    assert.deepEqual([before.code, before.err.includes('incomplete; continue')], [1, true]);
    assert.equal(headroom('resume', 'out').code, 0);
    assert.equal(headroom('verify', 'out', '--shape', '12000,32').code, 0);
  });

  it('does not start if nothing can be written', function () {
    file('a.jsonl', jsonlTexts(3));
    model();
    chmodSync(folder(), 0o555);
    const run = headroomBound('embed', 'a.jsonl', '--out', 'out', '--model', 'model');
    chmodSync(folder(), 0o755);
    if (process.platform === 'win32' || run === null) this.skip();
    assert.deepEqual(
      [run.code, run.err.trim()],
      [1, 'out: not writable; change its permissions or choose another folder.'],
    );
  });

  it('keeps its output when the disk is full, and resumes when there is space', function () {
    const disk = join(folder(), 'disk');
    mkdirSync(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]);
    if (mounted.status !== 0) this.skip();
    try {
      file('a.jsonl', jsonlTexts(6000));
      const run = ['embed', 'a.jsonl', '--model', model(), '--batch-tokens', '64', '--out'];
      const before = headroom(...run, 'disk/out');
      assert.equal(before.code, 0, before.err);
      spawnSync('rm', ['-r', join(disk, 'out')]);
      writeFileSync(join(disk, 'filler'), Buffer.alloc(1_500_000));
      const refused = headroom(...run, 'disk/out');
      assert.deepEqual(
        [refused.code, refused.err.includes('need 1 MB, and 1 MB are free')],
        [1, true],
        refused.err,
      );
      // The size of stdin is unknown beforehand: the disk fills up in the middle.
      const input = jsonlTexts(20_000);
      const piped = (...verb: readonly string[]) =>
        spawnSync(process.execPath, [CLI, ...verb], { cwd: folder(), input, encoding: 'utf8' });
      const full = piped('embed', '-', '--model', model(), '--rows-per-shard', '500', '-o', 'disk/piped');
      assert.equal(full.status, 1, full.stderr);
      assert.match(full.stderr, /^disk\/piped: no disk space left; free some space and resume\.$/m);
      spawnSync('mount', ['-o', 'remount,size=9m', disk]);
      const other = input.replace('"text":"', '"text":"seven ');
      const changed = spawnSync(process.execPath, [CLI, 'resume', 'disk/piped'], {
        cwd: folder(),
        input: other,
      });
      assert.match(String(changed.stderr), /other texts came than before \(rows from 0 on\)/);
      assert.equal(piped('resume', 'disk/piped').status, 0);
      assert.equal(headroom('verify', 'disk/piped', '--shape', '20000,32').code, 0);
    } finally {
      spawnSync('umount', [disk]);
    }
  });
});
