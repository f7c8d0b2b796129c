import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { CommandKind, SessionCommandKind } from "../../protocol/commands/commands.ts";
import { firstIssue } from "../../protocol/first-issue.ts";
import { CallIdSchema, LogIdSchema, SessionIdSchema } from "../../protocol/ids.ts";
import { readCommand } from "../../protocol/read.ts";
import { allowsCommand } from "../../session/access/scope.ts";
import { sessionInfo } from "../hub/queries/session-info.ts";
import type { AgentClient } from "./agent-client.ts";
import { RUN_TOOL } from "./mcp-names.ts";
import { toolRefusal } from "./refusals.ts";
import { factsResult, withBanner } from "./results.ts";
import type { McpToolCall } from "./run-turn.ts";
import { DELIVERIES, RUN_RESULT, runTurnTool } from "./run-turn.ts";

/** Sessions in one list. */
const SESSIONS_MAX = 100;

const sessionId = SessionIdSchema.optional().describe("Absent: the session that this client works with.");
const prompt = z.string().min(1);
const skill = z
  .string()
  .optional()
  .describe("The skill to run it with; the prompts of this server are skills.");

/** The table of [A] § MCP-server surface: every verb that an agent can use. */
const TOOLS: readonly ToolRow[] = [
  tool({
    name: "harness.create_session",
    title: "Create a cinch session",
    description: "Begins a session, or continues the log of one that has ended.",
    input: z.object({
      profile: z.string().optional().describe("Absent: the one that is configured."),
      model: z.string().optional().describe("provider:name"),
      workingDir: z.string().optional().describe("An absolute path."),
      resume: LogIdSchema.optional().describe("The log to continue."),
    }),
    command: "CreateSession",
    run: async (args, { client }) =>
      withBanner(factsResult({ sessionId: await client.create(args) }), client),
  }),
  tool({
    name: "harness.list_sessions",
    title: "List cinch sessions",
    description: "Lists the sessions that this client may see, the newest first.",
    input: z.object({
      past: z.boolean().optional().describe("Those that have ended too."),
      limit: z.int().min(1).max(SESSIONS_MAX).optional(),
    }),
    async run({ past = false, limit = SESSIONS_MAX }, { client, signal }) {
      const asking = { ...client.asking, signal };
      return factsResult({ ...(await client.engine.query({ kind: "ListSessions", past, limit }, asking)) });
    },
  }),
  tool({
    name: "harness.attach_session",
    title: "Attach to a cinch session",
    description: "Attaches to a session; one that has ended continues as a new run of its log.",
    input: z.object({ sessionId: SessionIdSchema }),
    command: "AttachSession",
    async run(args, { client, signal }) {
      const run = await client.attachTo(args.sessionId);
      const { last_events: _events, ...info } = await sessionInfo(client.engine, run, {
        ...client.asking,
        signal,
      });
      return withBanner(factsResult(info), client);
    },
  }),
  command("harness.detach_session", "DetachSession", {
    title: "Detach from a cinch session",
    description: "Detaches from a session. What runs in it continues.",
    input: z.object({ sessionId }),
  }),
  tool({
    name: RUN_TOOL,
    title: "Run an agent with shell access",
    description:
      "Sends a prompt to the inner agent, which can run shell commands, read and write files and fetch pages on this " +
      'machine. wait "turn" (default) answers when the turn has ended, with the last message and {cost, turns, ' +
      'tools_used}; wait "none" answers at once, and the resource harness-v1://session/{id}/events tells what happens. ' +
      "Allowing this tool allows a model to run code here.",
    input: z.object({
      prompt,
      sessionId,
      wait: z.enum(["turn", "none"]).optional(),
      skill,
      delivery: z
        .enum(DELIVERIES)
        .optional()
        .describe("What becomes of it while a turn runs. Absent: reject."),
    }),
    output: RUN_RESULT,
    command: "SendInput",
    isDestructive: true,
    run: runTurnTool,
  }),
  tool({
    name: "harness.wait_for_turn",
    title: "Send input and wait for the turn",
    description: `As ${RUN_TOOL} with wait "turn": sends input and answers when its turn has ended. It runs the same agent, with the same shell access.`,
    input: z.object({ prompt, sessionId, skill }),
    output: RUN_RESULT,
    command: "SendInput",
    isDestructive: true,
    run: async (args, call) => await runTurnTool({ ...args, wait: "turn" }, call),
  }),
  command("harness.cancel_turn", "CancelTurn", {
    title: "Cancel the turn",
    description: "Stops the turn that runs in a session.",
    input: z.object({ sessionId }),
  }),
  command("harness.answer_permission", "AnswerPermission", {
    title: "Answer a permission request",
    description:
      "Answers a PermissionRequested event. Refused for clients of this server: they are agents, and only people approve.",
    input: z.object({
      sessionId,
      callId: CallIdSchema,
      decision: z.enum(["allow", "deny"]),
      scope: z.enum(["once", "argv_glob", "tool"]).optional(),
    }),
  }),
  command("harness.set_model", "SetModel", {
    title: "Set the model",
    description: "Switches a session to another model.",
    input: z.object({ sessionId, model: z.string().describe("provider:name") }),
  }),
  command("harness.enter_plan_mode", "EnterPlanMode", {
    title: "Enter plan mode",
    description: "The inner agent plans and changes nothing.",
    input: z.object({ sessionId }),
  }),
  command("harness.exit_plan_mode", "ExitPlanMode", {
    title: "Leave plan mode",
    description: "Leaves plan mode.",
    input: z.object({ sessionId, approve: z.boolean().describe("Whether the plan was approved.") }),
  }),
  command("harness.end_session", "EndSession", {
    title: "End a session",
    description: "Ends a running session. Its log stays, and the session can be resumed.",
    input: z.object({ sessionId }),
  }),
];

