import type { ToolEffect } from "../../../tools/tool-facts.ts";

/** One kind of sub-agent: what its file says, or what is built in (ENG-10, RUN-03). */
export interface AgentDefinition {
  /** Small letters, digits and `-`: what it is called by. */
  readonly name: string;
  /** One line: when to use it. The model chooses by it. */
  readonly description: string;
  readonly scope: "builtin" | "user" | "project";
  /** The file it stands in; absent for what is built in. */
  readonly path?: string;
  /** `provider:name`, or a name that one provider has. Absent: the model of the session. */
  readonly model?: string;
  /** What it may call. Absent: everything that its parent may. It is never more than that. */
  readonly tools?: readonly ToolGrant[];
  /** What it may not call. */
  readonly disallowedTools: readonly string[];
  /** Skills that it is told to use. */
  readonly skills: readonly string[];
  /** Provider calls at most; absent: as `[agents]` says. */
  readonly roundsMax?: number;
  /** Whether it works in a git worktree of its own. */
  readonly worktree: boolean;
  /** Its instructions: all of the file behind its head. */
  readonly prompt: string;
}

/** One tool that a definition grants. A `*` in the name stands for any characters. */
export interface ToolGrant {
  readonly name: string;
  /** Effect of the tool; absent for a pattern, and for tools of servers and plugins. */
  readonly about?: ToolEffect;
  /** Programs of a tool that runs commands, or kinds of a tool that starts agents. Absent: any. */
  readonly only?: readonly string[];
}

/** What there is without any file. */
export const GENERAL: AgentDefinition = {
  name: "general",
  description: "does one task with all tools of the session",
  scope: "builtin",
  disallowedTools: [],
  skills: [],
  worktree: false,
  prompt: "",
};
