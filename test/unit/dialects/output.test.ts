import assert from 'node:assert/strict';
import { dialects } from '../../../src/core/dialects/registry';

describe('what dialects print and are started with', () => {
  for (const { id, logs = [], launch = [], help = {} } of dialects) {
    for (const { pattern, fields, example } of logs) {
      it(`${id}: ${fields.join(', ')}`, () => {
        const groups = new RegExp(pattern).exec(example)?.groups ?? {};
        assert.deepEqual(Object.keys(groups).sort(), [...fields].sort());
        const numbers = fields.map(field => Number(groups[field]?.replaceAll(',', '')));
        assert.ok(numbers.every(Number.isFinite), numbers.join());
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
