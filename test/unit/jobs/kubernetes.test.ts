import assert from 'node:assert/strict';
import { KubernetesEngine } from '../../../src/jobs/engines/kubernetes';
import type { HttpAnswer, HttpQuestion } from '../../../src/remote/http';
import { recordOf } from '../../services/jobs/record';

const PLACE = {
  engine: 'kubernetes',
  context: 'lab',
  namespace: 'ml',
  image: 'i',
  folder: null,
  claim: null,
} as const;
const UID = '3d62fd1c-d42e-4729-b757-b6a62f80453f';
const answer = (status: number, body: unknown): HttpAnswer => ({
  ok: true,
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** An engine whose cluster answers each path by its beginning, and the questions that it was asked. */
function engineWith(answers: Readonly<Record<string, HttpAnswer>>) {
  const asked: HttpQuestion[] = [];
  const ask = (question: HttpQuestion): Promise<HttpAnswer> => {
    asked.push(question);
    const found = Object.entries(answers).find(([path]) => question.path.startsWith(path));
    return Promise.resolve(found?.[1] ?? answer(404, {}));
  };
  const api = { ask, get: (path: string) => ask({ method: 'GET', path }), close: () => undefined };
  const opened: (string | null)[] = [];
  const engine = new KubernetesEngine({
    open: context => {
      opened.push(context);
      return Promise.resolve({ ok: true, api, context: context ?? 'lab', namespace: 'default' });
    },
    now: () => 0,
  });
  return { engine, asked, opened };
}

const handle = { context: 'first', namespace: 'kept', uid: UID, notedMs: 0 };
const record = recordOf(PLACE, ['true'], { handle });
const JOBS = `/apis/batch/v1/namespaces/kept/jobs/headroom-${record.id}`;
const PODS = '/api/v1/namespaces/kept/pods';
const pods = (status: object) =>
  answer(200, { items: [{ metadata: { name: 'p' }, spec: { nodeName: 'gpu-1' }, status }] });

describe('jobs of Kubernetes', () => {
  it('are looked for where they were started, whatever the current context is', async () => {
    const { engine, asked, opened } = engineWith({});
    const { state } = await engine.look(record);
    assert.deepEqual([state, opened, asked.map(({ path }) => path)], ['lost', ['first'], [JOBS]]);
  });

  it('have the output of their pod from a byte on, and none before it starts', async () => {
    const log = { [`${PODS}/p/log`]: answer(200, 'töne\nmore\n'), [PODS]: pods({}) };
    const { engine, asked } = engineWith(log);
    const { bytes } = await engine.read(record, 6);
    assert.equal(Buffer.from(bytes).toString(), 'more\n');
    assert.equal(asked[1]?.path, `${PODS}/p/log?container=job`);
    const waiting = engineWith({
      [`${PODS}/p/log`]: answer(400, { message: 'is waiting to start' }),
      [PODS]: pods({}),
    });
    assert.equal((await waiting.engine.read(record, 0)).bytes.length, 0);
  });

  it('say that the time limit ended them, and on which node they ran', async () => {
    const conditions = [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }];
    const job = answer(200, { metadata: { uid: UID }, spec: {}, status: { conditions } });
    const seen = await engineWith({ [JOBS]: job, [PODS]: pods({ phase: 'Failed' }) }).engine.look(record);
    assert.deepEqual([seen.state, seen.exit?.reason, seen.machines], ['failed', 'TIMEOUT', { 0: 'gpu-1' }]);
    assert.match(seen.message ?? '', /time limit/);
    const gone = await engineWith({
      [JOBS]: answer(200, {
        metadata: { uid: UID },
        status: { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] },
      }),
      [PODS]: answer(200, { items: [] }),
    }).engine.look(record);
    assert.match(gone.message ?? '', /pod is gone/);
  });

  it('are only changed with the uid of the record', async () => {
    const { engine, asked } = engineWith({ [JOBS]: answer(200, {}), [PODS]: answer(200, {}) });
    await engine.stop(record, 'terminate');
    await engine.clean(record);
    const bodies = asked.map(({ method, json }) => [method, JSON.stringify(json).includes(UID)]);
    assert.deepEqual(bodies, [
      ['PATCH', true],
      ['DELETE', true],
    ]);
    const early = engineWith({});
    await early.engine.clean({ ...record, handle: { ...handle, uid: null } });
    assert.deepEqual(early.asked, []);
  });
});
