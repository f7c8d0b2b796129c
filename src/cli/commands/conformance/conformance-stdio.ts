import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { childEnvironment } from "../../../base/child-environment.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { codeOf } from "../../../base/world.ts";
import { Mismatch } from "../../../conformance/mismatch.ts";
import type { OpenTransport } from "../../../conformance/transports/mcp-transport.ts";
import { withoutSchemaIssues } from "../../../conformance/transports/schema-words.ts";
import { Refused } from "../../../conformance/transports/transport.ts";
import { hasTerminal } from "../../io/terminal/controlling-terminal.ts";

const INITIALIZE_MS_MAX = 60_000;
/** At a terminal the program may ask a person first. `cinch mcp` waits 5 minutes for each of its two questions. */
const INITIALIZE_ASKING_MS_MAX = 660_000;

/** Returns the time limit for the answer to the first `initialize`. */
export function initializeMsMax(isAtTerminal = hasTerminal()): number {
  return isAtTerminal ? INITIALIZE_ASKING_MS_MAX : INITIALIZE_MS_MAX;
}

/**
 * Starts a server of the Model Context Protocol, one process for each client.
 *
 * It gets the environment of every child, and the token as CINCH_TOKEN ([A] § MCP-server surface). Its standard error
 * is shown.
 */
export function mcpOverStdio(
  [command, ...args]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string | undefined>>,
): OpenTransport {
  return async (token) => {
    const env = { ...childEnvironment(environment), CINCH_TOKEN: token };
    return new StdioClientTransport({ command, args: [...args], env, stderr: "inherit" });
  };
}

/**
 * Returns what to report if a program could not be talked to: UsageInvalid if it does not exist, else TargetUnusable.
 */
export function unusableTarget(argv: readonly [string, ...string[]], thrown: unknown): HarnessError {
  const [program] = argv;
  if (codeOf(thrown) === "ENOENT") {
    const problem = `--against stdio://${argv.join(" ")}: there is no program ${program}`;
    return new HarnessError("UsageInvalid", { problem }, { cause: thrown });
  }
  return new HarnessError("TargetUnusable", { program, detail: detailOf(thrown) }, { cause: thrown });
}

function detailOf(thrown: unknown): string {
  if (thrown instanceof Refused) {
    const { reason, message } = thrown.refusal;
    return `it refused initialize: ${message}${reason === "" ? "" : ` (${reason})`}`;
  }
  if (thrown instanceof Mismatch)
    return `expected in ${thrown.message}: ${thrown.expected}; got ${thrown.got}`;
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout)
    return "it did not answer initialize in time";
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.ConnectionClosed)
    return "it closed its output before it answered initialize";
  return withoutSchemaIssues(messageOf(thrown));
}
