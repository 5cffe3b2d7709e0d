import { createHash } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { redact } from '../../core/text/redact';
import { isRecord, parsedJson } from '../../core/text/json';
import { namesIn } from './names';
import type { RecordedHost, RecordedRequest, RecordedRun, RecordedText } from './recording';

/** Parts of Ray's answers that are not read here, and that reveal programs and paths. */
const DROPPED = new Set([
  ...['cmdline', 'agent', 'gcs', 'workers', 'disk', 'diskIo', 'diskIoSpeed', 'network', 'networkSpeed'],
  ...[
    'sessionDir',
    'tempDir',
    'rayletSocketName',
    'objectStoreSocketName',
    'session_name',
    'autoscalingStatus',
  ],
  ...['coreWorkersStats', 'comment', 'extra'],
]);

const UUID = /\b([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})\b/gi;
const SERIAL =
  /((?:serial(?:[ _-]?(?:number|no|num))?|unique[ _]?id|fru[ _]id)"?\s*[:=>]\s*"?)(?!N\/A)([0-9A-Za-z][0-9A-Za-z-]{3,})/gi;
const HOME = /((?:\/home|\/Users|\\Users)[/\\])([^/\\\s"'<>,]+)/g;
const PATH = /(?:\/[^\s/,<>"|]+)+\/([^\s/,<>"|]+)/g;
/** Paths that are the same on every machine, and needed to interpret their content. */
const SYSTEM = /^\/(?:sys|usr\/share)\//;
const IPV4 =
  /(?<![\d.])(?!127\.)((?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3})(?![\d.])/g;
const SLURM_FREE_TEXT = /\s(?:Comment|Extra)=.*?(?=\s[A-Z]\w+=|$)/gm;

/** A single letter is not a name. */
const SHORTEST_NAME = 2;

/** Common words that identify no one. */
const COMMON = new Set(['root', 'localhost', 'N/A', 'none', 'null', 'unknown', 'gpu', 'cpu', 'node', 'head']);

/**
 * Removes private data from a recording: users, machines, UUIDs and serial numbers become hashes, equal for the
 * same value within the file and different in other files (`salt`); paths keep only their last part; command lines
 * are removed.
 */
export class Sanitizer {
  constructor(
    private readonly salt: string,
    private readonly people: readonly string[] = [userInfo().username],
    private readonly machines: readonly string[] = [hostname()],
  ) {}

  host(recorded: RecordedHost): RecordedHost {
    const names = namesIn(recorded);
    const { host } = recorded;
    // A host's alias is part of its id and may appear in its answers.
    const alias = /^(?:ssh|slurm):(?!local$)(.+)$/.exec(host.id)?.[1];
    const hosts = [...names.hosts, ...this.machines, ...(alias === undefined ? [] : [alias])];
    const clean = this.cleaner([...names.users, ...this.people], hosts);
    return {
      ...recorded,
      host: { ...host, id: clean(host.id), name: clean(host.name) },
      runs: recorded.runs.map(run => cleanRun(run, clean)),
      requests: recorded.requests.map(request => cleanRequest(request, clean)),
    };
  }

  private cleaner(users: readonly string[], hosts: readonly string[]): (text: string) => string {
    const words = new Map<string, string>();
    for (const user of named(users)) words.set(user, `user-${this.hash(user)}`);
    for (const host of named(hosts)) words.set(host, this.machine(host));
    const anyWord = wordsPattern([...words.keys()]);
    return text =>
      this.patterns(anyWord === null ? text : text.replace(anyWord, word => words.get(word) ?? word));
  }

  private patterns(text: string): string {
    return redact(text)
      .replace(UUID, uuid => this.uuid(uuid))
      .replace(SERIAL, (_, label: string, serial: string) => `${label}${this.digits(serial)}`)
      .replace(HOME, (_, folder: string, user: string) => `${folder}user-${this.hash(user)}`)
      .replace(PATH, (path, last: string) => (SYSTEM.test(path) ? path : `/…/${last}`))
      .replace(IPV4, address => this.address(address))
      .replace(SLURM_FREE_TEXT, '');
  }

  private machine(name: string): string {
    IPV4.lastIndex = 0;
    return IPV4.test(name) ? this.address(name) : `host-${this.hash(name)}`;
  }

  private hash(text: string): string {
    return this.digest(text).slice(0, 8);
  }

  private uuid(uuid: string): string {
    const hex = this.digest(uuid.toLowerCase());
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
      '-',
    );
  }

  private digits(serial: string): string {
    const hex = this.digest(serial);
    return serial.startsWith('0x') ? `0x${hex.slice(0, 16)}` : String(Number.parseInt(hex.slice(0, 12), 16));
  }

  private address(address: string): string {
    const hex = this.digest(address);
    const octets = [0, 2, 4].map(at => Number.parseInt(hex.slice(at, at + 2), 16));
    return `10.${octets.join('.')}`;
  }

  private digest(text: string): string {
    return createHash('sha256').update(`${this.salt} ${text}`).digest('hex');
  }
}

const named = (names: readonly string[]): readonly string[] =>
  names.filter(name => name.length >= SHORTEST_NAME && !COMMON.has(name) && !name.startsWith('127.'));

/** Matches any of the words as a whole, longest first; null for none. */
function wordsPattern(words: readonly string[]): RegExp | null {
  if (words.length === 0) return null;
  const escaped = [...words]
    .sort((a, b) => b.length - a.length)
    .map(word => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`(?<![\\w-])(?:${escaped.join('|')})(?![\\w-])`, 'g');
}

function cleanRun(run: RecordedRun, clean: (text: string) => string): RecordedRun {
  const isApps = run.args.some(arg => arg.startsWith('--query-compute-apps'));
  return {
    ...run,
    program: clean(run.program),
    args: run.args.map(clean),
    output: byLines(run.output).map(([atMs, stream, text]) => [
      atMs,
      stream,
      clean(withoutCommands(text, isApps)),
    ]),
  };
}

/** The same output split at line ends, so that no name is split between two texts. */
function byLines(output: readonly RecordedText[]): readonly RecordedText[] {
  const rest = { stdout: '', stderr: '' };
  const whole = output.map(([atMs, stream, text], at): RecordedText => {
    const all = rest[stream] + text;
    const isLast = !output.slice(at + 1).some(([, other]) => other === stream);
    const end = isLast ? all.length : all.lastIndexOf('\n') + 1;
    rest[stream] = all.slice(end);
    return [atMs, stream, all.slice(0, end)];
  });
  return whole.filter(([, , text]) => text !== '');
}

/** nvidia-smi prints a program with its arguments if the driver knows them. */
function withoutCommands(text: string, isApps: boolean): string {
  const named = text.replace(/(?<=<process_name>)[^<]*(?=<)/g, words => words.trim().split(/\s/)[0] ?? '');
  return isApps ? named.replace(/(, *\/[^\s,]+) [^,\n]*/g, '$1') : named;
}

function cleanRequest(request: RecordedRequest, clean: (text: string) => string): RecordedRequest {
  const document = parsedJson(request.body);
  return {
    ...request,
    body: clean(document === null ? request.body : JSON.stringify(withoutSecrets(document))),
  };
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !DROPPED.has(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutSecrets(one)]));
}
