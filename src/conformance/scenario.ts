import type { Stage } from "./stage.ts";
import type { WireName } from "./wires/wire.ts";

/** Something that a server promises, and what is done to see whether it keeps it. */
export interface Scenario {
  /** A name for reports and for choosing, in kebab-case. */
  readonly id: string;
  /** What holds, in one sentence. */
  readonly promise: string;
  /** Section of the documents that promises it: of [A] or [B] in docs/requirements.md, or of a page of ours. */
  readonly section: string;
  /** The ways to reach a server that it is walked over. */
  readonly wires: readonly WireName[];
  /** The version of the protocol that promised it first; absent: 0.1.0. An older server is not asked for it. */
  readonly since?: string;
  /** Features that a server has to name in its handshake to be asked for it. */
  readonly features?: readonly string[];
  /** Kinds of command and event, likewise. */
  readonly kinds?: readonly string[];
  /** It waits for a time limit of the server's: it is begun first, and the others are walked meanwhile. */
  readonly isSlow?: true;
  /** @throws Mismatch, Refused, Skipped. */
  readonly play: (stage: Stage) => Promise<void>;
}

/** Every way on which commands and events go both ways. */
export const EVERY: readonly WireName[] = ["inproc", "rest", "ws"];
/** The Model Context Protocol, in both of its eras: its clients are agents. */
export const MCP: readonly WireName[] = ["mcp", "mcp-2026-07-28"];
/** Every way, agents' too. */
export const AGENTS_TOO: readonly WireName[] = [...EVERY, ...MCP];
/** Those with addresses, headers and tokens. */
export const HTTP: readonly WireName[] = ["rest", "ws"];
