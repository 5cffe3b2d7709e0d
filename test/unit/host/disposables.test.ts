import assert from 'node:assert/strict';
import { DisposableStore } from '../../../src/host/disposables';

describe('disposable stores', () => {
  const note = (log: string[], name: string) => ({ dispose: () => log.push(name) });

  it('end what they own in reverse order, once', () => {
    const log: string[] = [];
    const store = new DisposableStore();
    store.add(note(log, 'first'));
    store.add(note(log, 'second'));
    store.dispose();
    store.dispose();
    assert.deepEqual(log, ['second', 'first']);
  });

  it('end at once what comes too late', () => {
    const log: string[] = [];
    const store = new DisposableStore();
    store.dispose();
    store.add(note(log, 'late'));
    assert.deepEqual(log, ['late']);
  });
});
