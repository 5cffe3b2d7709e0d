import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { ONE_GPU, SshBench, whyNoSshd } from './sshd';
import { skipFor } from '../../skipFor';

const CLI = resolve('dist/cli.js');

const LORA = [
  'base_model: Qwen/Qwen2.5-3B',
  'adapter: lora',
  'lora_target_linear: true',
  'lora_r: 8',
  'lora_alpha: 16',
  'sequence_len: 1024',
  'micro_batch_size: 1',
  'gradient_accumulation_steps: 4',
  '',
].join('\n');

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

describe('services: the command line with hosts over SSH', function () {
  let bench: SshBench;
  const reason = whyNoSshd();

  before(async function () {
    skipFor(reason, this);
    bench = new SshBench();
    const box = await bench.serve('gpu-box', ONE_GPU);
    bench.knows('new-box', box.port, null);
    writeFileSync(join(bench.folder, 'lora.yml'), LORA);
  });

  after(async () => {
    if (reason === null) await bench.end();
  });

  /** Asynchronous, because this thread reads the server's output. */
  function headroom(...args: readonly string[]): Promise<Ended> {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: bench.folder,
      env: { ...process.env, HOME: bench.folder, NODE_DISABLE_COMPILE_CACHE: '1', NO_COLOR: '1' },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (text: Buffer) => (out += text.toString()));
    child.stderr.on('data', (text: Buffer) => (err += text.toString()));
    return new Promise(done => child.once('close', code => done({ code, out, err })));
  }

  const onHost = (verb: string, ...args: readonly string[]) =>
    headroom(verb, ...args, '--ssh-config', bench.configFile);

  it("shows the GPUs of a host, their users, and the host's state", async () => {
    const { code, out, err } = await onHost('gpus', '--host', 'gpu-box');
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^gpu-box · live · nvidia-smi stream(?: · \d+ ms)?\n/);
    assert.match(out, /\| 0 +\| NVIDIA GeForce RTX 4080 SUPER \| 1\.4 GB of 16\.0 GB \|/);
    assert.match(out, /kwin_wayland/);
  });

  it('says what to do about an unknown host key, and shows the rest', async () => {
    const { code, out } = await onHost('gpus', '--host', 'new-box', 'gpu-box');
    assert.equal(code, 2);
    assert.match(out, /^new-box · hostkey-unknown\n.*is unknown\.\n→ Run `ssh new-box`/);
    assert.match(out, /RTX 4080 SUPER/);
  });

  it('compares a config with the free GPUs of a host', async () => {
    const { code, out, err } = await onHost('compare', 'lora.yml', '--host', 'gpu-box');
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^lora\.yml: tight on the GPU of gpu-box now;/);
    assert.match(out, /\| gpu-box \| RTX 4080 SUPER \| 14\.\d of 16 GB free \| tight /);
    const json = await onHost('compare', 'lora.yml', '--host', 'gpu-box', '--json');
    assert.match(json.out, /"gpu-box/);
  });

  it('compares with the hosts that answer, and names the one that does not', async () => {
    const { out, err } = await onHost('compare', 'lora.yml', '--host', 'gpu-box', 'new-box');
    assert.match(out, /\| gpu-box \| RTX 4080 SUPER \|/);
    assert.match(err, /new-box: The host key of new-box is unknown/);
  });

  it('records a host without names, and replays the recording', async () => {
    const shown = await onHost('gpus', '--host', 'gpu-box', '--record', 'rec.json');
    assert.equal(shown.code, 0);
    const recorded = readFileSync(join(bench.folder, 'rec.json'), 'utf8');
    for (const name of [bench.folder, 'gpu-box', userInfo().homedir]) {
      assert.ok(!recorded.includes(name), name);
    }
    const again = await headroom('gpus', '--replay', 'rec.json');
    assert.equal(again.code, 0);
    // Everything except the host's name and the programs' paths.
    const table = (text: string) => text.split('\n').slice(1, 4);
    assert.deepEqual(table(again.out), table(shown.out));
    assert.match(again.out, / · live · nvidia-smi stream\n/);
  });

  it('follows a host until it is ended, and leaves nothing behind', async () => {
    const child = spawn(
      process.execPath,
      [
        CLI,
        'gpus',
        '--host',
        'gpu-box',
        '--watch',
        '--json',
        '--interval',
        '1',
        '--ssh-config',
        bench.configFile,
      ],
      { cwd: bench.folder, env: process.env },
    );
    let out = '';
    child.stdout.on('data', (text: Buffer) => {
      out += text.toString();
      if (out.split('\n').length > 3) child.kill('SIGINT');
    });
    const code = await new Promise(done => child.once('close', done));
    assert.equal(code, 0);
    const hosts = out
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as { hosts: { id: string }[] }).hosts[0]?.id);
    assert.ok(hosts.length >= 3 && hosts.every(id => id === 'ssh:gpu-box'), hosts.join());
  });
});
