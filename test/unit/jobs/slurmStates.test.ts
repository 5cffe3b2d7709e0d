import assert from 'node:assert/strict';
import { slurmSighting } from '../../../src/jobs/slurm/sighting';

const answer = (...said: readonly (readonly [string, string])[]) => ({
  status: 0,
  entries: [['now', '1000'] as const, ['slurm', '7'] as const, ...said],
  bytes: Buffer.alloc(0),
  stderr: '',
});

const seen = (...said: readonly (readonly [string, string])[]) => slurmSighting(answer(...said), null, 1e6);

describe("Slurm's report of an end", () => {
  it('names out of memory with the requested amount, and that it is host memory', () => {
    const line =
      'JobId=7 JobState=OUT_OF_MEMORY Reason=OutOfMemory Restarts=0 ExitCode=0:125 TimeLimit=01:00:00 MinMemoryNode=16G';
    const { state, exit, message } = seen(['job', line]);
    assert.equal(state, 'failed');
    // Slurm’s 125 is not a signal.
    assert.deepEqual(exit, { code: null, signal: null, reason: 'OUT_OF_MEMORY' });
    assert.match(message ?? '', /more host RAM than the 16G it requested\. Request more/);
    const killed = seen(['job', line], ['exit', '- 137 990']);
    assert.deepEqual(killed.exit, { code: 137, signal: 'SIGKILL', reason: 'OUT_OF_MEMORY' });
    const wentOn = seen(['job', line], ['exit', '- 0 990']);
    assert.equal(wentOn.state, 'failed');
    assert.match(wentOn.message ?? '', /Slurm killed a child process; the job continued without it/);
  });

  it('comes from sacct if the controller has forgotten it', () => {
    const memory = seen(['acct', '7|OUT_OF_MEMORY|0:125|01:00:00|16G']);
    assert.match(memory.message ?? '', /than the 16G it requested/);
    const time = seen(['acct', '7|TIMEOUT|0:0|00:30:00|0']);
    assert.match(time.message ?? '', /at its time limit of 00:30:00/);
    assert.deepEqual(time.exit, { code: null, signal: null, reason: 'TIMEOUT' });
    const canceled = seen(['acct', '7|CANCELLED by 1000|0:15|UNLIMITED|0']);
    assert.deepEqual([canceled.state, canceled.exit?.reason], ['stopped', 'CANCELLED']);
  });

  it('names the machine of each task, from the controller, sacct and the script', () => {
    const line = (task: number, node: string) =>
      `JobId=${7 + task} ArrayJobId=7 ArrayTaskId=${task} JobState=FAILED ExitCode=1:0 NodeList=${node} BatchHost=x`;
    const array = seen(['job', line(1, 'gpu1')], ['job', line(2, 'gpu2')], ['job', line(3, '(null)')]);
    assert.deepEqual(array.machines, { 1: 'gpu1', 2: 'gpu2' });
    assert.deepEqual(seen(['acct', '7|FAILED|1:0|01:00:00|1G|gpu2']).machines, { 0: 'gpu2' });
    assert.equal(seen(['acct', '7|CANCELLED|0:0|01:00:00|1G|None assigned']).machines, undefined);
    const written = seen(['started', '-4 990 gpu1'], ['started', '-5 991 '], ['exit', '-4 1 995']);
    assert.deepEqual([written.machines, written.startedMs], [{ 4: 'gpu1' }, 990_000]);
  });

  it('names no amount if none was requested', () => {
    const line = 'JobId=7 JobState=OUT_OF_MEMORY Reason=OutOfMemory ExitCode=0:125 MinMemoryNode=0';
    assert.match(seen(['job', line]).message ?? '', /than it requested\./);
    const limitless = 'JobId=7 JobState=TIMEOUT Reason=TimeLimit ExitCode=0:15 TimeLimit=UNLIMITED';
    assert.match(seen(['job', limitless]).message ?? '', /at its time limit\./);
  });

  it('adds nothing to a requested stop', () => {
    const line = 'JobId=7 JobState=CANCELLED Reason=None ExitCode=0:15';
    const stopped = seen(['job', line], ['stop', 'terminate']);
    assert.deepEqual([stopped.state, stopped.message], ['stopped', null]);
    assert.match(seen(['job', line]).message ?? '', /scancel/);
  });

  it('counts requeues', () => {
    const line = (state: string) => `JobId=7 JobState=${state} Reason=None ExitCode=0:0 Restarts=3`;
    assert.equal(seen(['job', line('PENDING')]).message, 'It was requeued, 3 times so far.');
    const running = seen(['job', line('RUNNING')]);
    assert.equal(running.message, 'It was requeued and has restarted, 3 times so far.');
  });

  it('does not take a failed launch for a kill', () => {
    const line = (exit: string) => `JobId=7 JobState=FAILED Reason=JobLaunchFailure ExitCode=${exit}`;
    assert.equal(seen(['job', line('1:0')]).message, 'Slurm could not start it on its node.');
    assert.deepEqual(
      [seen(['job', line('0:9')]).message, seen(['job', line('0:9')]).exit?.signal],
      [null, 'SIGKILL'],
    );
  });
});
