import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from '../../../src/core/hardware/gpu';
import {
  calibratedThrough,
  elsewhereThrough,
  exportedThrough,
  lengthsThrough,
  measuredThrough,
} from '../../../src/profile/throughCli';
import type { OtherMachine, ProfiledFile } from '../../../src/profile/throughCli';
import { target } from '../../unit/core/support';
import { workFolder } from '../../unit/embed/folders';

describe('profile: by the command line', () => {
  const work = workFolder();
  after(work.remove);
  const never = { aborted: false };

  /** A command line that prints its arguments. */
  function place() {
    const cli = join(work.path, 'cli.js');
    const says = 'JSON.stringify({ runs: [{ says: process.argv.slice(2) }] })';
    writeFileSync(cli, `console.log(${says});`);
    return { node: process.execPath, cli };
  }

  const asked = (on: Target | null): ProfiledFile => ({
    folder: work.path,
    file: 'a.yaml',
    run: '--user',
    target: on,
    keptFor: 'workspace',
  });

  const args = (answer: string): readonly string[] =>
    (JSON.parse(answer) as { readonly runs: readonly { readonly says: readonly string[] }[] }).runs[0]!.says;

  const measured = async (on: Target | null) =>
    args(await measuredThrough(place(), asked(on), { size: '21.5GB', metric: 'device' }, never));

  it('is for the GPU that was chosen, by its name and number, or its memory', async () => {
    const all = [
      'profile',
      '--measured=21.5GB',
      '--metric=device',
      '--run=--user',
      '--no-color',
      '--',
      'a.yaml',
    ];
    const on = (...gpu: readonly string[]) => [...all.slice(0, 4), ...gpu, ...all.slice(4)];
    assert.deepEqual(await measured(null), all);
    assert.deepEqual(await measured(target('4090')), on('--gpu=RTX 4090'));
    assert.deepEqual(await measured(target('A100 SXM4 80GB', 4)), on('--gpu=A100 SXM4 80GB', '--gpus=4'));
    assert.deepEqual(await measured(target('20000MiB')), on('--gpu=20000MiB'));
    assert.deepEqual(await measured({ ...target('24GB'), totalMiB: 512 }), all);
  });

  it('exports and forgets for it, too', async () => {
    const to = args(await exportedThrough(place(), asked(target('4090')), '/x.csv'));
    assert.ok(to.includes('--gpu=RTX 4090'), to.join(' '));
  });

  it('judges data by a GPU that was chosen, and leaves one that is here to what it finds', async () => {
    const lengths = (on: Target) => lengthsThrough(place(), asked(on), () => undefined, never);
    assert.match(await lengths(target('4090')), /^lengths .*--gpu=RTX 4090/);
    assert.doesNotMatch(await lengths({ ...target('4090'), kind: 'present' }), /--gpu/);
  });

  it('runs a program on another machine or probes there, and lets its terminal ask', () => {
    const process = (where: Omit<OtherMachine, 'sshConfig'>, command: readonly string[] | null) =>
      elsewhereThrough(
        { node: 'node', cli: 'cli.js' },
        { ...asked(target('4090')), run: '', entry: 'a:b' },
        { ...where, sshConfig: '/own/config' },
        command,
      );
    const words = (...of: Parameters<typeof process>) => process(...of).args.slice(2);
    const train = ['python', 'train.py'];
    const gpu = '--gpu=RTX 4090';
    assert.deepEqual(words({ engine: 'ssh', host: 'ssh:box', partition: null }, train), [
      ...['--ssh-config=/own/config', '--host=box', '--program', gpu, 'a.yaml', '--', ...train],
    ]);
    assert.deepEqual(words({ engine: 'slurm', host: 'slurm:local', partition: 'cpu' }, train), [
      ...['--ssh-config=/own/config', '--partition=cpu', '--slurm', '--program', gpu],
      ...['a.yaml', '--', ...train],
    ]);
    assert.deepEqual(words({ engine: 'slurm', host: 'slurm:login', partition: null }, null), [
      ...['--ssh-config=/own/config', '--slurm=login', '--probe', '--entry=a:b', gpu, 'a.yaml'],
    ]);
    assert.deepEqual(
      words({ engine: 'ray', host: 'ray:10.0.0.7:8265', partition: null }, train)[0],
      '--ray=http://10.0.0.7:8265',
    );
    const secured = { engine: 'ray', host: 'ray:https:%2F%2Fray.lab', partition: null } as const;
    assert.equal(words(secured, train)[0], '--ray=https://ray.lab');
    assert.deepEqual(
      [train, null].map(command => process(secured, command).asks),
      [true, false],
    );
  });

  it('calibrates with the Python that was chosen, and stops when it is canceled', async () => {
    const of = { folder: work.path, keptFor: 'user' } as const;
    const said = await calibratedThrough(place(), of, '/env/python', () => undefined, never);
    assert.deepEqual(args(said), ['calibrate', '--python=/env/python', '--user', '--no-color']);
    const { node, cli } = place();
    writeFileSync(cli, 'console.error("Copies …"); setInterval(() => {}, 1000);');
    const signal = { aborted: false };
    const steps: string[] = [];
    const cancel = (text: string): void => {
      steps.push(text);
      signal.aborted = true;
    };
    await assert.rejects(calibratedThrough({ node, cli }, of, '', cancel, signal), { kind: 'aborted' });
    assert.deepEqual(steps, ['Copies']);
  });
});
