import type { CallToolResult } from "@modelcontextprotocol/server";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { asRefusal, errorBody } from "../http/answers.ts";

/** JSON-RPC's range for errors of a server's own. */
const SERVER_ERROR = -32_000;
export const INVALID_REQUEST = -32_600;
export const INVALID_PARAMS = -32_602;
export const PARSE_ERROR = -32_700;

const MISSING: readonly string[] = ["UnknownResource", "UnknownSession", "UnknownProvider", "ProfileMissing"];

/** A JSON-RPC error. A thrown error with a code and data is answered with them. */
export class RpcRefusal extends Error {
  override readonly name = "RpcRefusal";
  readonly code: number;
  readonly data?: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}

/**
 * Returns the refusal of a request that is no tool call: its reason and fields stand in `data`. That of a missing
 * resource has only the address, by which MCP's clients know it.
 */
export function rpcRefusal(thrown: unknown, uri?: string): RpcRefusal {
  if (thrown instanceof RpcRefusal) return thrown;
  const error = asRefusal(thrown);
  if (isInvalidParams(error)) return new RpcRefusal(INVALID_PARAMS, error.message, errorBody(error));
  if (!MISSING.includes(error.reason)) return new RpcRefusal(SERVER_ERROR, error.message, errorBody(error));
  const data = uri === undefined ? errorBody(error) : { uri };
  return new RpcRefusal(INVALID_PARAMS, error.message, data);
}

/**
 * Returns true if the parameters of a request are at fault: a tool call is then refused as a request, not as a result.
 */
export function isInvalidParams(thrown: unknown): boolean {
  return thrown instanceof HarnessError && thrown.reason === "InvalidPath";
}

/**
 * Returns the refusal of a tool call: a text that clients show and models read, with the reason for programs beside it.
 */
export function toolRefusal(thrown: unknown): CallToolResult {
  const body = errorBody(asRefusal(thrown));
  return {
    content: [{ type: "text", text: `${body.message} (${body.reason})` }],
    isError: true,
    _meta: { ...body },
  };
}

/** Logs a failure without a reason, which is not sent to the client. */
export function logFailure(log: Log, thrown: unknown): void {
  const mcpLog = log.for("control.mcp");
  if (thrown instanceof HarnessError)
    mcpLog.write("debug", "a request was refused", { reason: thrown.reason });
  else mcpLog.write("error", "a request failed", { what: messageOf(thrown) });
}
