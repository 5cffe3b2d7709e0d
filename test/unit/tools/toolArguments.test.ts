import assert from 'node:assert/strict';
import { UsageError, givenIn, jsonLines, textOf } from '../../eval/toolArguments';

const FLAGS = { many: ['records'], one: ['corpus'], none: ['json'] };
const given = (...argv: string[]) => givenIn(argv, FLAGS);

/** A user error: one sentence. */
function refuses(what: () => unknown, message: RegExp): void {
  assert.throws(what, error => error instanceof UsageError && message.test(error.message));
}

describe('arguments of the measuring tools (accuracy, reading, silence, telemetry)', () => {
  it('takes several words after one flag, one after each of several, and with an equals sign', () => {
    for (const words of [
      ['--records', 'a', 'b', '--json'],
      ['--records', 'a', '--json', '--records', 'b'],
      ['--json', '--records=a', '--records=b'],
      ['--records=a', 'b', '--json'],
    ]) {
      assert.deepEqual(given(...words).all('records'), ['a', 'b'], words.join(' '));
      assert.ok(given(...words).has('json'));
    }
  });

  it('takes one word after a flag that wants one; the last time counts', () => {
    assert.equal(given('--corpus', 'a', '--corpus=b').one('corpus'), 'b');
    assert.equal(given('--json').one('corpus'), null);
    refuses(() => given('--corpus', 'a', 'b'), /^b belongs to no flag\.$/);
  });

  it('keeps an equals sign in a value', () => {
    assert.deepEqual(given('--records=a=b').all('records'), ['a=b']);
  });

  it('refuses what it does not know with one sentence', () => {
    refuses(() => given('--record', 'a'), /^--record is not known: --records, --corpus, --json are\.$/);
    refuses(() => given('a'), /^a belongs to no flag\.$/);
    refuses(() => given('--json', 'a'), /^a belongs to no flag\.$/);
    refuses(() => given('--json=a'), /^--json takes nothing\.$/);
    refuses(() => given('--records', '--json'), /^--records has nothing after it\.$/);
  });

  it('refuses paths that are not there or not what is wanted', () => {
    refuses(() => given().paths('records', 'file'), /^--records is missing: it takes a file\.$/);
    refuses(() => given('--records', 'nowhere').paths('records', 'file'), /^nowhere is not there/);
    refuses(() => given('--records', 'src').paths('records', 'file'), /^src is not a file\.$/);
    refuses(() => given('--corpus', 'package.json').paths('corpus', 'folder'), /is not a folder\.$/);
    refuses(() => textOf('nowhere'), /^nowhere is not there/);
    refuses(() => jsonLines('LICENSE'), /^LICENSE, line 1 is not JSON/);
  });
});
