import type { CommandKind } from "../../protocol/commands/commands.ts";

/**
 * Who may send a command of a kind, beside what the scope of a token says (AUTH-07).
 *
 * `use`: every client that reaches the session.
 * `decide`: people, and agents in a session that an agent has begun or that their token names. An agent that reaches every
 * session may not end, change or stop what a person works with.
 * `person`: people only (hard rule 11).
 */
export type Right = "use" | "decide" | "person";

/** The right that each command needs. A new kind of command is a line here, and one in `test/rights.test.ts`. */
export const RIGHTS: Readonly<Record<CommandKind, Right>> = {
  SendInput: "use",
  CancelTurn: "decide", // an agent may cancel the turn that it began itself
  AnswerPermission: "person",
  CreateSession: "use",
  AttachSession: "use",
  DetachSession: "use",
  SetModel: "decide",
  EnterPlanMode: "use", // it only takes away
  ExitPlanMode: "person",
  CustomCommand: "use", // each namespace looks at who asks
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
  ManageMcp: "use", // an agent may look, and restart a server that no other session uses
  StopTask: "decide",
  Answer: "person",
  ExportSession: "person", // it writes a file wherever it is told to
  DismissExpiring: "use",
  MuteSession: "person",
};
