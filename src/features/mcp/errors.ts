import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";
import type { QueryKind } from "../../protocol/kinds.ts";

/** Reasons and texts of the errors of `features/mcp/`. */
export const ERRORS = errorsOf({
  MCPServerSHA256Mismatch:
    "MCP server '<name>' refused to start: the binary at <path> changed. Expected sha256 <expected>, found <actual>. To approve the new binary, run /mcp:approve <name> or edit <profile_path> to update the pin.",
  MCPServerUnavailable:
    "MCP server '<name>' is down after <attempts> restart attempts. Its tools are in degraded state. /mcp:restart <name> to retry, or check <log>. The last time: <why>",
  McpProgramMissing: "MCP server '<name>' cannot be started: <problem>: <cmd> (declared in <path>).",
  McpStartFailed:
    "MCP server '<name>' did not start: <why>. cinch retries; until it runs, calls of its tools fail. /mcp:<name> shows its state.",
  McpStartSlow:
    "The MCP server '<name>' has not started yet. The request to the model waits for its tools, <seconds> s at most.",
  McpStartLate:
    "The MCP server '<name>' did not start within <seconds> s: the model continues without it for now, and can use its tools once it runs. /mcp:<name> shows its state.",
  McpServerStopped:
    "MCP server '<name>' was stopped by a person, and its tools do not run until somebody starts it: /mcp:<name> start.",
  McpServerUnknown: "There is no MCP server '<name>' in this session. <hint>",
  McpServersConflict:
    "Two MCP servers have the name '<name>': in <first> and in <second>. Rename one of them.",
  McpRecordUnusable:
    "The approval record of an MCP server cannot be read or saved: <path>: <problem>. Check the file; without it, the server's tools must be approved again.",
  McpToolsChanged:
    "The MCP server '<name>' has new tools, or has changed tools since they were approved: <tools>. Calls of these need your answer, whatever a rule allows; /mcp:approve <name> accepts them.",
  McpRuleIdle: "The rule <rule> (<path>:<line>) has no effect: <problem>",
  McpLoginNeeded:
    "The MCP server '<name>' requires a login, or refuses the stored one. Log in, as the person at this machine, with: cinch creds login mcp:<name>. The next use tries again.",
  McpLoginFailed:
    "The login at the MCP server '<name>' failed: <why>. Try again: cinch creds login mcp:<name>",
  McpPromptUnusable: "The prompt '<prompt>' of an MCP server cannot be used: <why>.",
  McpScopeMissing:
    "The MCP server '<name>' requires more rights for this than you have granted cinch: <scope>. To grant them: cinch creds login mcp:<name> <scope>; they apply at the next use.",
});

/** Their HTTP statuses and exit codes, where they have one. */
export const REFUSALS: RefusalsOf<typeof ERRORS, QueryKind> = {
  McpServerUnknown: { status: 404 },
  McpServersConflict: { status: 409 },
  McpServerStopped: { status: 409 },
  McpPromptUnusable: { status: 502, queries: ["ExpandMcpPrompt"] },
};
