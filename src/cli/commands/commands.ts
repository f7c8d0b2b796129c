import { FEATURES } from "../../app/features.ts";
import type { AnyCommand } from "../args/parsed-call.ts";
import { ackCommand } from "./ack/command.ts";
import { acpCommand } from "./acp/command.ts";
import { BARE } from "./bare.ts";
import { conformanceCommand } from "./conformance/command.ts";
import { credsCommand } from "./creds/command.ts";
import { debugCommand } from "./debug/command.ts";
import { demoCommand } from "./demo/command.ts";
import { doctorCommand } from "./doctor/command.ts";
import { mcpCommand } from "./mcp/command.ts";
import { modelsCommand } from "./models/command.ts";
import { permissionsCommand } from "./permissions/command.ts";
import { profileCommand } from "./profile/command.ts";
import { serveCommand } from "./serve/command.ts";
import { sessionsCommand } from "./sessions/command.ts";
import { tokenCommand } from "./token/command.ts";
import { verifyAckCommand } from "./verify-ack/command.ts";

const OWN: readonly AnyCommand[] = [
  ackCommand,
  acpCommand,
  conformanceCommand,
  credsCommand,
  debugCommand,
  demoCommand,
  doctorCommand,
  mcpCommand,
  modelsCommand,
  permissionsCommand,
  profileCommand,
  serveCommand,
  sessionsCommand,
  tokenCommand,
  verifyAckCommand,
];

/** Every command: those without a name, then the program's own and those of features by name. */
export const COMMANDS: readonly AnyCommand[] = [
  ...BARE,
  ...[...OWN, ...FEATURES.flatMap(({ cli }) => cli ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1)),
];
