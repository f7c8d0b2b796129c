import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** The slash commands about sessions. */
export const SESSION_COMMANDS: readonly CommandSpec[] = [
  {
    name: "sessions:list",
    words: "[all]",
    help: "the sessions of this directory",
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
    help: "find a session by the beginning of its id",
    does: {
      query: "FindSession",
      fields: { text: { from: "word", at: 0 }, sessionId: { from: "session" } },
      shows: { as: "text", text: "{session}" },
    },
  },
  {
    name: "sessions:resume",
    words: "ID",
    help: "go on with another one; last is the newest",
    does: { by: "client", command: "AttachSession" },
  },
  {
    name: "sessions:attach",
    words: "ID",
    help: "the same, as notices of agents' sessions say it",
    does: { by: "client", command: "AttachSession" },
  },
  {
    name: "sessions:hush",
    words: "ID",
    help: "tell no more what an agent's session asks for",
    does: {
      command: "MuteSession",
      fields: { sessionId: { from: "find", at: 0 } },
      shows: { as: "text", text: "What this session asks for is shown to those who follow it." },
    },
  },
  {
    name: "sessions:diff",
    words: "[TURN | ID]",
    help: "the files that a session has changed",
    does: { by: "client", command: "RewindSession" },
  },
  {
    name: "sessions:branch",
    words: "[ID] [at TURN|eN]",
    help: "make a new one, up to the end of a turn",
    does: { by: "client", command: "BranchSession" },
  },
  {
    name: "sessions:pin",
    words: "[ID]",
    help: "keep one from expiring",
    does: {
      command: "PinSession",
      fields: { sessionId: { from: "find", at: 0 }, pinned: { from: "value", value: true } },
      shows: { as: "text", text: "{sessionId} is pinned: it is kept." },
    },
  },
  {
    name: "sessions:unpin",
    words: "[ID]",
    help: "let it expire again",
    does: {
      command: "PinSession",
      fields: { sessionId: { from: "find", at: 0 }, pinned: { from: "value", value: false } },
      shows: { as: "text", text: "{sessionId} is no longer pinned." },
    },
  },
  {
    name: "sessions:export",
    words: "[ID] [--format FORMAT]",
    help: "write one to a file, as jsonl or markdown",
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
    help: "say no more that these sessions expire soon",
    does: {
      command: "DismissExpiring",
      fields: { sessionId: { from: "session" } },
      shows: { as: "text", text: "Dismissed for {sessions|session}." },
    },
  },
];
