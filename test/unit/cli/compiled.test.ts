import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { cacheFileFor, runCompiled } from '../../../src/cli/compiled';
import { cacheFolder } from '../../../src/files/cacheFolder';

/** A program that prints how it was called and what it can require. */
const PROGRAM = `
const answer = n => n + require('./beside.js').one;
globalThis.said = [answer(41), __filename, __dirname, module.exports === exports];
`;

interface Said {
  said?: unknown;
}

describe('cli: a program that is compiled already', () => {
  let folder = '';
  let program = '';
  const cacheFor = (verb: string): string =>
    cacheFileFor(program, verb, { XDG_CACHE_HOME: folder, LOCALAPPDATA: folder }) ?? '';
  const said = (): unknown => {
    const found = (globalThis as Said).said;
    delete (globalThis as Said).said;
    return found;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-compiled-'));
    program = join(folder, 'program.js');
    writeFileSync(program, PROGRAM);
    writeFileSync(join(folder, 'beside.js'), 'exports.one = 1;');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('runs as a module of its own, with a compiled form or without', () => {
    const expected = [42, program, folder, true];
    runCompiled(program, () => null, true);
    assert.deepEqual(said(), expected);
    const broken = join(folder, 'broken.bin');
    writeFileSync(broken, 'no compiled form');
    runCompiled(program, () => broken, false);
    assert.deepEqual(said(), expected);
    assert.equal(readFileSync(broken, 'utf8'), 'no compiled form');
  });

  it('has what it shares once, compiled like itself', () => {
    writeFileSync(
      join(folder, 'shared-1.js'),
      'exports.count = (globalThis.said ?? 0) + 1; globalThis.said = exports.count;',
    );
    writeFileSync(join(folder, 'shared-2.js'), "exports.again = require('./shared-1.js').count;");
    const shared = "require('./shared-2.js').again + require('./shared-1.js').count";
    writeFileSync(program, `globalThis.said = [${shared}, typeof require.resolve];`);
    const asked: string[] = [];
    runCompiled(program, file => (asked.push(basename(file)), null), false);
    assert.deepEqual(said(), [2, 'function']);
    assert.deepEqual(asked, ['program.js', 'shared-2.js', 'shared-1.js']);
  });

  it('names the compiled form by what it holds for, and not where Node keeps none', () => {
    const before = cacheFor('check');
    assert.ok(before.includes(process.version));
    assert.notEqual(cacheFor('optimize'), before);
    assert.equal(cacheFor('--version'), cacheFor('--help'));
    writeFileSync(program, `${PROGRAM}//`);
    assert.notEqual(cacheFor('check'), before);
    assert.equal(cacheFileFor(program, 'check', { NODE_DISABLE_COMPILE_CACHE: '1' }), null);
    assert.equal(cacheFileFor(join(folder, 'missing.js'), 'check', {}), null);
  });

  it('is in the user’s cache folder, which a relative XDG_CACHE_HOME does not move', () => {
    const relative = { XDG_CACHE_HOME: 'caches' };
    const ours = cacheFolder(relative, 'linux');
    assert.ok(isAbsolute(ours) && ours.endsWith('/.cache/headroom'), ours);
    assert.equal(cacheFolder({ XDG_CACHE_HOME: folder }, 'linux'), join(folder, 'headroom'));
    assert.equal(cacheFileFor(program, 'check', { HEADROOM_CACHE: 'caches' }), null);
  });
});
