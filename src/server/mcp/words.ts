/** What the server is called where clients show it. */
export const SERVER_NAME = "cinch";
/** Where cinch's own fields stand among those of MCP: the handshake in the capabilities, ids of events in `_meta`. */
export const OWN_KEY = "harness/v1";

/** What each wire adds to the features of the handshake. */
export const STDIO_FEATURE = "mcpserver_stdio";
export const HTTP_FEATURE = "mcpserver_http";

/** The tool that a person who allows it should know for what it is. */
export const RUN_TOOL = "harness.run_agent_with_shell_access";

/**
 * Told at every attach, to the agent and to whoever reads its log of tool calls ([A] § MCP-server surface).
 */
export const BANNER =
  `${RUN_TOOL} runs an agent that can run shell commands, read and write files and fetch pages on this machine: ` +
  "allowing that tool allows a model to run code here. Clients of this server are agents, and agents answer no permission " +
  "request; a person does, in a client of their own, and what nobody answers in time is denied.";
