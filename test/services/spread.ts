import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { tinyTexts } from '../unit/embed/tinyModel';
import { nodeBeside, processesWith } from './processes';
import type { Ended } from './processes';
import { Ray, whyNoRay } from './ray/ray';
import { Slurm, whyNoSlurm } from './slurm/slurm';
import { SshBench } from './ssh/sshd';

const CLI = resolve('dist/cli.js');

/** Texts and a model, which `headroom embed` spreads over a cluster. */
export class TextsToSpread {
  readonly folder = mkdtempSync(join(tmpdir(), 'headroom-spread-'));
  readonly texts = join(this.folder, 'texts');

  constructor(
    private readonly rows: number,
    writeModel: (folder: string) => void,
  ) {
    mkdirSync(this.texts);
    const lines = tinyTexts(rows).map((text, at) => `${JSON.stringify({ id: `t${at}`, text })}\n`);
    writeFileSync(join(this.texts, 'texts.jsonl'), lines.join(''));
    writeModel(join(this.texts, 'model'));
  }

  private environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    return { HEADROOM_STATE: join(this.folder, 'state'), ...more };
  }

  embed(out: string, environment: NodeJS.ProcessEnv, ...more: readonly string[]): Promise<Ended> {
    const args = [
      ...[CLI, 'embed', join(this.texts, 'texts.jsonl'), '--out', join(this.folder, out), '--json'],
      ...['--model', join(this.texts, 'model'), '--device', 'cpu', ...more],
    ];
    return nodeBeside(args, this.environment(environment));
  }

  /** All rows are in one folder of vectors, in their order, and no parts are left. */
  checkMerged(out: string, { code, out: said, err }: Ended): void {
    assert.equal(code, 0, err);
    assert.deepEqual((JSON.parse(said) as { shape: unknown }).shape, [this.rows, 32]);
    const whole = join(this.folder, out);
    const ids = readFileSync(join(whole, 'shard-00000.ids.jsonl'), 'utf8').trim().split('\n');
    assert.deepEqual(
      ids.map(id => JSON.parse(id) as unknown),
      Array.from({ length: this.rows }, (_, at) => `t${at}`),
    );
    assert.equal(existsSync(`${whole}.parts`), false);
  }

  /** The jobs that `headroom jobs` lists, as JSON. */
  jobs(): string {
    const env = { ...process.env, ...this.environment() };
    return spawnSync(process.execPath, [CLI, 'jobs', '--all', '--json'], { encoding: 'utf8', env }).stdout;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface OnSlurm {
  readonly slurm: () => Slurm;
  /** Opens a login node; returns its ssh configuration. */
  readonly login: (home: string, path?: (bench: SshBench) => string) => Promise<string>;
}

const skipFor = (context: Mocha.Context, reason: string | null): void => {
  if (reason === null) return;
  console.log(`    skipped: ${reason}`);
  context.skip();
};

/** Tests on a separate Slurm; skipped if it is not available, or for the given reason. */
export function onSlurm(port: number, reason: string | null, define: (cluster: OnSlurm) => void): void {
  describe('Slurm', () => {
    let slurm: Slurm | null = null;
    let bench: SshBench | null = null;
    const running = () => {
      assert.ok(slurm);
      return slurm;
    };

    before(async function () {
      skipFor(this, reason ?? whyNoSlurm());
      slurm = new Slurm(port);
      await slurm.start();
    });

    after(async () => {
      if (slurm === null) return;
      await bench?.end();
      await slurm.end();
      assert.deepEqual(processesWith(slurm.folder), []);
    });

    define({
      slurm: running,
      login: async (home, path) => {
        mkdirSync(home);
        bench = new SshBench();
        const environment = { SLURM_CONF: running().conf, HOME: home };
        await bench.serve('login', null, { ...(path && { path: path(bench) }), environment });
        return bench.configFile;
      },
    });
  });
}

/** The same on a separate Ray, with nodes of the given number of GPUs. */
export function onRay(
  port: number,
  { gpus, reason, nodes = [] }: RayAsked,
  define: (ray: () => Ray) => void,
): void {
  describe('Ray', () => {
    let ray: Ray | null = null;

    before(async function () {
      skipFor(this, reason ?? whyNoRay());
      ray = new Ray(port, gpus);
      await ray.start();
      for (const node of nodes) await ray.addNode(node, gpus);
    });

    after(async () => {
      if (ray === null) return;
      await ray.end();
      assert.deepEqual(processesWith(ray.folder), []);
    });

    define(() => {
      assert.ok(ray);
      return ray;
    });
  });
}

interface RayAsked {
  readonly gpus: number;
  readonly reason: string | null;
  readonly nodes?: readonly string[];
}
