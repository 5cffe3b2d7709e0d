/** `headroom mcp [FOLDER…]`: a Model Context Protocol server on stdin and stdout. Loaded only then: it is large. */
export async function mcp(folders: readonly string[]): Promise<void> {
  const { serve } = await import('../mcp/server');
  await serve(folders);
}
