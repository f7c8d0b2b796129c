/** Name of the server as clients show it. */
export const SERVER_NAME = "cinch";
/** Key of cinch's own fields among those of MCP: the handshake in the capabilities, ids of events in `_meta`. */
export const OWN_KEY = "harness/v1";

/** Feature that each transport adds to the handshake. */
export const STDIO_FEATURE = "mcpserver_stdio";
export const HTTP_FEATURE = "mcpserver_http";

/** Name of the tool that a person should recognise as dangerous before allowing it. */
export const RUN_TOOL = "harness.run_agent_with_shell_access";

/** Sent at every attach, for the agent and for readers of its log of tool calls ([A] § MCP-server surface). */
export const BANNER =
  `${RUN_TOOL} runs an agent that can run shell commands, read and write files and fetch pages on this machine: ` +
  "allowing that tool allows a model to run code here. Clients of this server are agents, and agents answer no permission " +
  "request; a person does, in a client of their own, and what nobody answers in time is denied.";
