import type { ScenarioStage } from "./stage.ts";
import type { TransportName } from "./transports/transport.ts";

/** A promise of the protocol and the steps that check it. */
export interface Scenario {
  /** Name for reports and `--only`, in kebab-case. */
  readonly id: string;
  /** The promise in one sentence. */
  readonly promise: string;
  /** Section that promises it: of [A] or [B] in docs/requirements.md, or of a page in docs/. */
  readonly section: string;
  /** Transports that it runs over. */
  readonly wires: readonly TransportName[];
  /** First protocol version with this promise; older servers skip it. Default: 0.1.0. */
  readonly since?: string;
  /** Features that the server's handshake must list, else the scenario is skipped. */
  readonly features?: readonly string[];
  /** Kinds of command and event that the handshake must list. */
  readonly kinds?: readonly string[];
  /** Set if it waits for a time limit of the server: it starts first and runs beside the others. */
  readonly isSlow?: true;
  /** @throws Mismatch, Refused, Skipped. */
  readonly play: (stage: ScenarioStage) => Promise<void>;
}

/** Transports that carry commands and events both ways. */
export const EVERY: readonly TransportName[] = ["inproc", "rest", "ws"];
/** Both eras of the Model Context Protocol, whose clients are agents. */
export const MCP: readonly TransportName[] = ["mcp", "mcp-2026-07-28"];
/** All transports, including those of agents. */
export const AGENTS_TOO: readonly TransportName[] = [...EVERY, ...MCP];
/** Transports with addresses, headers and tokens. */
export const HTTP: readonly TransportName[] = ["rest", "ws"];
