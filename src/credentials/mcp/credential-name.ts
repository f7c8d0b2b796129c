/** Returns the name of a server's login in the credential store. */
export function credentialName(server: string): string {
  return `mcp:${server}`;
}

/** Returns true if a stored name belongs to an MCP server, not to a model provider. */
export function isCredentialName(name: string): boolean {
  return name.startsWith("mcp:");
}
