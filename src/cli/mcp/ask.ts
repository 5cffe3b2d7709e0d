import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

/** The user's answer, or why there was none. */
type Agreed = { readonly yes: true } | { readonly yes: false; readonly why: string };

export type Ask = (question: string) => Promise<Agreed>;

const CANNOT_ASK =
  'This client cannot ask the user. Show the change, and let them run headroom in a terminal.';
const DECLINED = 'The user declined. Nothing was changed.';

/** Asks through the client (elicitation). A client without it never agrees. */
export function askThrough({ server }: McpServer): Ask {
  return async question => {
    if (server.getClientCapabilities()?.elicitation === undefined) return { yes: false, why: CANNOT_ASK };
    const { action } = await server.elicitInput({
      message: question,
      requestedSchema: { type: 'object', properties: {} },
    });
    return action === 'accept' ? { yes: true } : { yes: false, why: DECLINED };
  };
}
