import { readFile, readdir } from 'node:fs/promises';

/** Whether a machine's GPUs should be left alone: querying a suspended laptop GPU wakes it and costs battery. */
export interface SleepWatch {
  /** All GPUs of the vendor are suspended now. */
  isAsleep(): Promise<boolean>;
  /** The system may suspend a GPU: a tool that keeps running would prevent it. */
  maySleep(): Promise<boolean>;
}

export const neverAsleep: SleepWatch = {
  isAsleep: () => Promise.resolve(false),
  maySleep: () => Promise.resolve(false),
};

const PCI_VENDORS: Readonly<Record<string, string>> = { nvidia: '0x10de', amd: '0x1002', intel: '0x8086' };

/** PCI class of display controllers. */
const DISPLAY = '0x03';

/** Linux's runtime power management under /sys; reading it wakes nothing. */
export class LinuxSleepWatch implements SleepWatch {
  private gpus: Promise<readonly string[]> | null = null;

  constructor(
    private readonly vendor: string,
    private readonly folder = '/sys/bus/pci/devices',
  ) {}

  async isAsleep(): Promise<boolean> {
    const states = await this.all('power/runtime_status');
    return states.length > 0 && states.every(state => state === 'suspended');
  }

  async maySleep(): Promise<boolean> {
    return (await this.all('power/control')).includes('auto');
  }

  private async all(file: string): Promise<readonly string[]> {
    this.gpus ??= this.find();
    return Promise.all((await this.gpus).map(device => read(`${this.folder}/${device}/${file}`)));
  }

  private async find(): Promise<readonly string[]> {
    const devices = await readdir(this.folder).catch((): string[] => []);
    const isGpu = async (device: string) => {
      const vendor = await read(`${this.folder}/${device}/vendor`);
      return (
        vendor === PCI_VENDORS[this.vendor] &&
        (await read(`${this.folder}/${device}/class`)).startsWith(DISPLAY)
      );
    };
    const are = await Promise.all(devices.map(isGpu));
    return devices.filter((_, at) => are[at]);
  }
}

function read(file: string): Promise<string> {
  return readFile(file, 'utf8').then(
    text => text.trim(),
    () => '',
  );
}
