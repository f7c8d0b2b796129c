import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `features/mcp/`, with their texts for people. */
export const ERRORS = errorsOf({
  MCPServerSHA256Mismatch:
    "MCP server '<name>' refused to start: the binary at <path> changed. Expected sha256 <expected>, found <actual>. To approve the new binary, run /mcp:approve <name> or edit <profile_path> to update the pin.",
  MCPServerUnavailable:
    "MCP server '<name>' is down after <attempts> restart attempts. Its tools are in degraded state. /mcp:restart <name> to retry, or check <log>. The last time: <why>",
  McpProgramMissing: "MCP server '<name>' cannot be started: <problem>: <cmd> (declared in <path>).",
  McpStartFailed:
    "MCP server '<name>' did not start: <why>. It is tried again; until it runs, calls of its tools fail. /mcp:<name> tells how it is.",
  McpStartSlow:
    "The MCP server '<name>' has not started yet. The request to the model waits for its tools, <seconds> s at most.",
  McpStartLate:
    "The MCP server '<name>' did not start within <seconds> s: the model goes on without it for now, and can use its tools once it runs. /mcp:<name> tells how it is.",
  McpServerUnknown: "There is no MCP server '<name>' in this session. <hint>",
  McpServersConflict:
    "Two MCP servers have the name '<name>': in <first> and in <second>. Rename one of them.",
  McpRecordUnusable:
    "What was approved of an MCP server cannot be kept or read: <path>: <problem>. Look at the file; without it, the server's tools are approved anew.",
  McpToolsChanged:
    "The MCP server '<name>' has new tools, or says something else of them than when they were approved: <tools>. Calls of these ask you anew, whatever a rule allows; /mcp:approve <name> accepts them.",
  McpRuleIdle: "The rule <rule> (<path>:<line>) holds nothing back: <problem>",
  McpLoginNeeded:
    "The MCP server '<name>' lets nobody in without a login, or no longer takes the one that is stored. Log in, as the person at this machine, with: cinch creds login mcp:<name>; it is tried again when it is used next.",
  McpLoginFailed:
    "The login at the MCP server '<name>' failed: <why>. Try again: cinch creds login mcp:<name>",
  McpPromptUnusable: "The prompt '<prompt>' of an MCP server cannot be used: <why>.",
  McpScopeMissing:
    "The MCP server '<name>' wants more rights for this than you have given cinch: <scope>. To give them: cinch creds login mcp:<name> <scope>; they count when it is used next.",
});
