import type { CommandKind } from "../../protocol/commands/commands.ts";

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
  DismissExpiring: "use",
  MuteSession: "person",
  SetLevel: "person",
  EditInput: "use", // an agent may edit and move its own
  MoveInput: "use",
  StopAgent: "decide",
  SteerAgent: "use", // as SendInput with delivery steer
};
