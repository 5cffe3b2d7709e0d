import assert from 'node:assert/strict';
import { exitCodeOf } from '../../../src/cli/commands/gpus';
import { firstReadings } from '../../../src/cli/gpus/first';
import { gpusDocument, hostText } from '../../../src/cli/gpus/rows';
import { showLive } from '../../../src/cli/gpus/live';
import type { Screen } from '../../../src/cli/gpus/live';
import type { Output } from '../../../src/cli/output';
import { plainPaint } from '../../../src/core/text/terminal';
import { unknownDevice } from '../../../src/gpu/device';
import type { HostReading, HostState } from '../../../src/gpu/fleet';
import { blankSample } from '../../../src/gpu/sample';
import { BaseWatch } from '../../../src/gpu/watch';
import { FakeTimers, settled } from '../gpu/fake';

/** A host whose answers the test sets. */
class SaidWatch extends BaseWatch {
  goes = 0;

  say(state: HostState, news: Partial<HostReading> = {}): void {
    this.notify({ ...news, status: { ...this.status(state, { collector: 'tool' }), ...news.status } });
  }

  protected begin(): void {
    this.goes += 1;
    this.enter('connecting');
  }

  protected end(): void {
    this.goes -= 1;
  }
}

const host = (timers: FakeTimers, name = 'box') =>
  new SaidWatch({ id: `ssh:${name}`, kind: 'ssh', name }, timers);

const DEVICE = unknownDevice({
  key: 'GPU-1',
  vendor: 'nvidia',
  index: 0,
  name: 'NVIDIA A100',
  memoryTotalMiB: 81920,
});
const SAMPLE = blankSample('GPU-1', 1000, { utilPct: 97, memoryUsedMiB: 40960, tempC: 64 });
const GPU = { devices: [DEVICE], samples: [SAMPLE] };

const ESCAPE = '\u001b';

function collected(): { output: Output; lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    output: { out: text => lines.push(String(text)), err: () => undefined, paint: plainPaint },
  };
}

