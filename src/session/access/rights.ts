import { HarnessError } from "../../base/errors.ts";
import type { CommandKind } from "../../protocol/commands/commands.ts";
import type { AttachRequest, ClientWire } from "./attach-request.ts";

/**
 * Clients that may send a command of a kind, besides the scope of their token (AUTH-07).
 *
 * `use`: every client that reaches the session. `decide`: people, and agents in a session that an agent opened or that
 * their token names. An agent that reaches every session may not end, change or stop work of a person. `person`: people
 * only (hard rule 11).
 */
export type Right = "use" | "decide" | "person";

/** The right that each command needs. A new kind of command is a line here, and one in `test/rights.test.ts`. */
export const RIGHTS: Readonly<Record<CommandKind, Right>> = {
  SendInput: "use",
  CancelTurn: "decide", // an agent may cancel the turn that it started itself
  AnswerPermission: "person",
  CreateSession: "use",
  AttachSession: "use",
  DetachSession: "use",
  SetModel: "decide",
  EnterPlanMode: "use", // it only takes away
  ExitPlanMode: "person",
  CustomCommand: "use", // each namespace checks the caller
  EndSession: "decide",
  BranchSession: "use",
  PinSession: "decide",
  CompactSession: "decide",
  RewindSession: "person",
  WithdrawInput: "use", // an agent may withdraw its own
  RevokeRule: "decide",
  PromoteRule: "person",
  SwitchProfile: "person",
  ReloadSkills: "person",
  ManageMcp: "use", // an agent may list, and restart a server that no other session uses
  StopTask: "decide",
  Answer: "person",
  ExportSession: "person", // it writes a file to any path that the caller names
  DismissExpiring: "person", // it ends the warning before content expires
  MuteSession: "person",
  AskAutoAttach: "person",
  AnswerAutoAttach: "person", // it decides about later sessions, in the person's configuration
  RenameSession: "decide",
  ArchiveSession: "decide",
  DeleteSession: "person",
  MarkRead: "decide", // it would hide from a person what happened
  SetDraft: "person", // a person sends it as their own words
  SetLevel: "person",
  EditInput: "use", // an agent may edit and move its own
  MoveInput: "use",
  RunShell: "person", // it runs with the rights of the session, without its model
  StopShell: "person",
  StopAgent: "decide",
  SteerAgent: "use", // as SendInput with delivery steer
  StoreProviderKey: "person", // and only as ON_THIS_MACHINE says
};

/**
 * Commands with a secret, which no network listener may carry, besides the right that `RIGHTS` names. The remedy is
 * another way to the same end.
 *
 * The transport sets the `wire` of a client: a listener by `ServedConnection.over`, for each request and each socket
 * that it accepts. So a client that uses two listeners has the rights of each there alone. Only `OpenEngine.attach` and
 * the line client with an engine of its own say `process`. No client can set it.
 */
const ON_THIS_MACHINE: { readonly [Kind in CommandKind]?: string } = {
  StoreProviderKey:
    "Run cinch creds add there and start the engine again, or send it over the engine's Unix socket.",
};

const WIRES_OF_THIS_MACHINE: ReadonlySet<ClientWire> = new Set(["process", "unix"]);

/**
 * Refuses a command with a secret from a client that came over the network, or in a way that is not known.
 * @throws HarnessError NotOnThisMachine.
 */
export function assertNearby(kind: CommandKind, { wire }: Pick<AttachRequest, "wire">): void {
  const remedy = ON_THIS_MACHINE[kind];
  if (remedy === undefined || (wire !== undefined && WIRES_OF_THIS_MACHINE.has(wire))) return;
  throw new HarnessError("NotOnThisMachine", {
    kind,
    wire: wire === undefined ? "unknown" : WIRE_TEXTS[wire],
    remedy,
  });
}

const WIRE_TEXTS: Readonly<Record<ClientWire, string>> = {
  process: "the engine's process",
  unix: "the Unix socket",
  loopback: "a port of this machine",
  lan: "a port of the network",
  stdio: "a program's standard streams",
};
