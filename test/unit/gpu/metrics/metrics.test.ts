import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { MetricsSource } from '../../../../src/gpu/metrics/source';
import { QUERY_PATH, queriedText } from '../../../../src/gpu/metrics/source';
import { addressWord } from '../../../../src/remote/address';
import { metricsAddress } from '../../../../src/remote/metricsAddress';
import type { HttpAnswer } from '../../../../src/remote/http';
import { FakeTimers } from '../fake';

const EXPORTED = readFileSync('test/fixtures/telemetry/recordings/dcgm-exporter-l40s-595.txt', 'utf8');
const good = (body: string): HttpAnswer => ({ ok: true, status: 200, body });

function source(answers: Readonly<Record<string, HttpAnswer>>) {
  const asked: string[] = [];
  const get = (path: string): Promise<HttpAnswer> => {
    asked.push(path);
    return Promise.resolve(answers[path] ?? { ok: true, status: 404, body: 'Not Found' });
  };
  return { asked, source: new MetricsSource({ get, close: () => undefined }, new FakeTimers()) };
}

/** What Prometheus answers to the instant query after it has scraped an exporter. */
function scraped(text: string): string {
  const result = text.split('\n').flatMap(line => {
    const [, name, words = '', value] = /^(\w+)\{([^}]*)\} (\S+)/.exec(line) ?? [];
    if (name === undefined) return [];
    const labels = [...words.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', said = '']) => [label, said]);
    const metric = { __name__: name, job: 'gpus', ...(Object.fromEntries(labels) as object) };
    return [{ metric, value: [1764385200.1, value] }];
  });
  return JSON.stringify({ status: 'success', data: { resultType: 'vector', result } });
}

describe('GPUs in metrics', () => {
  it('are read from an exporter, and from a Prometheus server that scraped it, alike', async () => {
    const exporter = source({ '/metrics': good(EXPORTED) });
    const prometheus = source({ [QUERY_PATH]: good(scraped(EXPORTED)) });
    const [one, other] = [await exporter.source.ask(), await prometheus.source.ask()];
    assert.ok(one.ok && other.ok);
    assert.deepEqual([one.collector, other.collector], ['DCGM, exporter', 'DCGM, Prometheus']);
    assert.equal(one.reading.devices?.length, 1);
    assert.deepEqual(other.reading, one.reading);
    await exporter.source.ask();
    assert.deepEqual(exporter.asked, [QUERY_PATH, '/metrics', '/metrics']);
  });

  it('are none where a server has other metrics', async () => {
    const answer = await source({ '/metrics': good('# TYPE up gauge\nup 1\n') }).source.ask();
    assert.ok(answer.ok);
    assert.match(answer.message ?? '', /no metrics of DCGM/);
    const page = await source({ '/metrics': good('<html>metrics</html>') }).source.ask();
    assert.ok(!page.ok);
    assert.equal(page.state, 'driver-error');
    const login = await source({ '/metrics': { ok: true, status: 401, body: '' } }).source.ask();
    assert.ok(!login.ok && login.isFinal);
  });

  it('cannot be smuggled in by a label', () => {
    const metric = {
      __name__: 'DCGM_FI_DEV_FB_USED',
      gpu: '0"} 1\nDCGM_FI_DEV_FB_FREE{gpu="1',
      UUID: 'GPU-1',
    };
    const body = JSON.stringify({ status: 'success', data: { result: [{ metric, value: [0, '5'] }] } });
    assert.equal(queriedText(body), 'DCGM_FI_DEV_FB_USED{UUID="GPU-1"} 5');
    assert.equal(queriedText('{"status":"error"}'), null);
  });
});

describe('the address of metrics', () => {
  const href = (text: string): string | null => {
    const address = metricsAddress(text);
    return address.ok ? address.url.href : null;
  };

  it('is read as people write it', () => {
    assert.equal(href('gpu-box:9400'), 'http://gpu-box:9400/');
    assert.equal(href('http://gpu-box:9400/metrics'), 'http://gpu-box:9400/');
    assert.equal(href('https://prom.lab/prometheus'), 'https://prom.lab/prometheus');
    assert.equal(addressWord(new URL('https://prom.lab/prometheus')), 'https:%2F%2Fprom.lab%2Fprometheus');
  });

  it('has no password, no query and no other scheme', () => {
    for (const text of ['http://a:b@c:9400', 'http://c/?x=1', 'file:///etc/passwd', '']) {
      const address = metricsAddress(text);
      assert.ok(!address.ok, text);
      assert.doesNotMatch(address.why, /a:b/);
    }
  });
});
