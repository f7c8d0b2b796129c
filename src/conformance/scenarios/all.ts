import type { Scenario } from "../scenario.ts";
import { CLIENT_SCENARIOS } from "./clients.ts";
import { COMMAND_SCENARIOS } from "./commands.ts";
import { FRAME_SCENARIOS } from "./frames.ts";
import { HANDSHAKE_SCENARIOS } from "./handshake.ts";
import { HTTP_SCENARIOS } from "./http.ts";
import { MCP_SCENARIOS } from "./mcp.ts";
import { PERMISSION_SCENARIOS } from "./permission.ts";
import { ALIKE_SCENARIOS } from "./queries/alike.ts";
import { COMPLETION_SCENARIOS } from "./queries/completion.ts";
import { REST_SCENARIOS } from "./rest.ts";
import { ASKED_SCENARIOS } from "./sessions/asked.ts";
import { ATTACHED_SCENARIOS } from "./sessions/attached.ts";
import { CHANGED_SCENARIOS } from "./sessions/changed.ts";
import { KEPT_SCENARIOS } from "./sessions/kept.ts";
import { LISTED_SCENARIOS } from "./sessions/listed.ts";
import { STREAM_SCENARIOS } from "./streams.ts";
import { TOKEN_SCENARIOS } from "./tokens.ts";
import { TURN_SCENARIOS } from "./turns.ts";

/** All scenarios, in the order in which they run and are reported. */
export const SCENARIOS: readonly Scenario[] = [
  ...HANDSHAKE_SCENARIOS,
  ...TURN_SCENARIOS,
  ...PERMISSION_SCENARIOS,
  ...CLIENT_SCENARIOS,
  ...COMMAND_SCENARIOS,
  ...TOKEN_SCENARIOS,
  ...HTTP_SCENARIOS,
  ...REST_SCENARIOS,
  ...ATTACHED_SCENARIOS,
  ...COMPLETION_SCENARIOS,
  ...LISTED_SCENARIOS,
  ...KEPT_SCENARIOS,
  ...CHANGED_SCENARIOS,
  ...ASKED_SCENARIOS,
  ...STREAM_SCENARIOS,
  ...FRAME_SCENARIOS,
  ...ALIKE_SCENARIOS,
  ...MCP_SCENARIOS,
];
