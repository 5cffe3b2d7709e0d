import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readSysfs, sysfsQuery } from '../../../src/gpu/amd/sysfs';
import { amdSysfs } from '../../../src/gpu/tools/amdSysfs';

const GIB = 2 ** 30;

/** Files as documented by the kernel's pages on amdgpu: a card with its own memory, and a processor's graphics. */
const CARD: Readonly<Record<string, string>> = {
  uevent:
    'DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:744C\nPCI_SUBSYS_ID=1EAE:7901\nPCI_SLOT_NAME=0000:03:00.0\nMODALIAS=pci:v00001002',
  revision: '0xc8',
  unique_id: '4a5f1b2c3d4e5f60',
  mem_info_vram_total: String(24 * GIB - 64 * 2 ** 20),
  mem_info_vram_used: String(3 * GIB),
  mem_info_gtt_total: String(32 * GIB),
  mem_info_gtt_used: String(GIB),
  gpu_busy_percent: '37',
  mem_busy_percent: '12',
  'hwmon/hwmon4/temp1_label': 'edge',
  'hwmon/hwmon4/temp1_input': '51000',
  'hwmon/hwmon4/temp2_label': 'junction',
  'hwmon/hwmon4/temp2_input': '63000',
  'hwmon/hwmon4/temp3_label': 'mem',
  'hwmon/hwmon4/temp3_input': '70000',
  'hwmon/hwmon4/power1_average': '212000000',
  'hwmon/hwmon4/power1_cap': '339000000',
  'hwmon/hwmon4/fan1_input': '1204',
  'hwmon/hwmon4/pwm1': '102',
  'hwmon/hwmon4/pwm1_max': '255',
  'hwmon/hwmon4/freq1_label': 'sclk',
  'hwmon/hwmon4/freq1_input': '2304000000',
  'hwmon/hwmon4/freq2_label': 'mclk',
  'hwmon/hwmon4/freq2_input': '1249000000',
};

const APU: Readonly<Record<string, string>> = {
  uevent: 'DRIVER=amdgpu\nPCI_ID=1002:150E\nPCI_SLOT_NAME=0000:c1:00.0',
  revision: '0xc1',
  mem_info_vram_total: String(GIB / 2),
  mem_info_vram_used: String(GIB / 4),
  mem_info_gtt_total: String(24 * GIB),
  mem_info_gtt_used: String(GIB),
  gpu_busy_percent: '4',
  'hwmon/hwmon7/temp1_label': 'edge',
  'hwmon/hwmon7/temp1_input': '44500',
  'hwmon/hwmon7/in1_label': 'vddnb',
  'hwmon/hwmon7/power1_input': '9000000',
};

const NVIDIA = { uevent: 'DRIVER=nvidia\nPCI_ID=10DE:2684\nPCI_SLOT_NAME=0000:01:00.0' };

