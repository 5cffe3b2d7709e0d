import { parsedAddress, refusedAddress } from './address';

/** The address of an exporter or a Prometheus server. */
type MetricsAddress = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly why: string };

/** Parses an address as people write it: `http://gpu-box:9400`, `gpu-box:9400/metrics`, `https://prom.lab/prometheus`. */
export function metricsAddress(text: string): MetricsAddress {
  const given = text.trim();
  const isOther = /^\w+:\/\//.test(given) && !/^https?:\/\//i.test(given);
  const url =
    isOther || given === '' ? null : parsedAddress(/^https?:\/\//i.test(given) ? given : `http://${given}`);
  if (url === null) return bad(text, 'is not an address such as http://127.0.0.1:9400');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return bad(text, 'must have only a scheme, host, port and path, without a password or query');
  }
  url.pathname = url.pathname.replace(/\/metrics\/?$/, '/');
  return { ok: true, url };
}

const bad = (text: string, why: string): MetricsAddress => ({ ok: false, why: refusedAddress(text, why) });
