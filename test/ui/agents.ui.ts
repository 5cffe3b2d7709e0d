// Headroom's tools in the list of MCP servers, from which VS Code's agents take them.
import assert from 'node:assert/strict';
import { inVSCode } from './window';

const workspace = 'media/sample';
const settings = { 'chat.disableAIFeatures': false };

inVSCode('agents', { workspace, settings }, test => {
  test('are offered Headroom’s tools, and can start their server', async vs => {
    await vs.command('MCP: List Servers');
    const servers = await vs.picks(/Headroom/);
    assert.equal(servers.filter(label => label.startsWith('Headroom')).length, 1);
    await vs.pick('Headroom');
    await vs.picks(/Start Server/);
    await vs.pick('Start Server');
    await vs.command('MCP: List Servers');
    await vs.picks(/Headroom.*Running/);
  });
});

inVSCode('agents in Restricted Mode', { workspace, settings, trust: false }, test => {
  test('are offered nothing', async vs => {
    await vs.command('MCP: List Servers');
    await vs.picks();
    assert.equal(await vs.offers('Headroom'), false);
  });
});