describe('gpu: the files of the driver amdgpu', () => {
  let folder = '';
  const drm = () => join(folder, 'sys/class/drm');

  /** A card as the kernel lays it out: everything is a link, including links back. */
  function card(number: number, place: string, files: Readonly<Record<string, string>>): void {
    const device = join(folder, 'sys/devices', place);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(device, name)), { recursive: true });
      writeFileSync(join(device, name), `${text}\n`);
    }
    const own = join(device, `drm/card${number}`);
    mkdirSync(join(own, `card${number}-DP-1`), { recursive: true });
    symlinkSync(device, join(own, 'device'));
    symlinkSync(own, join(own, `card${number}-DP-1/device`));
    symlinkSync(join(folder, 'sys/devices'), join(device, 'subsystem'));
    symlinkSync(own, join(drm(), `card${number}`));
    symlinkSync(join(own, `card${number}-DP-1`), join(drm(), `card${number}-DP-1`));
    symlinkSync(own, join(drm(), `renderD${128 + number}`));
  }

  const found = (): string => spawnSync('find', sysfsQuery(drm()), { encoding: 'utf8' }).stdout;

  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-sysfs-'));
    mkdirSync(drm(), { recursive: true });
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are found by `find` once each, whatever links exist', () => {
    card(1, '0000:03:00.0', CARD);
    const lines = found().trim().split('\n');
    assert.equal(lines.length, Object.values(CARD).join('\n').split('\n').length);
    assert.ok(
      lines.every(line => line.startsWith(`${drm()}/card1/device/`)),
      lines[0],
    );
  });

  it('say what a card has, with their units', () => {
    card(1, '0000:03:00.0', CARD);
    const { devices, samples } = readSysfs(found(), 7);
    const [device] = devices;
    assert.deepEqual(
      [device?.key, device?.name, device?.memoryTotalMiB, device?.memoryKind],
      ['0000:03:00.0', 'AMD GPU 744C:C8', 24_512, 'dedicated'],
    );
    const { utilPct, memBusyPct, memoryUsedMiB, tempC, tempHotspotC, tempMemC } = samples[0] ?? {};
    assert.deepEqual(
      [utilPct, memBusyPct, memoryUsedMiB, tempC, tempHotspotC, tempMemC],
      [37, 12, 3072, 51, 63, 70],
    );
    const { powerW, powerLimitW, fanRpm, fanPct, clockSmMHz, clockMemMHz } = samples[0] ?? {};
    assert.deepEqual(
      [powerW, powerLimitW, fanRpm, fanPct, clockSmMHz, clockMemMHz],
      [212, 339, 1204, 40, 2304, 1249],
    );
  });

  it("count a processor's graphics with the memory that it shares, and cards of others not at all", () => {
    card(0, '0000:01:00.0', NVIDIA);
    card(1, '0000:03:00.0', CARD);
    card(2, '0000:c1:00.0', APU);
    const { devices, samples } = readSysfs(found(), 7);
    assert.deepEqual(
      devices.map(({ index, memoryKind, memoryTotalMiB }) => [index, memoryKind, memoryTotalMiB]),
      [
        [0, 'dedicated', 24_512],
        [1, 'unified', 24_576 + 512],
      ],
    );
    const { memoryUsedMiB, powerW, powerKind, tempHotspotC, fanPct } = samples[1] ?? {};
    assert.deepEqual(
      [memoryUsedMiB, powerW, powerKind, tempHotspotC, fanPct],
      [1024 + 256, 9, 'soc', null, null],
    );
  });

  it('leave out what a sleeping card does not tell', () => {
    const silent = ['hwmon/hwmon4/power1_average', 'gpu_busy_percent', 'mem_info_vram_used'];
    const rest = Object.fromEntries(Object.entries(CARD).filter(([name]) => !silent.includes(name)));
    card(0, '0000:03:00.0', rest);
    const [sample] = readSysfs(found(), 7).samples;
    assert.deepEqual([sample?.utilPct, sample?.powerW, sample?.memoryUsedMiB], [null, null, null]);
    assert.equal(sample?.tempC, 51);
  });
});

describe('gpu: the driver amdgpu as a tool', () => {
  const output = (stdout: string) => ({ stdout, stderr: '', exitCode: 0 });

  it('is not there on a machine without such a card', () => {
    const { devices, error } = amdSysfs.read(amdSysfs.query([]), output(''), 0);
    assert.deepEqual([devices.length, error?.kind], [0, 'command-not-found']);
  });

  it("takes names of chips from libdrm's list", () => {
    const text = [
      '/sys/class/drm/card0/device/uevent:DRIVER=amdgpu',
      '/sys/class/drm/card0/device/uevent:PCI_ID=1002:744C',
      '/sys/class/drm/card0/device/revision:0xc8',
      '/sys/class/drm/card1/device/uevent:DRIVER=amdgpu',
      '/sys/class/drm/card1/device/uevent:PCI_ID=1002:74A1',
      '/sys/class/drm/card1/device/product_name:AMD Instinct MI300X',
    ].join('\n');
    const { devices } = amdSysfs.read(amdSysfs.query([]), output(text), 0);
    const [args = []] = amdSysfs.details(devices);
    assert.equal(args.at(-3), '^(744C),');
    const list = '744C,\tC4,\tAMD Radeon PRO W7900\n744C,\tC8,\tAMD Radeon RX 7900 XTX\n';
    const named = amdSysfs.withDetails(devices, amdSysfs.read(args, output(list), 0));
    assert.deepEqual(
      named.map(({ name }) => name),
      ['AMD Radeon RX 7900 XTX', 'AMD Instinct MI300X'],
    );
    assert.deepEqual(amdSysfs.details(named), []);
  });
});