describe('headroom gpus of several hosts', () => {
  it('waits for each host, but not forever', async () => {
    const timers = new FakeTimers();
    const [quick, slow] = [host(timers, 'quick'), host(timers, 'slow')];
    const reading = firstReadings([quick, slow], timers);
    await settled();
    quick.say('live', GPU);
    await timers.pass(60_000);
    const [first, second] = await reading;
    assert.deepEqual([first?.status.state, first?.devices.length], ['live', 1]);
    assert.equal(second?.status.state, 'connecting');
    assert.deepEqual([quick.goes, slow.goes], [0, 0]);
  });

  it('says by its exit code whether every host could be read', () => {
    const timers = new FakeTimers();
    const code = (...states: HostState[]) =>
      exitCodeOf(
        states.map(state => {
          const one = host(timers);
          one.say(state);
          return one.reading;
        }),
      );
    assert.equal(code('live', 'no-gpu', 'asleep'), 0);
    assert.equal(code('live', 'auth-needed'), 2);
    assert.equal(code('no-tool'), 2);
  });

  it('shows what is known, and what to do where nothing is', () => {
    const timers = new FakeTimers();
    const one = host(timers);
    one.say('live', GPU);
    assert.match(hostText(one.reading).raw, /^box · live · tool\n/);
    assert.match(
      hostText(one.reading).raw,
      /\| 0 +\| NVIDIA A100 \| 40\.0 GB of 80\.0 GB \| 97 % \| 64 °C +\| n\/a/,
    );
    one.say('auth-needed', {
      ...GPU,
      status: {
        ...one.reading.status,
        state: 'auth-needed',
        message: 'No key.',
        todo: 'Add one.',
        text: 'denied',
      },
    });
    assert.match(hostText(one.reading).raw, /No key\.\n→ Add one\.\n {2}denied$/);
    const document = gpusDocument([one.reading]) as { devices: { host: string }[] };
    assert.equal(document.devices[0]?.host, 'ssh:box');
  });

  it('redraws in place, and never more than fits on the screen', async () => {
    const timers = new FakeTimers();
    const one = host(timers);
    const written: string[] = [];
    const screen: Screen = { columns: 30, rows: 4, write: text => written.push(text) };
    const stop = showLive([one], { json: false, output: collected().output, screen, timers });
    await timers.pass(100);
    one.say('live', GPU);
    one.say('live', GPU);
    await timers.pass(100);
    assert.equal(written.length, 2);
    assert.ok(written[1]?.startsWith(`${ESCAPE}[1A\r`));
    const lines = (written[1] ?? '').split('\n');
    assert.equal(lines.length, 4);
    assert.match(lines[2] ?? '', /… 2 more lines/);
    const control = new RegExp(String.raw`${ESCAPE}\[\d*[AJK]|\r`, 'g');
    for (const line of lines) assert.ok(line.replace(control, '').length <= 30, line);
    stop();
    assert.equal(one.goes, 0);
  });

  it('prints lines into a pipe, and a failure once', async () => {
    const timers = new FakeTimers();
    const one = host(timers);
    const { output, lines } = collected();
    const stop = showLive([one], { json: false, output, screen: null, timers });
    one.say('live', GPU);
    await timers.pass(100);
    for (let again = 0; again < 3; again++) {
      one.say('unreachable');
      await timers.pass(100);
    }
    stop();
    assert.deepEqual(lines, [
      '1970-01-01T00:00:01.000Z · box · GPU 0 · NVIDIA A100 · 40.0 GB of 80.0 GB · 97 % · 64 °C · n/a',
      'box · unreachable',
    ]);
  });

  it('prints one document a line as JSON', async () => {
    const timers = new FakeTimers();
    const one = host(timers);
    const { output, lines } = collected();
    const stop = showLive([one], { json: true, output, screen: null, timers });
    one.say('live', GPU);
    await timers.pass(100);
    stop();
    assert.equal(lines.length, 1);
    const document = JSON.parse(lines[0] ?? '') as { schema: string; samples: unknown[] };
    assert.deepEqual([document.schema, document.samples.length], ['headroom/1', 1]);
  });

  it('gives the advice of the panel: once in a pipe, with its source in JSON', async () => {
    const low = { utilPct: 30, memoryUsedMiB: 20_000, tempC: 60 };
    const watched = async (json: boolean): Promise<readonly string[]> => {
      const timers = new FakeTimers();
      const one = host(timers);
      const { output, lines } = collected();
      const stop = showLive([one], { json, output, screen: null, timers });
      for (let second = 0; second < 120; second++) {
        one.say('live', { devices: [DEVICE], samples: [blankSample('GPU-1', timers.now(), low)] });
        await timers.pass(1000);
      }
      stop();
      return lines;
    };
    const said = (await watched(false)).filter(line => !/^\d{4}-/.test(line));
    assert.equal(said.length, 1, said.join('\n'));
    assert.match(said[0] ?? '', /^box · GPU 0: The GPU waits for work .+ Seen: utilization 30 % \(median\)/);
    const last = JSON.parse((await watched(true)).at(-1) ?? '') as { advice: Record<string, unknown>[] };
    const { rule, host: name, source } = last.advice[0] ?? {};
    assert.deepEqual([rule, name], ['low-utilisation', 'ssh:box']);
    assert.match(String(source), /guide/);
  });

  it('draws advice below the table, in lines that the screen has room for', async () => {
    const timers = new FakeTimers();
    const one = host(timers);
    const written: string[] = [];
    const screen: Screen = { columns: 60, rows: 40, write: text => written.push(text) };
    const stop = showLive([one], { json: false, output: collected().output, screen, timers });
    for (let second = 0; second < 120; second++) {
      const sample = blankSample('GPU-1', timers.now(), { utilPct: 99, memoryUsedMiB: 75_000, tempC: 60 });
      one.say('live', { devices: [DEVICE], samples: [sample] });
      await timers.pass(1000);
    }
    stop();
    const last = written.at(-1) ?? '';
    assert.match(last, /GPU 0: The GPU is the limit: it computes almost all the/);
    for (const line of last.split('\n').slice(4)) assert.doesNotMatch(line, /…/);
  });
});
