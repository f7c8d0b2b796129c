/** One input of each tool that can be planned in a workspace with a file `a.txt`. */
export const TOOL_INPUTS: Readonly<Record<string, object>> = {
  Read: { file_path: "a.txt" },
  Write: { file_path: "a.txt", content: "x" },
  Edit: { file_path: "a.txt", old_string: "a", new_string: "b" },
  MultiEdit: { file_path: "a.txt", edits: [{ old_string: "a", new_string: "b" }] },
  Ls: { path: "." },
  Glob: { pattern: "*", path: "." },
  Grep: { pattern: "a", path: "." },
  Bash: { command: "ls" },
  BashTask: { id: "run_1", action: "poll" },
  WebFetch: { url: "https://nothing.invalid/" },
  TodoWrite: { todos: [{ content: "x", status: "pending" }] },
  EnterPlanMode: {},
  ExitPlanMode: { plan: "one step" },
  ScheduleTask: { name: "nightly", prompt: "look", every: "1d" },
  Agent: { prompt: "look" },
  Delegate: { prompt: "look" },
  MemoryRead: {},
  MemoryWrite: { name: "a", type: "project", description: "d", content: "c" },
  Skill: { name: "code-review" },
  SkillWrite: {
    name: "one-skill",
    content: "---\nname: one-skill\ndescription: What it is for, and when to use it.\n---\nDo it.\n",
  },
  ListMcpResources: {},
  ReadMcpResource: { server: "every", uri: "demo://x" },
};

/** Tools whose plan looks for something that is not there: a memory. */
export const UNPLANNED_TOOLS = ["MemoryForget"];
