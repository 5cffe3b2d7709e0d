// Hosts in a real window: added from the SSH config, logged in to, chosen as a target, removed. The remote side is
// real sshds with a replayed nvidia-smi.
import { SshBench, whyNoSshd, ONE_GPU } from '../services/ssh/sshd';
import type { VSCode } from '../host/driver';
import type { FrameLocator } from 'playwright-core';
import assert from 'node:assert/strict';
import { journeyInVSCode } from './window';

const CONFIG = 'trl/qwen2.5-7b-sft.yaml';

/** Two hosts: one that accepts our login, and one with an unknown key. */
async function twoHosts() {
  const reason = whyNoSshd();
  if (reason !== null) return { skip: () => reason };
  const bench = new SshBench();
  const box = await bench.serve('gpu-box', ONE_GPU);
  bench.knows('new-box', box.port, null);
  return {
    workspace: 'media/sample',
    machineSettings: { 'headroom.ssh.configFile': bench.configFile },
    end: () => bench.end(),
  };
}

/** The setting, which exists only on the machine level. */
const hostsOf = (vs: VSCode) =>
  JSON.parse(/"headroom\.hosts": (\[[^\]]*\])/.exec(vs.machineSettings())?.[1] ?? 'null') as
    | readonly unknown[]
    | null;
const section = (page: FrameLocator, name: string) => page.locator('.host', { hasText: name });

journeyInVSCode('hosts', twoHosts, step => {
  step('the list offers hosts if there is no GPU', async vs => {
    await vs.open(CONFIG);
    await vs.command('Headroom: Show GPU Panel');
    const page = await vs.webview('.welcome');
    await page.locator('vscode-button', { hasText: 'Add Host' }).click();
    const labels = await vs.picks(/gpu-box/);
    assert.deepEqual(
      labels.flatMap(label => /^\S+-box/.exec(label) ?? []),
      ['gpu-box', 'new-box'],
    );
  });

  step('a new host answers at once', async vs => {
    await vs.pick('gpu-box');
    await vs.notifications(/gpu-box: 1 × NVIDIA GeForce RTX 4080 SUPER/);
    await vs.clearNotifications();
    assert.deepEqual(hostsOf(vs), ['gpu-box']);
    const page = await vs.webview('.card');
    await section(page, 'gpu-box').locator('.state', { hasText: 'live' }).waitFor();
    assert.match(await page.locator('h3').first().innerText(), /RTX 4080 SUPER/);
  });

  step('an unknown host key comes with instructions', async vs => {
    await vs.page.locator('.panel .action-label[aria-label="Add Host"]:visible').click();
    await vs.picks(/new-box/);
    await vs.pick('new-box');
    await vs.notifications(/host key of new-box is unknown\. Run `ssh new-box`/);
    assert.deepEqual(hostsOf(vs), ['gpu-box', 'new-box']);
    const page = await vs.webview('.card');
    await section(page, 'new-box').scrollIntoViewIfNeeded();
    const text = await section(page, 'new-box').innerText();
    assert.match(text, /unknown host key[^]*Run `?ssh new-box`? in a terminal once/);
    await vs.clearNotifications();
  });

  step('a terminal opens for the login', async vs => {
    const page = await vs.webview('.card');
    await section(page, 'new-box').locator('vscode-button', { hasText: 'Open Terminal' }).click();
    await vs.terminalRow(/continue connecting \(yes/);
    await vs.type('yes\n');
    await vs.terminalRow(/Permanently added/);
  });

  step('closing the terminal connects again', async vs => {
    await vs.type('exit\n');
    // It returns the focus to the editor, which would receive text typed into the palette meanwhile.
    await vs.page.locator('.terminal-wrapper.active').waitFor({ state: 'hidden' });
    await vs.command('Headroom: Show GPU Panel');
    const page = await vs.webview('.card');
    await section(page, 'new-box').locator('.state', { hasText: 'live' }).waitFor();
    assert.equal(await page.locator('.card').count(), 2);
    assert.deepEqual(await page.locator('.host h2').allInnerTexts(), ['gpu-box', 'new-box', 'This machine']);
  });

  step('the list of targets contains them', async vs => {
    await vs.command('Headroom: Choose Target GPU');
    const labels = await vs.picks(/RTX 4080 SUPER.*gpu-box/);
    assert.ok(labels.some(label => /RTX 4080 SUPER.*new-box/.test(label)));
  });

  step('a config can have one as its target', async vs => {
    const labels = await vs.picks(/RTX 4080 SUPER.*gpu-box/);
    await vs.pick(labels.find(label => /RTX 4080 SUPER.*gpu-box/.test(label))!.slice(0, 40));
    await vs.pick('For this workspace');
    await vs.codeLenses(/of 16 GB · does not fit · RTX 4080 SUPER/);
    assert.match(vs.read('.vscode/settings.json'), /"headroom\.target\.gpu": ".*RTX 4080 SUPER @ gpu-box"/);
  });

  step('the comparison includes them', async vs => {
    await vs.command('Headroom: Compare GPUs for This Config');
    const rows = await vs.picks(/gpu-box/);
    assert.ok(
      rows.some(row => /^gpu-box · RTX 4080 SUPER, .* of 16 GB free · /.test(row)),
      rows.join('\n'),
    );
    await vs.escape();
  });

  step('a config can be profiled on one', async vs => {
    await vs.open(CONFIG);
    await vs.command('Headroom: Profile This Config');
    const rows = await vs.picks(/gpu-box/);
    assert.match(rows[0] ?? '', /This machine/);
    await vs.shot('hosts-profile-places');
    await vs.pick('gpu-box');
    await vs.page.locator('.monaco-dialog-box').waitFor();
    await vs.shot('hosts-profile-dialog');
    assert.match(await vs.dialog(/^Dry Run$/), /on gpu-box\?[^]*trl sft/);
    // The program's own question, before anything is copied. What is typed must not go to the config.
    await vs.terminalRow(/Run it\? \[y\/N\]/);
    await vs.shot('hosts-profile-terminal');
    await vs.type('n\n');
    await vs.terminalRow(/Nothing was run/);
    await vs.clearNotifications();
  });

  step('removed hosts disappear', async vs => {
    await vs.command('Headroom: Show GPU Panel');
    await vs.command('Headroom: Remove Host');
    await vs.picks(/new-box/);
    await vs.pick('new-box');
    await vs.until('one host', () => hostsOf(vs)?.length === 1);
    const page = await vs.webview('.card');
    await vs.until('one section', async () => (await section(page, 'new-box').count()) === 0);
    assert.deepEqual(hostsOf(vs), ['gpu-box']);
  });
});
