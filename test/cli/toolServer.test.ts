import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ToolServer } from '../../src/host/toolServer';
import { axolotl } from '../unit/core/support';
import { file, folder, inTemporaryFolder } from './headroom';

inTemporaryFolder();

const APPLY = { path: 'a.yaml', plan: 1, gpu: '24GB' };

/** The server as the extension starts it. */
function started(script = resolve('dist/cli.js')): {
  readonly server: ToolServer;
  readonly ended: Promise<void>;
} {
  let end = (): void => undefined;
  const ended = new Promise<void>(done => (end = done));
  const environment = { HOME: folder(), XDG_STATE_HOME: join(folder(), 'state') };
  const argv = [process.execPath, script, 'mcp', folder()] as const;
  return { server: new ToolServer({ argv, folder: folder(), environment }, end), ended };
}

describe('the tools inside the editor', () => {
  it('change a file only if the question is agreed to', async () => {
    file('a.yaml', axolotl());
    const { server, ended } = started();
    try {
      const text = readFileSync(join(folder(), 'a.yaml'), 'utf8');
      const asked: string[] = [];
      const declined = await server.call('apply', APPLY, question => asked.push(question) < 0);
      assert.deepEqual([declined.isError, declined.text.includes('declined')], [true, true]);
      assert.match(asked[0] ?? '', /^Change a\.yaml\?\n/);
      assert.equal(readFileSync(join(folder(), 'a.yaml'), 'utf8'), text);
      const agreed = await server.call('apply', APPLY, question => question === asked[0]);
      assert.equal(agreed.isError, false);
      assert.notEqual(readFileSync(join(folder(), 'a.yaml'), 'utf8'), text);
    } finally {
      server.dispose();
      await ended;
    }
  });

  it('answer calls in order, and none after the end', async () => {
    file('a.yaml', axolotl());
    const { server } = started();
    const no = (): boolean => false;
    const both = await Promise.all([
      server.call('check', { text: 'x: 1' }, no),
      server.call('check', { path: 'a.yaml', gpu: '24GB' }, no),
    ]);
    assert.match(both[0].text, /No run/);
    assert.match(both[1].text, /does not fit/);
    server.dispose();
    await assert.rejects(server.call('gpus', {}, no), /ended/);
  });

  it('say that the server ended instead of waiting', async () => {
    writeFileSync(join(folder(), 'broken.js'), 'process.exit(3)');
    const { server, ended } = started(join(folder(), 'broken.js'));
    await assert.rejects(
      server.call('gpus', {}, () => false),
      /the tool server ended/,
    );
    await ended;
  });
});
