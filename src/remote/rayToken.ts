import { rayAddress } from './rayAddress';
import type { RayAddress } from './rayAddress';

/** Ray's own names. */
const TOKEN = 'RAY_AUTH_TOKEN';
const ADDRESS = 'RAY_ADDRESS';

/** Only names that start with RAY_ are allowed: a setting that could name any variable could send any secret. */
export const mayHoldToken = (name: string): boolean => /^RAY_[A-Z0-9_]+$/.test(name);

type RayToken =
  | { readonly ok: true; readonly token: string | null }
  | { readonly ok: false; readonly why: string };

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The token for a dashboard, read from the environment by name: never from a setting, an argument or a workspace
 * file. It is sent to this machine, to the address that the environment itself names, and over TLS to an address
 * from the user's own settings (`isOwn`): an address from elsewhere is untrusted.
 */
export function rayToken(
  address: RayAddress & { ok: true },
  variables: Variables,
  variable: string | null,
  isOwn: boolean,
): RayToken {
  const name = variable ?? TOKEN;
  if (!mayHoldToken(name)) {
    return { ok: false, why: `“${name}” cannot hold the token: its name must start with RAY_.` };
  }
  const token = variables[name]?.trim() ?? '';
  if (token === '') {
    return variable === null ? { ok: true, token: null } : { ok: false, why: `${name} is not set.` };
  }
  const isNamed = sameOrigin(variables[ADDRESS], address.url);
  const maySend = address.isHere || isNamed || (isOwn && address.isPrivate);
  return { ok: true, token: maySend ? token : null };
}

function sameOrigin(text: string | undefined, url: URL): boolean {
  try {
    return text !== undefined && new URL(text).host === url.host;
  } catch {
    return false;
  }
}

/** Whether an address as people write it is that of the dashboard. */
export function isSameRay(text: string, url: URL): boolean {
  const address = rayAddress(text);
  return address.ok && address.url.origin === url.origin;
}
