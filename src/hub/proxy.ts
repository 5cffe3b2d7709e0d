import type { Agent } from 'node:http';
import { HttpsProxyAgent } from 'https-proxy-agent';
import type { Variables } from './settings';

/**
 * The way to an address: through the proxy that HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names, unless NO_PROXY has the host;
 * undefined: straight. A tunnel, so the proxy sees neither the path nor a token.
 */
export function agentFor(url: URL, variables: Variables): Agent | undefined {
  const of = (name: string): string | null => {
    const value = variables[name.toLowerCase()] ?? variables[name];
    return value === undefined || value.trim() === '' ? null : value.trim();
  };
  const proxy = of(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? of('ALL_PROXY');
  if (proxy === null || isSpared(url, of('NO_PROXY') ?? '')) return undefined;
  const address = proxy.includes('://') ? proxy : `http://${proxy}`;
  return URL.canParse(address) && /^https?:/.test(address) ? new HttpsProxyAgent(address) : undefined;
}

/** `NO_PROXY=localhost,.lab.org,10.0.0.1:8080,*`, as curl reads it. */
function isSpared({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .some(entry => {
      if (entry === '*') return true;
      const [, host = '', wantedPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (wantedPort !== undefined && wantedPort !== ownPort) return false;
      const plain = host.replace(/^\*?\./, '');
      return plain !== '' && (hostname === plain || hostname.endsWith(`.${plain}`));
    });
}
