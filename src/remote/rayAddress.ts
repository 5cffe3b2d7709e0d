import { parsedAddress, refusedAddress } from './address';

/** The address of a dashboard, and whether a token may be sent to it. */
export type RayAddress =
  | {
      readonly ok: true;
      readonly url: URL;
      /** No other machine can read the traffic: it stays on this machine or uses TLS. */
      readonly isPrivate: boolean;
      readonly isHere: boolean;
    }
  | { readonly ok: false; readonly why: string };

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The default port of Ray's dashboard. */
const PORT = '8265';

/** Parses a dashboard's address as people write it: `http://head:8265`, `head:8265`, `head`. */
export function rayAddress(text: string): RayAddress {
  const given = text.trim();
  if (/^ray:\/\//i.test(given)) {
    return bad(
      text,
      `is the address of the Ray client; use the address of the dashboard, such as http://HOST:${PORT}`,
    );
  }
  const isOther = /^\w+:\/\//.test(given) && !/^https?:\/\//i.test(given);
  const url = isOther ? null : parsedAddress(/^https?:\/\//i.test(given) ? given : `http://${given}`);
  if (given === '' || url === null) {
    return bad(text, `is not a dashboard address such as http://127.0.0.1:${PORT}`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return bad(text, 'must have only a scheme, host and port, without a password or query');
  }
  if (url.port === '' && url.protocol === 'http:' && !/:80\/?$/.test(given)) url.port = PORT;
  const isHere = LOOPBACK.test(url.hostname);
  return { ok: true, url, isPrivate: url.protocol === 'https:' || isHere, isHere };
}

const bad = (text: string, why: string): RayAddress => ({ ok: false, why: refusedAddress(text, why) });
