import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import parsePrometheus from 'parse-prometheus-text-format';
import { H100, node, pod } from '../unit/gpu/kubernetes/objects';
import { file, folder, headroom, inTemporaryFolder } from './headroom';

const CLI = resolve('dist/cli.js');
const RECORDINGS = resolve('test/fixtures/telemetry/recordings');
const TOKEN = 'secret-token-of-a-test';

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Not at once as elsewhere: the server answers in this process. */
const asked = (...args: readonly string[]): Promise<Run> =>
  new Promise(done => {
    const env = {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: folder(),
      NODE_DISABLE_COMPILE_CACHE: '1',
    };
    execFile(process.execPath, [CLI, ...args], { cwd: folder(), env, timeout: 50_000 }, (error, out, err) =>
      done({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });

/** A server with JSON answers by path, which notes who asks. */
class Answers {
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[] = [];
  private server: Server | null = null;

  constructor(private readonly answers: Readonly<Record<string, object>>) {}

  async open(): Promise<string> {
    const server = createServer(({ url = '', headers }, response) => {
      const [path = ''] = url.split('?');
      this.requests.push({ path, authorization: headers.authorization });
      const answer = this.answers[path];
      response.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(answer ?? { kind: 'Status', message: 'not found' }));
    });
    this.server = server;
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

/** Each value with its labels, by name, as a parser of the format reads them. */
function valuesIn(text: string): ReadonlyMap<string, readonly (readonly [Record<string, string>, number])[]> {
  return new Map(
    parsePrometheus(text).map(({ name, metrics }) => [
      name,
      metrics.map(({ labels = {}, value }) => [labels, Number(value)] as const),
    ]),
  );
}

inTemporaryFolder();

describe('headroom gpus --prometheus', () => {
  const printed = (name: string) =>
    valuesIn(headroom('gpus', '--from', join(RECORDINGS, name), '--prometheus').out);

  it('prints what a recorded nvidia-smi read, in base units', () => {
    const values = printed('nv-q-h100mig-590-load.txt');
    const [labels, used] = values.get('headroom_gpu_memory_used_bytes')?.[0] ?? [{}, 0];
    assert.deepEqual([labels['gpu'], used], ['0', 11_125 * 1024 ** 2]);
    assert.equal(values.get('headroom_gpu_power_watts')?.[0]?.[1], 444.72);
    assert.equal(values.get('headroom_gpu_sm_clock_hertz')?.[0]?.[1], 1.98e9);
    const info = values.get('headroom_gpu_info')?.[0]?.[0] ?? {};
    assert.deepEqual([info['name'], info['driver_version']], ['NVIDIA H100 80GB HBM3', '590.48.01']);
  });

  it('leaves out what is unknown: no value is a guess or a zero', () => {
    // The load of a GPU in slices is unknown.
    assert.equal(printed('nv-q-h100mig-590-load.txt').has('headroom_gpu_utilization_ratio'), false);
    assert.deepEqual(
      printed('gpustat-2xh200nvl.txt')
        .get('headroom_gpu_utilization_ratio')
        ?.map(([, value]) => value),
      [0, 0.62],
    );
  });

  it('has the memory of MIG instances', () => {
    const used = printed('nv-table-h200mig-590-load.txt').get('headroom_mig_memory_used_bytes') ?? [];
    assert.ok(used.length > 0 && used.every(([{ gpu_instance: id }]) => id !== undefined));
  });

  it('is valid whatever a GPU is called', () => {
    const text = readFileSync(join(RECORDINGS, 'gpustat-4x1080ti.json'), 'utf8');
    file('named.json', text.replaceAll(/"name": *"[^"]*"/g, String.raw`"name": "a\"b\\c\u202e"`));
    const { out } = headroom('gpus', '--from', 'named.json', '--prometheus');
    const infos = valuesIn(out).get('headroom_gpu_info') ?? [];
    assert.equal(infos.length, 4);
    assert.ok(
      infos.every(([{ name = '' }]) => name.startsWith(String.raw`a"b\c`)),
      out,
    );
    assert.ok(!out.includes('\u202e'));
  });

  it('serves the same to this machine until it is stopped', async () => {
    const child = spawn(process.execPath, [CLI, 'gpus', '--listen', '0'], {
      cwd: folder(),
      env: { PATH: '', HOME: folder() },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      const address = await new Promise<string>(done => {
        child.stderr.on('data', (data: Buffer) => {
          const found = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(data.toString());
          if (found) done(found[0]);
        });
      });
      const answer = await fetch(address);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
      assert.ok(valuesIn(await answer.text()).has('headroom_host_up'));
      assert.equal((await fetch(address, { method: 'POST', body: 'x' })).status, 405);
      assert.equal((await fetch(address.replace('/metrics', '/'))).status, 404);
    } finally {
      const ended = new Promise(done => child.once('exit', done));
      child.kill('SIGTERM');
      await ended;
    }
    assert.equal(headroom('gpus', '--listen', 'nowhere').code, 3);
  });
});

describe('headroom gpus --metrics', () => {
  it('shows the GPUs of an exporter', async () => {
    const server = createServer((request, response) => {
      const text = readFileSync(join(RECORDINGS, 'dcgm-exporter-l40s-595.txt'));
      response.writeHead(request.url === '/metrics' ? 200 : 404).end(request.url === '/metrics' ? text : '');
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    try {
      const { port } = server.address() as AddressInfo;
      const { code, out } = await asked('gpus', '--metrics', `127.0.0.1:${port}/metrics`);
      assert.equal(code, 0, out);
      assert.match(out, /live · DCGM, exporter/);
      assert.match(out, /\| gpu1-wl8sg \| 0 +\| NVIDIA L40S/);
    } finally {
      server.closeAllConnections();
      server.close();
    }
    assert.equal(headroom('gpus', '--metrics', 'http://user:word@a').code, 3);
  });
});

describe('headroom gpus --kubernetes', () => {
  const answers = new Answers({
    '/version': { gitVersion: 'v1.36.3' },
    '/api/v1/nodes': {
      kind: 'NodeList',
      items: [node('gpu-1', { 'nvidia.com/gpu': '8' }, H100), node('cpu-1', {})],
    },
    '/api/v1/pods': { kind: 'PodList', items: [pod('train-0', 'gpu-1', { 'nvidia.com/gpu': '6' })] },
  });
  let address = '';
  before(async () => {
    address = await answers.open();
  });
  after(() => answers.close());

  /** A kubeconfig whose login is a program that prints a token. */
  function kubeconfig(login: string): void {
    const program = join(folder(), 'login.sh');
    writeFileSync(program, `#!/bin/sh\n${login}\n`);
    chmodSync(program, 0o755);
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: program,
      interactiveMode: 'Never',
    };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'lab',
      clusters: [{ name: 'c', cluster: { server: address, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { exec } }],
      contexts: [{ name: 'lab', context: { cluster: 'c', user: 'u' } }],
    };
    mkdirSync(join(folder(), '.kube'), { recursive: true });
    writeFileSync(join(folder(), '.kube/config'), JSON.stringify(config));
  }

  const credential = JSON.stringify({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: TOKEN },
  });

  it('shows free GPUs by node and type, and the pods that hold the others', async function () {
    if (process.platform === 'win32') this.skip();
    kubeconfig(`echo '${credential}'`);
    const { code, out, err } = await asked('gpus', '--kubernetes');
    assert.equal(code, 0, out + err);
    assert.match(out, /^Kubernetes · live · Kubernetes 1\.36\.3/);
    assert.match(out, /\| gpu-1 \| NVIDIA H100 80GB HBM3 \| 2 +\| 8 +\| held by team\/train-0 \(6\) \|/);
    assert.ok(answers.requests.every(({ authorization }) => authorization === `Bearer ${TOKEN}`));
    assert.ok(!(out + err).includes(TOKEN));
    const listed = await asked('gpus', '--kubernetes', 'lab', '--json');
    assert.match(listed.out, /"kubernetes:context:lab"/);
    assert.ok(!listed.out.includes(TOKEN));
    const metrics = valuesIn((await asked('gpus', '--kubernetes', '--prometheus')).out);
    assert.equal(metrics.get('headroom_cluster_gpus_free')?.[0]?.[1], 2);
  });

  it('compares a run with what is free there', async function () {
    if (process.platform === 'win32') this.skip();
    kubeconfig(`echo '${credential}'`);
    file('run.sh', 'vllm serve Qwen/Qwen3-8B --max-model-len 8192\n');
    const { code, out, err } = await asked('compare', 'run.sh', '--kubernetes');
    assert.equal(code, 0, out + err);
    assert.match(out, /Kubernetes, gpu-1/);
  });

  it('says what is wrong with a kubeconfig or its login, without a secret of them', async function () {
    if (process.platform === 'win32') this.skip();
    const none = await asked('gpus', '--kubernetes');
    assert.equal(none.code, 2);
    assert.match(none.out, /There is no kubeconfig/);
    kubeconfig(`echo '${TOKEN}' ; exit 1`);
    const failed = await asked('gpus', '--kubernetes');
    assert.equal(failed.code, 2);
    assert.ok(!(failed.out + failed.err).includes(TOKEN), failed.out);
    kubeconfig(`echo '${TOKEN}'`);
    const odd = await asked('gpus', '--kubernetes');
    assert.match(odd.out, /printed no credential/);
    assert.ok(!(odd.out + odd.err).includes(TOKEN.slice(0, 6)), odd.out);
    const other = await asked('gpus', '--kubernetes', 'elsewhere');
    assert.match(other.out, /has no context “elsewhere”/);
    writeFileSync(join(folder(), '.kube/config'), `users: [${TOKEN}\n: {`);
    const broken = await asked('gpus', '--kubernetes');
    assert.match(broken.out, /The kubeconfig can't be read/);
    assert.ok(!broken.out.includes(TOKEN), broken.out);
  });
});
