import type { ToolEffect } from "../../../tools/tool-facts.ts";

/** One kind of sub-agent, defined by a file or built in (ENG-10, RUN-03). */
export interface AgentDefinition {
  /** Its unique name, of lower-case letters, digits and `-`. */
  readonly name: string;
  /** One line that says when to use it. The model chooses by it. */
  readonly description: string;
  readonly scope: "builtin" | "user" | "project";
  /** The defining file; omitted for the built-in kind. */
  readonly path?: string;
  /** `provider:name`, or a name that only one provider has. Default: the model of the session. */
  readonly model?: string;
  /** The tools it may call, at most those of its parent. Default: all of these. */
  readonly tools?: readonly ToolGrant[];
  /** The tools it may not call. */
  readonly disallowedTools: readonly string[];
  /** Skills that its prompt tells it to use. */
  readonly skills: readonly string[];
  /** The most provider calls. Default: the limit in `[agents]`. */
  readonly roundsMax?: number;
  /** True if it works in a git worktree of its own. */
  readonly worktree: boolean;
  /** Its instructions: the file's text after the head. */
  readonly prompt: string;
}

/** A tool that a definition grants. `*` in the name stands for any characters. */
export interface ToolGrant {
  readonly name: string;
  /** Effect of the tool; omitted for a pattern, and for tools of servers and plugins. */
  readonly about?: ToolEffect;
  /** The allowed programs of a tool that runs commands, or kinds of a tool that starts agents. Default: any. */
  readonly only?: readonly string[];
}

/** The built-in kind. */
export const GENERAL_AGENT: AgentDefinition = {
  name: "general",
  description: "does one task with all tools of the session",
  scope: "builtin",
  disallowedTools: [],
  skills: [],
  worktree: false,
  prompt: "",
};
