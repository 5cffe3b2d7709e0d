import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import ts from 'typescript';
import { scriptOf } from '../../src/remote/script';
import { filesBelow, lineOf, nodes, sources, textOf } from './sources';

/** A line that only shell scripts contain. */
const ENDS_BLOCK = /^ *(?:fi|done|esac)$/m;

const scripts = filesBelow('src', '.sh');

describe('shell scripts', () => {
  it('are files, not strings in TypeScript', () => {
    const perhaps = sources('src').filter(({ text }) => ENDS_BLOCK.test(text));
    const inside = perhaps.flatMap(file =>
      [...nodes(file.tree)]
        .filter(node => ts.isTemplateExpression(node) || ts.isStringLiteralLike(node))
        .filter(node => ENDS_BLOCK.test(node.getText()))
        .map(node => `${file.path}:${lineOf(file, node)}`),
    );
    assert.deepEqual(inside, [], 'Move the script into an .sh file next to it and load it with scriptOf.');
  });

  it('pass ShellCheck', function () {
    const { stdout, error } = spawnSync('shellcheck', ['--format=gcc', ...scripts], { encoding: 'utf8' });
    // It is not an npm package, so the test is skipped if it is not installed.
    if (error) return this.skip();
    assert.equal(stdout, '');
  });

  it('have a value for each placeholder', () => {
    const text = '# Comment.\n\necho @WHAT@ @WHAT@\n  # Another.\n';
    assert.equal(scriptOf(text, { WHAT: '$&@OTHER@' }), '\necho $&@OTHER@ $&@OTHER@\n');
    assert.throws(() => scriptOf(text), /@WHAT@/);
  });

  it('have no placeholder within single quotes', () => {
    const quoted = ['src/jobs/remote/keep.sh', 'src/jobs/remote/watch.sh', 'src/jobs/remote/startWatch.sh'];
    const places = { START_WATCH: '', TEXT: '', FILE: '' };
    const wrong = quoted.filter(path => scriptOf(textOf(path), places).includes("'"));
    assert.deepEqual(wrong, []);
  });
});
