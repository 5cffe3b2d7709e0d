import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeHttp } from '../../../../src/remote/http';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const servers: Server[] = [];

async function serving(serve: Serve): Promise<URL> {
  const server = createServer(serve);
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

describe('asking a dashboard over HTTP', () => {
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('sends the token and gives the answer', async () => {
    const seen: (string | undefined)[] = [];
    const url = await serving((request, response) => {
      seen.push(request.url, request.headers.authorization);
      response.end('{"a":1}');
    });
    const http = new NodeHttp(url, 'secret');
    assert.deepEqual(await http.get('/x?y=1', 1000), { ok: true, status: 200, body: '{"a":1}' });
    assert.deepEqual(seen, ['/x?y=1', 'Bearer secret']);
    http.close();
  });

  it('keeps to the path of a proxy', async () => {
    const url = await serving((request, response) => void response.end(request.url));
    const http = new NodeHttp(new URL('/cluster/', url), null);
    assert.deepEqual(await http.get('/nodes', 1000), { ok: true, status: 200, body: '/cluster/nodes' });
    http.close();
  });

  it('follows no redirect to another host', async () => {
    let visits = 0;
    const other = await serving((_, response) => {
      visits += 1;
      response.end('{}');
    });
    const url = await serving((_, response) => {
      response.writeHead(302, { Location: other.href }).end();
    });
    const http = new NodeHttp(url, 'secret');
    const answer = await http.get('/x', 1000);
    assert.deepEqual([answer.ok && answer.status, visits], [302, 0]);
    http.close();
  });

  it('does not wait forever', async () => {
    const url = await serving(() => undefined);
    const http = new NodeHttp(url, null);
    const answer = await http.get('/x', 50);
    assert.equal(!answer.ok && answer.why, 'timed-out');
    const half = await serving((_, response) => void response.write('{'));
    const slow = new NodeHttp(half, null);
    const cut = await slow.get('/x', 50);
    assert.equal(!cut.ok && cut.why, 'timed-out');
    http.close();
    slow.close();
  });

  it('says who is not there, and what cannot be sent', async () => {
    const http = new NodeHttp(new URL('http://127.0.0.1:1'), null);
    const answer = await http.get('/x', 1000);
    assert.match(answer.ok ? '' : answer.text, /ECONNREFUSED/);
    const broken = await new NodeHttp(new URL('http://127.0.0.1:1'), 'a\nb').get('/x', 1000);
    assert.equal(!broken.ok && broken.why, 'failed');
  });
});
