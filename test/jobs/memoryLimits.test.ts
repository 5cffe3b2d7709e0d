import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const READ = `import json, sys
from headroom_python.program.limits import cgroup_limits
print(json.dumps(list(cgroup_limits(sys.argv[1], sys.argv[2]))))
`;

describe('the memory that a scheduler allows a dry run', function () {
  this.timeout(20_000);
  let root = '';
  before(function () {
    if (process.platform === 'win32') this.skip();
    root = mkdtempSync(join(tmpdir(), 'headroom-cgroup-'));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const limit = (folder: string, name: string, text: string): void => {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, name), `${text}\n`);
  };

  function limitsOf(groups: string): readonly number[] {
    const env = { ...process.env, PYTHONPATH: resolve('src/python'), PYTHONDONTWRITEBYTECODE: '1' };
    const run = spawnSync('python3', ['-c', READ, groups, root], { encoding: 'utf8', env });
    return JSON.parse(run.stdout) as number[];
  }

  it('is that of its group and of those above, in both versions', () => {
    limit('system.slice/job_7/step', 'memory.max', 'max');
    limit('system.slice/job_7', 'memory.max', '4000');
    limit('system.slice', 'memory.max', '9000');
    assert.deepEqual(limitsOf('0::/system.slice/job_7/step\n'), [4000, 9000]);
    limit('memory/slurm/job_7', 'memory.limit_in_bytes', '5000');
    assert.deepEqual(limitsOf('5:cpu,cpuacct:/x\n4:memory:/slurm/job_7\n'), [5000]);
  });

  it('is none where there are no groups', () => {
    assert.deepEqual(limitsOf(''), []);
    assert.deepEqual(limitsOf('0::/../elsewhere\n'), []);
  });
});
