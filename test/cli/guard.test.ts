import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { axolotl } from '../unit/core/support';
import { file, folder, headroom, inTemporaryFolder } from './headroom';
import type { Ended } from './headroom';

inTemporaryFolder();

const guard = (...command: readonly string[]): Ended => headroom('guard', '--gpu', '24GB', '--', ...command);

const FLAGS =
  '--output_dir out --per_device_train_batch_size 1 --learning_rate 2e-5 --save_strategy steps --logging_steps 1'.split(
    ' ',
  );

describe('headroom guard', () => {
  it('stops a command whose run does not fit, with the change that would make it fit', () => {
    file('a.yaml', axolotl());
    const { code, out } = guard('axolotl', 'train', 'a.yaml');
    assert.equal(code, 1);
    assert.match(out, /^Stopped: ≈ .* GB of 24 GB · does not fit\nIt fits with: .*micro_batch_size/);
    assert.match(out, /HEADROOM_GUARD=off\.\n$/);
  });

  it('reads a line that begins with variables', () => {
    assert.equal(
      guard('VLLM_USE_V1=0 vllm serve meta-llama/Llama-3.3-70B-Instruct --max-model-len 8192').code,
      1,
    );
  });

  it('reads one line of a shell as well as words', () => {
    file('a.yaml', axolotl());
    assert.equal(guard('cd . && CUDA_VISIBLE_DEVICES=0 axolotl train a.yaml').code, 1);
    const serving = guard('vllm', 'serve', 'meta-llama/Llama-3.3-70B-Instruct', '--max-model-len', '8192');
    assert.equal(serving.code, 1);
  });

  it('stops a run that lacks facts for an estimate, if even the least does not fit', () => {
    const train = (model: string, ...flags: readonly string[]): Ended =>
      guard(
        'torchrun',
        '--nproc_per_node=1',
        'train.py',
        '--model_name_or_path',
        model,
        '--bf16',
        'True',
        ...FLAGS,
        ...flags,
      );
    const { code, out } = train('huggyllama/llama-7b');
    assert.equal(code, 1);
    assert.match(out, /^Stopped: ≈ .* GB of 24 GB · does not fit, even at the lowest estimate\n/);
    assert.equal(train('openai-community/gpt2').code, 0);
    // Adapters of a script of one's own are not among its flags.
    const own = guard('python', 'train_lora.py', '--model_name_or_path', 'huggyllama/llama-7b', ...FLAGS);
    assert.equal(own.code, 0);
  });

  it('lets everything else pass in silence', () => {
    file('fits.yaml', axolotl({ micro_batch_size: 1, adapter: 'qlora', load_in_4bit: true }));
    file('unknown.yaml', axolotl({ base_model: 'nobody/knows-it' }));
    const commands = [
      ['axolotl', 'train', 'fits.yaml'],
      ['axolotl', 'train', 'unknown.yaml'],
      ['axolotl', 'train', 'missing.yaml'],
      ['ls', '-la'],
      ["rm -rf 'x"],
      ['python', 'train.py', '--batch-size', '100000'],
    ];
    for (const command of commands) assert.deepEqual(guard(...command), { code: 0, out: '', err: '' });
  });

  it('judges a name of cards of two sizes by the larger, and warns of the smaller', () => {
    const of = (model: string): Ended =>
      headroom('guard', '--gpu', 'A100', '--', 'vllm', 'serve', model, '--max-model-len', '8192');
    assert.deepEqual(of('Qwen/Qwen2.5-7B-Instruct'), { code: 0, out: '', err: '' });
    const { code, out, err } = of('Qwen/Qwen2.5-32B-Instruct');
    assert.deepEqual([code, out], [0, '']);
    assert.match(err, /^Not stopped, but on the smaller GPU: ≈ .* of 40 GB · does not fit/);
    assert.match(err, /--gpu "A100 \w+ 80GB|--gpu "A100 80GB/);
    assert.equal(of('Qwen/Qwen2.5-72B-Instruct').code, 1);
  });

  it('can be told to let a command pass', () => {
    file('a.yaml', axolotl());
    const allowed = headroom('guard', '--allow', '--gpu', '24GB', '--', 'axolotl', 'train', 'a.yaml');
    assert.deepEqual(allowed, { code: 0, out: '', err: '' });
  });

  describe('as a hook', () => {
    const TOO_LARGE = 'vllm serve meta-llama/Llama-3.3-70B-Instruct --max-model-len 8192';
    const HARMLESS = 'ls -la && git status';
    const hook = (payload: object): Ended => {
      const args = [resolve('dist/cli.js'), 'guard', '--gpu', '24GB', '--hook'];
      const env = { PATH: '', HOME: folder() };
      const input = JSON.stringify(payload);
      const ended = spawnSync(process.execPath, args, { cwd: tmpdir(), env, input, encoding: 'utf8' });
      return { code: ended.status, out: ended.stdout, err: ended.stderr };
    };
    const silent = { code: 0, out: '', err: '' };
    const payloadOf = (agent: string, command: string) => {
      const text = readFileSync(`test/fixtures/guard/hooks/${agent}.json`, 'utf8');
      const replaced = text.replaceAll('"COMMAND"', JSON.stringify(command));
      return JSON.parse(replaced.replaceAll('"FOLDER"', JSON.stringify(folder()))) as object;
    };

    for (const agent of ['claude', 'codex', 'cursor']) {
      it(`answers ${agent}`, () => {
        const { code, out, err } = hook(payloadOf(agent, TOO_LARGE));
        assert.equal(code, 2);
        assert.match(
          err,
          /^Stopped: ≈ .* does not fit.*\n(?:.*\n)*To run it anyway, the user .*HEADROOM_GUARD=off/,
        );
        if (agent === 'cursor') {
          const { permission, user_message: said } = JSON.parse(out) as Record<string, string>;
          assert.deepEqual([permission, err.startsWith(`${said}\n`)], ['deny', true]);
        } else assert.equal(out, '');
        // Nothing is granted: the agent asks its user as ever.
        assert.deepEqual(hook(payloadOf(agent, HARMLESS)), silent);
      });

      it(`reads the files of the folder in which ${agent} works`, () => {
        file('a.yaml', axolotl());
        assert.equal(hook(payloadOf(agent, 'axolotl train a.yaml')).code, 2);
      });

      it(`is set up for ${agent} as the page says`, () => {
        const page = readFileSync('docs/guard.md', 'utf8');
        const block = new RegExp(`\`\`\`json ${agent}\n([^\`]*)\`\`\``).exec(page)?.[1] ?? '';
        const said = JSON.parse(block) as { readonly hooks: object };
        assert.match(JSON.stringify(said.hooks), /"command":"headroom guard --hook"/);
        const event = (payloadOf(agent, HARMLESS) as { hook_event_name: string }).hook_event_name;
        assert.deepEqual(Object.keys(said.hooks), [event]);
      });
    }

    it('tells the user of an agent what a name of cards of two sizes leaves open', () => {
      const args = [resolve('dist/cli.js'), 'guard', '--gpu', 'A100', '--hook'];
      const command = 'vllm serve Qwen/Qwen2.5-32B-Instruct --max-model-len 8192';
      for (const agent of ['claude', 'cursor']) {
        const input = JSON.stringify(payloadOf(agent, command));
        const env = { PATH: '', HOME: folder() };
        const { status, stdout, stderr } = spawnSync(process.execPath, args, {
          cwd: tmpdir(),
          env,
          input,
          encoding: 'utf8',
        });
        assert.equal(status, 0);
        assert.match(stderr, /^Not stopped, but on the smaller GPU/);
        if (agent === 'cursor') assert.equal(stdout, '');
        else assert.deepEqual(Object.keys(JSON.parse(stdout) as object), ['systemMessage']);
      }
    });

    it('lets pass what is no command, or no JSON', () => {
      assert.deepEqual(hook({ tool_name: 'Read', tool_input: { file_path: 'a.yaml' } }), silent);
      assert.deepEqual(hook([]), silent);
      assert.equal(hook({ command: TOO_LARGE.split(' ') }).code, 2);
    });
  });

  it('stops a line of bash by the trap of the page, and no other', function () {
    if (process.platform === 'win32') this.skip();
    const page = readFileSync('docs/guard.md', 'utf8');
    const trap = /```bash\n([^`]*)```/.exec(page)?.[1] ?? '';
    const program = (name: string, body: string): void => {
      file(name, `#!/bin/bash\n${body}\n`);
      chmodSync(join(folder(), name), 0o755);
    };
    const cli = resolve('dist/cli.js');
    program('headroom', `shift; exec '${process.execPath}' '${cli}' guard --gpu 24GB "$@"`);
    program('vllm', 'echo "started $2"');
    const lines = [
      trap,
      'vllm serve meta-llama/Llama-3.3-70B-Instruct',
      'vllm serve openai-community/gpt2',
      'echo end',
    ];
    const env = { PATH: `${folder()}:/usr/bin:/bin`, HOME: folder() };
    const { stdout, stderr } = spawnSync('bash', ['--norc'], {
      input: lines.join('\n'),
      env,
      encoding: 'utf8',
    });
    assert.equal(stdout, 'started openai-community/gpt2\nend\n', stderr);
    assert.match(stderr, /^Stopped: /m);
  });

  it('starts nothing that a line names, and prints only text', () => {
    file('a.yaml', axolotl());
    file('b.yaml', axolotl({ base_model: 'evil\u001B]0;title\u0007' }));
    const lines = [
      'axolotl train "$(touch started; echo a.yaml)"',
      'touch started; axolotl train a.yaml',
      'axolotl train `touch started` a.yaml > started',
      'eval "touch started"; source ./started.sh; axolotl train b.yaml',
      "axolotl train a.yaml --output_dir $'\\e]0;title\\a\u001B[2K'",
    ];
    for (const line of lines) {
      const { out, err } = guard(line);
      assert.doesNotMatch(out + err, /[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/, line);
      assert.equal(existsSync(join(folder(), 'started')), false, line);
    }
  });
});
