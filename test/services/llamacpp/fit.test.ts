import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SERVED_GGUF, SETTINGS, theModel } from '../../fixtures/llamacpp/served';
import { sparseGguf } from '../../fixtures/llamacpp/sparseGguf';

/**
 * llama.cpp's sources, as in the sdist of llama-cpp-python (vendor/llama.cpp). They are built into `headroom-build`
 * there, which takes a quarter of an hour: the fixture is compared only where someone asks for it.
 */
const sources = process.env['LLAMA_CPP'] ?? null;
const PORT = 17_860;
const FIXTURE = 'test/fixtures/llamacpp/fit.tsv';
const HEAD = 'file\tflags\tdevice weights, context, compute; host weights, context, compute (bytes)';
const OPTIONS = '-DGGML_RPC=ON -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF -DGGML_NATIVE=OFF -DGGML_OPENMP=OFF'
  .concat(
    ' -DGGML_CPU_REPACK=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF',
  )
  .split(' ');
const BUILD_MS = 1_800_000;

function run(program: string, args: readonly string[], timeout: number, input = ''): string {
  const { status, stdout, stderr } = spawnSync(program, args, { timeout, input, encoding: 'utf8' });
  assert.equal(status, 0, `${program} ${args.join(' ')}: ${stderr.slice(-500)}`);
  return stdout;
}

/** Builds the library, and the program that prints its account. */
function built(from: string, folder: string): { readonly fit: string; readonly server: string } {
  const build = join(from, 'headroom-build');
  const server = join(build, 'bin/ggml-rpc-server');
  if (!existsSync(server)) {
    run('cmake', ['-S', from, '-B', build, ...OPTIONS], BUILD_MS);
    run('cmake', ['--build', build, '--target', 'llama', 'ggml-rpc-server', '-j', '2'], BUILD_MS);
  }
  const include = ['include', 'ggml/include', 'src'].map(path => `-I${join(from, path)}`);
  const library = resolve(build, 'bin');
  const linked = ['llama', 'ggml', 'ggml-base', 'ggml-rpc'].map(name => `-l${name}`);
  const fit = join(folder, 'fit');
  const own = resolve('test/services/llamacpp/fit.cpp');
  const args = ['-std=c++17', ...include, own, `-L${library}`, ...linked, `-Wl,-rpath,${library}`, '-o', fit];
  run('g++', args, 300_000);
  return { fit, server };
}

describe("services: llama.cpp's own account", function () {
  this.timeout(2 * BUILD_MS);
  const folder = mkdtempSync(join(tmpdir(), 'headroom-llamacpp-'));
  let rpc: ChildProcess | null = null;

  after(() => {
    rpc?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is what the fixture says, for each file and its settings', async function () {
    if (sources === null) {
      console.log("    skipped: LLAMA_CPP does not name llama.cpp's sources");
      this.skip();
    }
    const { fit, server } = built(sources, folder);
    rpc = spawn(server, ['-H', '127.0.0.1', '-p', String(PORT)], { stdio: 'ignore' });
    await new Promise(done => setTimeout(done, 2000));
    const lines = [HEAD];
    for (const [id, mixture] of SERVED_GGUF) {
      const name = `${id.split('/')[1]}.${mixture}`;
      const file = join(folder, `${name}.gguf`);
      const { header, bytes } = sparseGguf(theModel(id), mixture);
      writeFileSync(file, header);
      truncateSync(file, bytes);
      const printed = run(fit, [`127.0.0.1:${PORT}`, file], 300_000, `${SETTINGS.join('\n')}\n`)
        .trim()
        .split('\n');
      lines.push(...SETTINGS.map((flags, i) => `${name}\t${flags}\t${printed[i]}`));
    }
    if (process.env['RENEW'] === '1') writeFileSync(FIXTURE, `${lines.join('\n')}\n`);
    assert.deepEqual(lines, readFileSync(FIXTURE, 'utf8').trim().split('\n'));
  });
});
