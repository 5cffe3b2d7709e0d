/** How the user has set up huggingface_hub, by its own variables (huggingface_hub/constants.py). */
export interface HubSettings {
  readonly endpoint: URL;
  /** Sent to the endpoint's own origin only. */
  readonly token: string | null;
  readonly isOffline: boolean;
  readonly variables: Variables;
}

export type Variables = Readonly<Record<string, string | undefined>>;

const HUB = 'https://huggingface.co';
const TRUE = /^(?:1|on|yes|true)$/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The settings, or a sentence that says which variable is wrong. */
export function hubSettings(variables: Variables): HubSettings | { readonly why: string } {
  const given = variables['HF_ENDPOINT']?.trim();
  const endpoint = addressOf(given === undefined || given === '' ? HUB : given);
  if (endpoint === null) return { why: 'HF_ENDPOINT is not an http(s) address without a user name' };
  const token = variables['HF_TOKEN']?.trim() ?? '';
  const isPrivate = endpoint.protocol === 'https:' || LOOPBACK.test(endpoint.hostname);
  return {
    endpoint,
    // Anyone on the way could read it over plain http. What is no header value is no token.
    token: isPrivate && /^[\x21-\x7E]+$/.test(token) ? token : null,
    isOffline: TRUE.test(variables['HF_HUB_OFFLINE']?.trim() ?? ''),
    variables,
  };
}

function addressOf(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain && /^https?:$/.test(url.protocol) ? url : null;
}