/** Lists the tools that a client may call (AUTH-07), for `tools/list`. */
export function listTools({ engine, scope }: AgentClient): Tool[] {
  return TOOLS.filter(({ command: kind }) => kind === undefined || allowsCommand(scope, kind)).map((row) => ({
    name: row.name,
    title: row.title,
    description: isServed(row, engine.served.commands)
      ? row.description
      : `${row.description} Not served by this engine.`,
    inputSchema: schemaOf(row.input),
    ...(row.output === undefined ? {} : { outputSchema: schemaOf(row.output) }),
    annotations: {
      title: row.title,
      readOnlyHint: row.command === undefined,
      destructiveHint: row.isDestructive === true,
      openWorldHint: row.isDestructive === true,
    },
  }));
}

/** Calls a tool; undefined if none has this name. A refusal is a result too, as a text to be shown. */
export async function callMcpTool(
  name: string,
  args: unknown,
  call: McpToolCall,
): Promise<CallToolResult | undefined> {
  return await TOOLS.find((row) => row.name === name)?.call(args, call);
}

/** A tool of the server: its name, its input, and the command that it stands for. */
interface ToolRow {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output?: z.ZodObject;
  /** Absent: it only reads. */
  readonly command?: CommandKind;
  /** True if the model can do lasting harm with it. */
  readonly isDestructive?: boolean;
  call(args: unknown, call: McpToolCall): Promise<CallToolResult>;
}

type ToolSpec<Input extends z.ZodObject> = Omit<ToolRow, "input" | "call"> & {
  readonly input: Input;
  run(args: z.infer<Input>, call: McpToolCall): Promise<CallToolResult>;
};

function tool<Input extends z.ZodObject>({ run, ...row }: ToolSpec<Input>): ToolRow {
  return {
    ...row,
    async call(args, call) {
      const parsed = row.input.safeParse(args ?? {});
      if (parsed.success) return await run(parsed.data, call);
      const why = firstIssue(parsed.error);
      return toolRefusal(new HarnessError("InvalidCommand", { kind: row.name, why }));
    },
  };
}

/** Returns a tool that is one command of one session. */
function command<Input extends z.ZodObject>(
  name: string,
  kind: SessionCommandKind,
  spec: Pick<ToolSpec<Input>, "title" | "description" | "input">,
): ToolRow {
  return tool({
    ...spec,
    name,
    command: kind,
    async run(args, { client }) {
      const { sessionId: named, ...fields }: { readonly sessionId?: unknown } = args;
      const id = client.existing(typeof named === "string" ? named : undefined);
      client.assertMayDecide(kind, id);
      const read = readCommand({ ...fields, kind, sessionId: id });
      const { result } = await (await client.connection()).send(read);
      return factsResult({ sessionId: id, ...defined({ result }) });
    },
  });
}

function isServed({ command: kind }: ToolRow, served: readonly CommandKind[]): boolean {
  return kind === undefined || served.includes(kind);
}

const SCHEMAS = new WeakMap<z.ZodObject, Tool["inputSchema"]>();

/** Returns the JSON schema of an input, made once for all clients. */
function schemaOf(schema: z.ZodObject): Tool["inputSchema"] {
  const known = SCHEMAS.get(schema);
  if (known !== undefined) return known;
  const made = jsonSchemaOf(schema);
  SCHEMAS.set(schema, made);
  return made;
}

function jsonSchemaOf(schema: z.ZodObject): Tool["inputSchema"] {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return { ...rest, type: "object" } as Tool["inputSchema"];
}
