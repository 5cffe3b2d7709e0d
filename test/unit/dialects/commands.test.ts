import assert from 'node:assert/strict';
import { commandsOf } from '../../../src/core/dialects/defined/commands';
import { TRAINS } from '../../../src/core/dialects/command/programs';
import type { Launch } from '../../../src/core/dialects/dialect';
import { isScript } from '../../../src/core/dialects/envelopes/batchScript';
import { dialects } from '../../../src/core/dialects/registry';

const started = (argv: readonly string[], more: Partial<Launch> = {}): readonly string[] =>
  commandsOf([{ argv, source: '', ...more }]);

describe('the programs of dialects, by their launch lines', () => {
  it('are the words before the first that depends on the run', () => {
    assert.deepEqual(started(['tool', 'train', '--config', '{config}']), ['tool train']);
    assert.deepEqual(started(['tool', 'config={config}']), ['tool']);
    assert.deepEqual(started(['env', 'N={gpus}', 'A=1', 'tool', 'sft', '{config}']), ['tool sft']);
    assert.deepEqual(started(['tool', 'sft'], { also: ['tool sft_lora'] }), ['tool sft', 'tool sft_lora']);
  });

  it('are not programs that start anything, or hand the work to others', () => {
    assert.deepEqual(started(['torchrun', '-m', 'tool.train', '{config}']), []);
    assert.deepEqual(started(['python', 'train.py']), []);
    assert.deepEqual(started(['tool', 'submit', '{config}'], { handsTo: 'a cluster' }), []);
  });

  for (const { id, role, launch = [] } of dialects) {
    for (const command of role === 'run' ? commandsOf(launch) : []) {
      it(`${id}: ${command} makes a script, with and without a first line of shell`, () => {
        const line = `${command} --config a.yaml`;
        assert.ok(isScript(`#!/bin/bash\n${line}\n`));
        assert.ok(isScript(`${line}\n`));
        assert.match(`srun ${line}`, TRAINS);
        assert.doesNotMatch(`cat ${command.replaceAll(' ', '_')}.yaml`, TRAINS);
      });
    }
  }
});
