import type { XmlElement } from './xml';

interface Element extends XmlElement {
  readonly children: Element[];
}

/** Names in the human-readable `nvidia-smi -q` that differ from those of its XML, by section. */
const RENAMED: Readonly<Record<string, string>> = {
  'gpu/gpu_uuid': 'uuid',
  // In an excerpt without the line that names its GPU.
  'nvidia_smi_log/gpu_uuid': 'uuid',
  'mig_mode/current': 'current_mig',
  'driver_model/current': 'current_dm',
  'pci/bus_id': 'pci_bus_id',
  'utilization/gpu': 'gpu_util',
  'utilization/memory': 'memory_util',
  'utilization/encoder': 'encoder_util',
  'utilization/decoder': 'decoder_util',
  'temperature/gpu_current_temp': 'gpu_temp',
  'temperature/gpu': 'gpu_temp',
  'temperature/memory_current_temp': 'memory_temp',
  'gpu_power_readings/instantaneous_power_draw': 'instant_power_draw',
  'clocks/sm': 'sm_clock',
  'clocks/memory': 'mem_clock',
  'processes/name': 'process_name',
  'processes/used_gpu_memory': 'used_memory',
};

const LINE = /^( *)([A-Za-z][\w ./()+-]*)(?![\w ./()+-])(?:(?<= ):(.*)|\s*)$/s;
const GPU = /^GPU ([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F])\s*$/;

/**
 * Converts the text of `nvidia-smi -q` to the equivalent XML: levels by indentation, names in lower case.
 * Processes, which have no separator, become separate elements.
 */
export function parseLogText(text: string): XmlElement {
  const logs = text.split(/^=+NVSMI LOG=+\s*$/m).map(part => {
    const log = element('nvidia_smi_log', '');
    const reader = new LogLines(log);
    for (const line of part.split(/\r?\n/)) reader.line(line);
    return log;
  });
  return { ...element('', ''), children: logs };
}

const element = (name: string, text: string, attributes = ''): Element => ({
  name,
  text,
  attributes,
  children: [],
});

interface Level {
  readonly indent: number;
  readonly element: Element;
}

class LogLines {
  private levels: Level[];
  /** Ids that precede their process. */
  private pending: Element[] = [];
  private readonly lost = new Set<Element>();

  constructor(private readonly log: Element) {
    this.levels = [{ indent: -1, element: log }];
  }

  line(line: string): void {
    const gpu = GPU.exec(line);
    if (gpu) {
      this.open('gpu', `id="${gpu[1] ?? ''}"`);
      return;
    }
    const [, spaces, words = '', value] = LINE.exec(line) ?? [];
    if (spaces === undefined) return;
    const name = words.trim().toLowerCase().replace(/[ -]+/g, '_');
    if (spaces.length === 0) this.levels = [{ indent: -1, element: this.log }];
    this.add(spaces.length, name, value?.trim() ?? '');
  }

  private open(name: string, attributes: string): void {
    const opened = element(name, '', attributes);
    this.log.children.push(opened);
    this.levels = [{ indent: 0, element: opened }];
    this.pending = [];
  }

  private add(indent: number, name: string, value: string): void {
    if (this.isOfProcess(name)) {
      this.addToProcess(name, value);
      return;
    }
    this.levels = this.levels.filter((level, at) => at === 0 || level.indent < indent);
    const parent = this.levels.at(-1)?.element ?? this.log;
    const inside = parent.name === 'gpu' && name === 'mig_device' ? migDevicesOf(parent) : parent;
    const renamed = RENAMED[`${parent.name}/${name}`] ?? name;
    const isDuplicate = inside === parent && parent.children.some(child => child.name === renamed);
    if (isDuplicate) this.lose(parent);
    if (isDuplicate || this.lost.has(parent)) return;
    const added = element(renamed, value);
    inside.children.push(added);
    this.levels.push({ indent, element: added });
  }

  /** A name repeats within a section: a line between them is missing, so the owner of either is unknown. */
  private lose(section: Element): void {
    if (section === this.log) return;
    this.lost.add(section);
    section.children.length = 0;
  }

  /** In a section of processes, or in an excerpt without sections: a part of a process. */
  private isOfProcess(name: string): boolean {
    const inSection = this.levels.some(level => level.element.name === 'processes');
    if (name === 'processes' || name === 'capabilities') return false;
    const isLoose =
      this.levels[0]?.element === this.log && this.log.children.every(one => one.name === 'gpu');
    return (inSection || isLoose) && PROCESS.has(name);
  }

  private addToProcess(name: string, value: string): void {
    const renamed = RENAMED[`processes/${name}`] ?? name;
    if (name === 'gpu_instance_id' || name === 'compute_instance_id') {
      this.pending.push(element(renamed, value));
      return;
    }
    const section = this.processes();
    if (name === 'process_id') {
      const info = element('process_info', '');
      info.children.push(...this.pending, element('pid', value));
      this.pending = [];
      section.children.push(info);
    } else {
      section.children.at(-1)?.children.push(element(renamed, value));
    }
  }

  private processes(): Element {
    const open = this.levels.find(level => level.element.name === 'processes')?.element;
    if (open) return open;
    const excerpt = this.log.children.at(-1) ?? element('gpu', '', EXCERPT);
    if (this.log.children.length === 0) this.log.children.push(excerpt);
    const section = excerpt.children.find(child => child.name === 'processes') ?? element('processes', '');
    if (!excerpt.children.includes(section)) excerpt.children.push(section);
    return section;
  }
}

/** Marks a GPU of which only the processes were printed. */
export const EXCERPT = 'excerpt';

const PROCESS = new Set([
  'gpu_instance_id',
  'compute_instance_id',
  'process_id',
  'type',
  'name',
  'used_gpu_memory',
]);

function migDevicesOf(gpu: Element): Element {
  const known = gpu.children.find(child => child.name === 'mig_devices');
  if (known) return known;
  const made = element('mig_devices', '');
  gpu.children.push(made);
  return made;
}
