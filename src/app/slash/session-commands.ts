import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** The slash commands about sessions. */
export const SESSION_COMMANDS: readonly CommandSpec[] = [
  {
    name: "sessions:list",
    words: "[all]",
    help: "sessions of this directory",
    does: {
      query: "ListSessions",
      fields: {
        past: { from: "value", value: true },
        limit: { from: "value", value: 50 },
        sessionId: { from: "session", unless: ["all", "--all"] },
      },
      shows: { as: "sessions", none: "There are none." },
    },
  },
  {
    name: "sessions:find",
    words: "ID",
    help: "find a session by the start of its id",
    does: {
      query: "FindSession",
      fields: { text: { from: "word", at: 0 }, sessionId: { from: "session" } },
      shows: { as: "text", text: "{session}" },
    },
  },
  {
    name: "sessions:resume",
    words: "ID",
    help: "resume another session; last is the newest",
    does: { by: "client", command: "AttachSession" },
  },
  {
    name: "sessions:attach",
    words: "ID",
    help: "resume the session that a notice names",
    does: { by: "client", command: "AttachSession" },
  },
  {
    name: "sessions:hush",
    words: "ID",
    help: "mute the questions of an agent's session",
    does: {
      command: "MuteSession",
      fields: { sessionId: { from: "find", at: 0 } },
      shows: {
        as: "text",
        text: "Questions of this session are shown only to clients that subscribe to it.",
      },
    },
  },
  {
    name: "sessions:attach-always",
    words: "[ID]",
    help: "always auto-attach sessions of this program",
    does: {
      command: "AnswerAutoAttach",
      fields: { sessionId: { from: "find", at: 0 }, always: { from: "value", value: true } },
    },
  },
  {
    name: "sessions:attach-never",
    words: "[ID]",
    help: "never auto-attach sessions of this program",
    does: {
      command: "AnswerAutoAttach",
      fields: { sessionId: { from: "find", at: 0 }, always: { from: "value", value: false } },
    },
  },
  {
    name: "diff",
    words: "[TURN | PATH]",
    help: "changed lines of this session, a turn or a file",
    does: { by: "client" },
  },
  {
    name: "sessions:diff",
    words: "[TURN | ID]",
    help: "files that a session changed",
    does: { by: "client", command: "RewindSession" },
  },
  {
    name: "sessions:branch",
    words: "[ID] [at TURN|eN]",
    help: "copy a session up to the end of a turn",
    does: { by: "client", command: "BranchSession" },
  },
  {
    name: "sessions:pin",
    words: "[ID]",
    help: "keep a session from expiring",
    does: {
      command: "PinSession",
      fields: { sessionId: { from: "find", at: 0 }, pinned: { from: "value", value: true } },
      shows: { as: "text", text: "{sessionId} is pinned and does not expire." },
    },
  },
  {
    name: "sessions:unpin",
    words: "[ID]",
    help: "let a session expire again",
    does: {
      command: "PinSession",
      fields: { sessionId: { from: "find", at: 0 }, pinned: { from: "value", value: false } },
      shows: { as: "text", text: "{sessionId} is no longer pinned." },
    },
  },
  {
    name: "rename",
    words: "[TITLE]",
    help: "name this session; nothing: by its first words",
    isText: true,
    does: {
      command: "RenameSession",
      fields: { sessionId: { from: "session" }, title: { from: "rest" } },
      shows: { as: "text", text: "Renamed." },
    },
  },
  {
    name: "sessions:archive",
    words: "[ID]",
    help: "leave a session out of the lists; it stays",
    does: {
      command: "ArchiveSession",
      fields: { sessionId: { from: "find", at: 0 }, archived: { from: "value", value: true } },
      shows: { as: "text", text: "{sessionId} is archived." },
    },
  },
  {
    name: "sessions:unarchive",
    words: "[ID]",
    help: "list an archived session again",
    does: {
      command: "ArchiveSession",
      fields: { sessionId: { from: "find", at: 0 }, archived: { from: "value", value: false } },
      shows: { as: "text", text: "{sessionId} is listed again." },
    },
  },
  {
    name: "sessions:export",
    words: "[ID] [--format FORMAT]",
    help: "write a session to a file, as jsonl or markdown",
    does: {
      command: "ExportSession",
      fields: {
        sessionId: { from: "find", at: 0 },
        directoryOf: { from: "session" },
        format: { from: "option", words: ["--format"], same: { md: "markdown" } },
        output: { from: "option", words: ["--output"] },
      },
      shows: { as: "text", text: "Written to {path}" },
    },
  },
  {
    name: "sessions:dismiss",
    help: "hide the warning about sessions that expire soon",
    does: {
      command: "DismissExpiring",
      fields: { sessionId: { from: "session" } },
      shows: { as: "text", text: "Dismissed for {sessions|session}." },
    },
  },
];
