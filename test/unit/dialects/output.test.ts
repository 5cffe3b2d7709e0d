import assert from 'node:assert/strict';
import { dialects } from '../../../src/core/dialects/registry';

describe('what dialects print and are started with', () => {
  for (const { id, logs = [], launch = [], help = {} } of dialects) {
    for (const { pattern, fields, memory = {}, example } of logs) {
      it(`${id}: ${[...fields, ...Object.keys(memory)].join(', ')}`, () => {
        const found = Object.entries<string | undefined>(new RegExp(pattern).exec(example)?.groups ?? {});
        const groups = found.filter(([, text]) => text !== undefined);
        const names = groups.map(([name]) => name.replace(/\d$/, ''));
        assert.deepEqual(new Set(names), new Set([...fields, ...Object.keys(memory)]));
        const numbers = groups.filter(([name]) => name !== 'eta' && memory[name]?.unit !== 'stated');
        assert.ok(numbers.every(([, text]) => Number.isFinite(Number(text?.replaceAll(',', '')))));
      });
    }
    if (launch.length > 0) {
      it(`${id}: how it is started has a source`, () => {
        for (const { argv, source } of launch) assert.ok(argv.length > 1 && source.length > 0);
      });
    }
    if (Object.keys(help).length > 0) {
      it(`${id}: its keys are told in sentences`, () => {
        for (const [key, { text }] of Object.entries(help)) assert.match(text, /[.]$/, key);
      });
    }
  }
});
