import { memoryCommand } from "../../features/memory/cli/command.ts";
import { pluginsCommand } from "../../features/plugins/cli/command.ts";
import { skillsCommand } from "../../features/skills/cli/command.ts";
import { agentsCommand } from "../../features/subagents/cli/command.ts";
import { tasksCommand } from "../../features/tasks/cli/command.ts";
import type { AnyCommand } from "../args/call.ts";
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

/** Every command. To add one, make its folder and name it here; the rest is derived. */
export const COMMANDS: readonly AnyCommand[] = [
  ...BARE,
  ackCommand,
  acpCommand,
  agentsCommand,
  conformanceCommand,
  credsCommand,
  debugCommand,
  demoCommand,
  doctorCommand,
  mcpCommand,
  memoryCommand,
  modelsCommand,
  permissionsCommand,
  pluginsCommand,
  profileCommand,
  serveCommand,
  sessionsCommand,
  skillsCommand,
  tasksCommand,
  tokenCommand,
  verifyAckCommand,
];
