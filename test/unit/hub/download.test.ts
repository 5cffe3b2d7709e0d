import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { downloadModel } from '../../../src/hub/download';
import { hubSettings } from '../../../src/hub/settings';
import { LocalHub, safetensors } from './localHub';
import type { Answers } from './localHub';

const ID = 'somebody/own-7b';
const AT = `/${ID}/resolve/main`;
const LLAMA = JSON.stringify({
  model_type: 'llama',
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  vocab_size: 1000,
});
/** Of a family that nobody counts by its config. */
const OWN = JSON.stringify({ model_type: 'own-family', hidden_size: 64 });
/** Of a file, at a time. */
const CHUNK = 65_536;
const NEVER = new AbortController().signal;

describe('a download from the Hub', () => {
  let folder = '';
  const hubs: LocalHub[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-hub-'));
  });
  afterEach(async () => {
    await Promise.all(hubs.splice(0).map(hub => hub.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(answers: Answers): Promise<LocalHub> {
    const hub = await LocalHub.open(answers);
    hubs.push(hub);
    return hub;
  }

  function download(
    hub: Pick<LocalHub, 'address'>,
    {
      id = ID,
      signal = NEVER,
      ...variables
    }: Record<string, string> & { id?: string; signal?: AbortSignal } = {},
  ) {
    const settings = hubSettings({ HF_ENDPOINT: hub.address, ...variables });
    if ('why' in settings) throw new Error(settings.why);
    const now = () => new Date('2026-11-27T12:00:00Z');
    return downloadModel(id, settings, { folder, now }, signal);
  }

  const kept = (name: string, id = ID): string =>
    readFileSync(join(folder, `models--${id.replace('/', '--')}`, name), 'utf8');

  async function refused(answers: Answers, more: Record<string, string> = {}): Promise<string> {
    const downloaded = await download(await open(answers), more);
    assert.deepEqual(readdirSync(folder), []);
    return downloaded.ok ? 'downloaded' : downloaded.why;
  }

  it('is config.json alone where that tells the size, with its date and place', async () => {
    const hub = await open({ [`${AT}/config.json`]: LLAMA });
    assert.equal((await download(hub)).ok, true);
    assert.deepEqual(
      hub.asked.map(({ path }) => path),
      [`${AT}/config.json`],
    );
    assert.equal(kept('config.json'), LLAMA);
    assert.deepEqual(JSON.parse(kept('downloaded.json')), {
      model: ID,
      from: `${hub.address}/`,
      date: '2026-11-27T12:00:00.000Z',
    });
  });

  it('takes the header of the weights, never the weights, where config.json leaves the size open', async () => {
    const file = safetensors(1_000_000);
    const hub = await open({ [`${AT}/config.json`]: OWN, [`${AT}/model.safetensors`]: file });
    const downloaded = await download(hub);
    assert.ok(downloaded.ok && downloaded.bytes < 1000, JSON.stringify(downloaded));
    const length = Number(file.readBigUInt64LE(0));
    assert.deepEqual(
      hub.asked.filter(({ path }) => path.endsWith('.safetensors')).map(({ range }) => range),
      ['bytes=0-7', `bytes=8-${7 + length}`],
    );
    assert.equal(kept('model.safetensors').length, 8 + length);
  });

  it('takes the headers of all shards or of none', async () => {
    const index = JSON.stringify({ weight_map: { a: 'one.safetensors', b: 'two.safetensors', c: '../x' } });
    const whole = {
      [`${AT}/config.json`]: OWN,
      [`${AT}/model.safetensors.index.json`]: index,
      [`${AT}/one.safetensors`]: safetensors(10),
    };
    await download(await open({ ...whole, [`${AT}/two.safetensors`]: safetensors(20) }));
    const names = () => readdirSync(join(folder, 'models--somebody--own-7b')).sort();
    assert.deepEqual(names(), [
      'config.json',
      'downloaded.json',
      'model.safetensors.index.json',
      'one.safetensors',
      'two.safetensors',
    ]);
    await download(await open(whole));
    assert.deepEqual(names(), ['config.json', 'downloaded.json']);
  });

  it('reads the header from a server that ignores ranges, and no further', async () => {
    const file = safetensors(50_000_000);
    let sent = 0;
    const hub = await open({
      [`${AT}/config.json`]: OWN,
      [`${AT}/model.safetensors`]: (_, response) => {
        let at = 0;
        const send = () => {
          while (at < file.length && !response.destroyed) {
            at += CHUNK;
            sent += CHUNK;
            if (!response.write(file.subarray(at - CHUNK, at))) return;
          }
        };
        response.writeHead(200).on('drain', send);
        send();
      },
    });
    assert.equal((await download(hub)).ok, true);
    assert.equal(kept('model.safetensors').length, 8 + Number(file.readBigUInt64LE(0)));
    assert.ok(sent < file.length, `${sent} of ${file.length} bytes`);
  });

  it('of an adapter is its base model, too', async () => {
    const base = 'other/base-1b';
    const hub = await open({
      [`${AT}/adapter_config.json`]: JSON.stringify({ base_model_name_or_path: base }),
      [`/${base}/resolve/main/config.json`]: LLAMA,
    });
    assert.equal((await download(hub)).ok, true);
    assert.equal(kept('config.json', base), LLAMA);
    assert.match(kept('adapter_config.json'), /other\/base-1b/);
  });

  it('goes where the Hub redirects to, and leaves the token behind on another host', async () => {
    const other = await open({ '/file': LLAMA });
    const there = `${other.address.replace('127.0.0.1', 'localhost')}/file`;
    const hub = await open({
      [`${AT}/config.json`]: (_, response) => response.writeHead(307, { location: '/moved' }).end(),
      '/moved': (_, response) => response.writeHead(302, { location: there }).end(),
    });
    assert.equal((await download(hub, { HF_TOKEN: 'hf_secret' })).ok, true);
    assert.deepEqual(
      hub.asked.map(({ token }) => token),
      ['Bearer hf_secret', 'Bearer hf_secret'],
    );
    assert.deepEqual(
      other.asked.map(({ token }) => token),
      [''],
    );
  });

  it('gives up on redirects in a circle, to nowhere, to other kinds of addresses', async () => {
    for (const location of [`${AT}/config.json`, 'file:///etc/passwd', 'http://']) {
      const why = await refused({
        [`${AT}/config.json`]: (_, response) => response.writeHead(302, { location }).end(),
      });
      assert.match(why, /redirects to where Headroom does not follow/);
    }
  });

  it('says what is missing, private or gated, and what to do', async () => {
    const status = (code: number, error: string): Answers => ({
      [`${AT}/config.json`]: (_, response) => response.writeHead(code, { 'x-error-code': error }).end('{}'),
    });
    assert.match(await refused({}), /somebody\/own-7b has no config\.json at 127\.0\.0\.1/);
    assert.match(await refused(status(401, 'RepoNotFound')), /no public somebody\/own-7b; set HF_TOKEN/);
    assert.match(
      await refused(status(401, 'GatedRepo')),
      /is gated: accept its terms at .* and set HF_TOKEN$/,
    );
    const token = { HF_TOKEN: 'hf_secret' };
    assert.match(await refused(status(401, 'RepoNotFound'), token), /that your HF_TOKEN may read/);
    assert.match(await refused(status(403, 'GatedRepo'), token), /is gated: accept its terms at 127\S+$/);
    assert.match(await refused(status(500, '')), /answered with status 500/);
  });

  it('says nothing of the token, whatever goes wrong', async () => {
    const why = await refused(
      {
        [`${AT}/config.json`]: (request, response) => {
          response.writeHead(500).end(JSON.stringify(request.headers));
        },
      },
      { HF_TOKEN: 'hf_secret' },
    );
    assert.doesNotMatch(why, /secret/);
  });

  it('takes nothing that is too large or no JSON', async () => {
    assert.match(await refused({ [`${AT}/config.json`]: 'x'.repeat(1.5 * 2 ** 20) }), /too large/);
    assert.match(await refused({ [`${AT}/config.json`]: '<html>' }), /is not a JSON object/);
    assert.match(await refused({ [`${AT}/config.json`]: '[1]' }), /is not a JSON object/);
  });

  it('can be canceled while the Hub is slow', async () => {
    const stop = new AbortController();
    const hub = await open({
      [`${AT}/config.json`]: (_, response) => {
        response.writeHead(200).write('{');
        setTimeout(() => stop.abort(), 20);
      },
    });
    assert.deepEqual(await download(hub, { signal: stop.signal } as never), { ok: false, why: 'canceled' });
    const late = await download(hub, { signal: AbortSignal.timeout(30) } as never);
    assert.match(late.ok ? '' : late.why, /took too long/);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('asks nothing offline, and says where nobody answers', async () => {
    const hub = await open({ [`${AT}/config.json`]: LLAMA });
    assert.deepEqual(await download(hub, { HF_HUB_OFFLINE: '1' }), {
      ok: false,
      why: 'HF_HUB_OFFLINE is set',
    });
    assert.deepEqual(hub.asked, []);
    const gone = await download({ address: 'http://127.0.0.1:9' });
    assert.match(gone.ok ? '' : gone.why, /127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\)/);
  });

  it('asks nothing for names that are no repository', async () => {
    const hub = await open({});
    const bad = [
      'gpt2',
      '../a/b',
      'a/..',
      'a/b/c',
      'a/b?x',
      'a/b#c',
      'a b/c',
      'a/b%2e',
      '/a',
      'a/',
      'a/b.git',
      'a--b/c',
      `a/${'b'.repeat(97)}`,
      'a/b\n',
    ];
    for (const id of bad) {
      const downloaded = await download(hub, { id });
      assert.match(downloaded.ok ? '' : downloaded.why, /is not a repository of the Hub/, id);
    }
    assert.deepEqual(hub.asked, []);
  });

  it('goes through the proxy that the environment names, unless it spares the host', async () => {
    const tunnels: string[] = [];
    const hub = await open({ [`${AT}/config.json`]: LLAMA });
    const { createServer } = await import('node:http');
    const { connect } = await import('node:net');
    const proxy = createServer().on('connect', (request, socket) => {
      tunnels.push(request.url ?? '');
      const [host = '', port = ''] = (request.url ?? '').split(':');
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
    });
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as { port: number };
    const through = { HTTP_PROXY: `http://127.0.0.1:${port}` };
    assert.equal((await download(hub, through)).ok, true);
    assert.deepEqual(tunnels, [hub.address.replace('http://', '')]);
    assert.equal((await download(hub, { ...through, NO_PROXY: 'localhost, 127.0.0.1' })).ok, true);
    assert.equal(tunnels.length, 1);
    proxy.closeAllConnections();
    proxy.close();
  });
});

describe('the settings of huggingface_hub', () => {
  const of = (variables: Record<string, string>) => hubSettings(variables);

  it('are the public Hub, without a token, online', () => {
    const settings = of({});
    assert.ok(!('why' in settings));
    assert.deepEqual(
      [settings.endpoint.href, settings.token, settings.isOffline],
      ['https://huggingface.co/', null, false],
    );
  });

  it('refuse an endpoint that is not a plain address', () => {
    for (const bad of ['ftp://x', 'hub', 'https://me:pw@x', 'https://x/?a=1']) {
      assert.ok('why' in of({ HF_ENDPOINT: bad }), bad);
    }
  });

  it('keep the token for TLS and loopback, and drop what is none', () => {
    const token = (HF_ENDPOINT: string, HF_TOKEN = 'hf_x') => {
      const settings = of({ HF_ENDPOINT, HF_TOKEN });
      return 'why' in settings ? settings.why : settings.token;
    };
    assert.equal(token('https://mirror.lab'), 'hf_x');
    assert.equal(token('http://localhost:8080'), 'hf_x');
    assert.equal(token('http://mirror.lab'), null);
    assert.equal(token('https://mirror.lab', 'a\r\nx: y'), null);
  });
});
