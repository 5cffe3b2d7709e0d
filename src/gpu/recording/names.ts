import { isRecord, parsedJson } from '../../core/text/json';
import type { RecordedHost } from './recording';

/** Fields of Ray's and Slurm's JSON with the name or address of a machine, or a user's name. */
const HOSTS =
  /^(?:hostname|host|node_?name|node_?ip|ip|address|head_?ip|node_?manager_?(?:host_?name|address))$/i;
const USERS = /^(?:user|user_?name|owner|reason_set_by_user|set_by_user)$/i;

interface Names {
  readonly hosts: ReadonlySet<string>;
  readonly users: ReadonlySet<string>;
}

/** The names of machines and people in a cluster's answers. */
export function namesIn({ runs, requests }: RecordedHost): Names {
  const names = { hosts: new Set<string>(), users: new Set<string>() };
  for (const { program, args, output } of runs) {
    if (`${program} ${args.join(' ')}`.includes('scontrol')) {
      namesInSlurm(output.map(([, , text]) => text).join(''), names);
    }
  }
  for (const { body } of requests) collect(parsedJson(body), '', names);
  return names;
}

interface Found {
  readonly hosts: Set<string>;
  readonly users: Set<string>;
}

function namesInSlurm(text: string, names: Found): void {
  const document = parsedJson(text);
  const nodes = isRecord(document) && Array.isArray(document['nodes']) ? document['nodes'] : [];
  for (const node of nodes.filter(isRecord)) {
    if (typeof node['name'] === 'string') {
      names.hosts.add(node['name']);
    }
  }
  collect(document, '', names);
  for (const [, host] of text.matchAll(/\bNode(?:Name|HostName|Addr)=(\S+)/g)) {
    if (host) names.hosts.add(host);
  }
  for (const [, user] of text.matchAll(/\[([\w.-]+)@\d{4}-\d\d-\d\dT/g)) if (user) names.users.add(user);
  for (const [, user] of text.matchAll(/\bOwner=([\w.-]+)/g)) if (user && user !== 'N') names.users.add(user);
}

function collect(value: unknown, key: string, names: Found): void {
  if (Array.isArray(value)) for (const one of value) collect(one, key, names);
  else if (isRecord(value)) for (const [name, one] of Object.entries(value)) collect(one, name, names);
  else if (typeof value === 'string' && value !== '') {
    if (HOSTS.test(key)) names.hosts.add(value);
    else if (USERS.test(key)) names.users.add(value);
  }
}
