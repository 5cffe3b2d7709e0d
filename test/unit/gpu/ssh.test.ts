import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { readHosts } from '../../../src/gpu/hosts';
import {
  isAlias,
  SSH_DEFAULTS,
  sshArguments,
  sshEnvironment,
  sshOptions,
} from '../../../src/remote/sshArguments';
import { Gate } from '../../../src/remote/gate';
import { LoadReader } from '../../../src/gpu/ssh/load';
import { scriptWith } from '../../../src/gpu/ssh/remoteShell';
import { quoted } from '../../../src/remote/words';
import { sshTrouble } from '../../../src/remote/sshTroubles';
import { settled } from './fake';
import { tries } from '../../tries';

const SAID = { failure: null, exitCode: 255, stderr: '', noise: '', wasSilent: false } as const;

describe('gpu: over SSH', () => {
  it('gives ssh a host that cannot become an option, checks keys as the user does, and never asks', () => {
    const args = sshArguments(SSH_DEFAULTS, 'gpu-box', 'linux');
    assert.deepEqual(args.slice(-4), ['--', 'gpu-box', 'sh', '-s']);
    assert.ok(args.includes('BatchMode=yes'));
    assert.ok(!args.some(arg => /StrictHostKeyChecking|UserKnownHostsFile|ForwardAgent=yes/.test(arg)));
    assert.ok(sshArguments(SSH_DEFAULTS, 'gpu-box', 'win32').includes('ControlPath=none'));
    assert.throws(() => sshArguments(SSH_DEFAULTS, '-oProxyCommand=x', 'linux'), RangeError);
  });

  it('forwards nothing of the user, whatever their config says', function () {
    if (spawnSync('ssh', ['-V']).error !== undefined) this.skip();
    const folder = mkdtempSync(join(tmpdir(), 'headroom-ssh-'));
    try {
      const configFile = join(folder, 'config');
      const wanted = [
        'ForwardAgent yes',
        'ForwardX11 yes',
        'ForwardX11Trusted yes',
        'LocalForward 1 localhost:2',
      ];
      writeFileSync(configFile, `Host *\n  ${wanted.join('\n  ')}\n`);
      const options = sshOptions({ ...SSH_DEFAULTS, configFile }, process.platform);
      const said = spawnSync('ssh', ['-G', ...options, '--', 'box'], { encoding: 'utf8' }).stdout;
      for (const off of [
        'forwardagent no',
        'forwardx11 no',
        'forwardx11trusted no',
        'clearallforwardings yes',
      ]) {
        assert.match(said, new RegExp(`^${off}$`, 'm'));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('has no secret of the environment that a config could send', () => {
    const given = { HF_TOKEN: 'a', RAY_AUTH_TOKEN: 'b', WANDB_API_KEY: 'c', PATH: '/bin', HOME: '/root' };
    const kept = { SSH_AUTH_SOCK: '/x', AWS_SECRET_ACCESS_KEY: 'for a proxy command' };
    assert.deepEqual(sshEnvironment({ ...given, ...kept }), { PATH: '/bin', HOME: '/root', ...kept });
  });

  it('takes names of hosts, and nothing a shell or ssh would read otherwise', () => {
    for (const name of ['gpu', 'me@gpu.example.org', '10.0.0.7', 'fe80::1%eth0', 'Node_3', '2001:db8::1']) {
      assert.ok(isAlias(name), name);
    }
    for (const name of ['', '-v', 'a b', 'a;b', '$(x)', '`x`', 'a\nb', '*', 'gpu-?', '!x', 'a/b', "a'b"]) {
      assert.ok(!isAlias(name), name);
    }
    fc.assert(
      fc.property(fc.string(), text => {
        assert.ok(!isAlias(text) || /^[^-\s][^\s;&|<>$`"'\\*?!(){}[\]~#/]*$/.test(text));
      }),
    );
  });

  it('quotes words so that a shell gives them back', () => {
    const word = fc.string({ unit: 'binary-ascii', maxLength: 12 }).filter(text => !/[\n\r\0]/.test(text));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), words => {
        const line = words.map(quoted).join(' ');
        const run = spawnSync('sh', ['-s'], { input: `printf '%s\\n' ${line}\n`, encoding: 'latin1' });
        assert.equal(run.stdout, words.map(one => `${one}\n`).join(''));
      }),
      { numRuns: tries(15) },
    );
    assert.equal(quoted('a\nb'), null);
    assert.throws(() => scriptWith('$(x)'), RangeError);
  });

  it('tells what kept it from connecting, what to do, and whether to try again', () => {
    const trouble = (stderr: string) => {
      const { state, again } = sshTrouble({ ...SAID, stderr }, 'box');
      return `${state} ${again}`;
    };
    assert.equal(trouble('Host key verification failed.'), 'hostkey-unknown asked');
    assert.equal(
      trouble('@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.'),
      'hostkey-changed asked',
    );
    assert.equal(trouble('me@box: Permission denied (publickey,password).'), 'auth-needed asked');
    assert.equal(
      trouble('ssh: Could not resolve hostname box: Name or service not known'),
      'unreachable soon',
    );
    assert.equal(trouble('ssh: connect to host box port 22: Connection timed out'), 'unreachable soon');
    assert.equal(trouble('/home/me/.ssh/config: line 3: Bad configuration option: x'), 'unreachable asked');
    assert.equal(trouble("'sh' is not recognized as an internal or external command"), 'no-tool late');
    assert.equal(trouble(''), 'unreachable soon');
    const missing = sshTrouble({ ...SAID, failure: 'not-found', exitCode: null }, 'box');
    assert.match(missing.todo ?? '', /headroom\.ssh\.path/);
    const silent = sshTrouble({ ...SAID, wasSilent: true }, 'box');
    assert.match(silent.message, /did not complete the login/);
    const noisy = sshTrouble(
      { ...SAID, stderr: '\u001b[31mPermission denied\u001b[0m (publickey).\r\n\u0007' },
      'box',
    );
    assert.equal(noisy.text, 'Permission denied (publickey).');
  });

  it('reads CPU and memory from /proc, the CPU from the second time on', () => {
    const reader = new LoadReader();
    const memory = ['MemTotal:       24731708 kB', 'MemFree:  1024 kB', 'MemAvailable:   12365854 kB'];
    assert.deepEqual(reader.read('cpu  100 0 100 700 100 0 0 0 0 0', memory), {
      cpuPct: null,
      memoryTotalMiB: 24_152,
      memoryUsedMiB: 12_076,
    });
    assert.equal(reader.read('cpu  150 0 125 725 100 0 0 0 0 0', memory)?.cpuPct, 75);
    assert.equal(reader.read('cpu  150 0 125 725 100 0 0 0 0 0', memory)?.cpuPct, null);
    assert.equal(new LoadReader().read('', []), null);
  });

  it('lets so many in at once, in the order they came', async () => {
    const gate = new Gate(2);
    const inside: number[] = [];
    const leave: (() => void)[] = [];
    for (let at = 0; at < 4; at++) {
      void gate.enter().then(out => {
        inside.push(at);
        leave.push(out);
      });
    }
    await settled();
    assert.deepEqual(inside, [0, 1]);
    leave[0]?.();
    leave[0]?.();
    await settled();
    assert.deepEqual(inside, [0, 1, 2]);
    leave[1]?.();
    await settled();
    assert.deepEqual(inside, [0, 1, 2, 3]);
  });

  it('reads hosts from the setting, each once, and tells what is none', () => {
    const { specs, problems } = readHosts([
      'a',
      { ssh: 'b', name: 'Big box' },
      'a',
      { ssh: '-oProxyCommand=x' },
      { other: 1 },
      7,
    ]);
    assert.deepEqual(specs, [
      { kind: 'ssh', alias: 'a', name: 'a' },
      { kind: 'ssh', alias: 'b', name: 'Big box' },
    ]);
    assert.equal(problems.length, 3);
    assert.deepEqual(readHosts('a'), { specs: [], problems: [] });
  });
});
