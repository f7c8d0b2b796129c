import type { JsonObject } from "../../base/json.ts";
import { arrayAt, isObject, parseJson, stringAt } from "../../base/json.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../check.ts";
import type { Scenario } from "../scenario.ts";
import { MCP } from "../scenario.ts";
import { answerCommand, idOf, inputCommand, newestTurn, promptTurn, requestPermission } from "../stage.ts";
import type { McpClient } from "../transports/mcp-transport.ts";
import { Refused } from "../transports/transport.ts";

/** Promises of [A] § MCP-server surface beyond those of every transport. */
export const MCP_SCENARIOS: readonly Scenario[] = [
  {
    id: "mcp-tools",
    section: "[A] § MCP-server surface",
    promise: "Every tool of [A] § MCP-server surface is listed under its name there.",
    wires: MCP,
    async play(stage) {
      const client = await stage.attachMcp();
      const names = await client.tools();
      assertSame(
        "tools that are not listed",
        TOOLS.filter((name) => !names.includes(name)),
        [],
      );
    },
  },
  {
    id: "mcp-banner",
    section: "[A] § MCP-server surface",
    promise: "The server tells its clients that the tool that runs the agent can run shell commands.",
    wires: MCP,
    async play(stage) {
      const { instructions } = await stage.attachMcp();
      assertHolds(
        "the instructions of the server",
        instructions.includes(RUN) && /shell/i.test(instructions),
        {
          expected: `they name ${RUN}, and that it runs shell commands`,
          got: instructions,
        },
      );
    },
  },
  {
    id: "mcp-feature",
    section: "[A] § Handshake: MCP extends initialize",
    promise: "The handshake lists the transport: mcpserver_stdio or mcpserver_http.",
    wires: MCP,
    async play(stage) {
      const client = await stage.attachMcp();
      const features = arrayAt(assertAccepted("the handshake", await client.handshake()), "features");
      const named = features.filter((feature) => /^mcpserver_(?:stdio|http)$/.test(String(feature)));
      assertHolds("its features", named.length > 0, {
        expected: "mcpserver_stdio or mcpserver_http",
        got: features,
      });
    },
  },
  {
    id: "mcp-run-turn",
    section: "[A] § MCP-server surface",
    promise:
      'run_agent_with_shell_access with wait "turn" answers when the turn has ended: the last message, and {cost, turns, tools_used}.',
    wires: MCP,
    async play(stage) {
      const client = await stage.attachMcp();
      const sessionId = await stage.session(client);
      const args = { sessionId, prompt: "cue:call", wait: "turn" };
      const { answer, text } = await client.callForText(RUN, args);
      const body = assertAccepted(RUN, answer);
      assertSame("the last message of the turn", text, "called");
      assertSame("its turns", body["turns"], 2);
      assertSame("how many tools it used", arrayAt(body, "tools_used").length, 1);
      assertHolds("its cost", "cost" in body, { expected: "a cost in US dollars, or null", got: body });
    },
  },
  {
    id: "mcp-agent",
    section: "[A] § MCP-server surface; § Multi-client semantics",
    promise: "An MCP client is an agent: it can approve nothing, and the question stays open for a person.",
    wires: MCP,
    async play(stage) {
      const client = await stage.attachMcp();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      const answer = await client.send(answerCommand(session, callId, "allow", "once"));
      assertRefused("the answer of an agent", answer, []);
      assertAccepted("CancelTurn", await client.send({ kind: "CancelTurn", sessionId: session }));
      await stream.kind("TurnEnded");
      assertSame("why the turn ended", newestTurn(stream.seen).reason, "cancelled");
    },
  },
  {
    id: "mcp-resources",
    section: "[A] § MCP-server surface",
    promise:
      "Sessions, profiles, providers, tools and skills can be read, a session with its last events; an unknown resource is refused.",
    wires: MCP,
    async play(stage) {
      const client = await stage.attachMcp();
      const session = await stage.session(client);
      const { events } = await promptTurn(client, session, "cue:say read me");
      for (const path of ["sessions", "profiles", "providers", "tools", "skills"]) {
        const value = parseJson((await client.read(path)).text)?.value;
        assertHolds(`harness/v1://${path}`, Array.isArray(value), { expected: "a list as JSON", got: value });
      }
      const listed = await client.resources();
      assertHolds(
        "the addresses that are listed",
        listed.some((uri) => uri.endsWith(`://session/${session}`)),
        {
          expected: `one of the session ${session}`,
          got: listed.slice(0, 10),
        },
      );
      const one = parseJson((await client.read(`session/${session}`)).text)?.value;
      assertSame("the session at its own address", stringAt(one, "session"), session);
      assertSame(
        "the last of its last events",
        idsOf(arrayAt(one, "last_events")).at(-1),
        idOf(events.at(-1)),
      );
      const nothing = await client.read("session/sess_01ARZ3NDEKTSV4RRFFQ69G5FAV").then(
        () => ({ kind: "accepted", body: {} }) as const,
        (thrown: unknown) => {
          if (thrown instanceof Refused) return thrown.refusal;
          throw thrown;
        },
      );
      assertHolds("a session that does not exist", nothing.kind === "refused", {
        expected: "it is refused",
        got: nothing,
      });
    },
  },
  {
    id: "mcp-log",
    section: "[A] § MCP-server surface",
    promise: "The log of a session has one event a line, and begins after the named event.",
    wires: MCP,
    async play(stage) {
      const client = await stage.attachMcp();
      const session = await stage.session(client);
      const { events } = await promptTurn(client, session, "cue:call");
      const whole = await logOf(client, `session/${session}/log`);
      assertSame("the newest events of the log", whole.slice(-events.length), events);
      const second = idOf(whole[1]);
      assertSame(
        `what follows event ${second}`,
        await logOf(client, `session/${session}/log?since=${second}`),
        whole.slice(2),
      );
    },
  },
  {
    id: "mcp-invalid-call",
    section: "[A] § MCP-server surface",
    promise: "A call with arguments of a wrong type is refused, and the connection stays usable.",
    wires: MCP,
    async play(stage) {
      const client = await stage.attachMcp();
      const sessionId = await stage.session(client);
      assertRefused("a prompt that is a number", await client.call(RUN, { sessionId, prompt: 7 }), []);
      assertAccepted("a prompt after it", await client.send(inputCommand(sessionId, "cue:say well")));
    },
  },
];

const RUN = "harness.run_agent_with_shell_access";
const TOOLS: readonly string[] = [
  "harness.create_session",
  "harness.list_sessions",
  "harness.attach_session",
  "harness.detach_session",
  RUN,
  "harness.cancel_turn",
  "harness.answer_permission",
  "harness.set_model",
  "harness.enter_plan_mode",
  "harness.exit_plan_mode",
  "harness.end_session",
  "harness.wait_for_turn",
];

async function logOf(client: McpClient, path: string): Promise<readonly JsonObject[]> {
  const { text } = await client.read(path);
  return text.split("\n").flatMap((line) => {
    const value = parseJson(line)?.value;
    return isObject(value) ? [value] : [];
  });
}

function idsOf(events: readonly unknown[]): readonly number[] {
  return events.map((event) => idOf(isObject(event) ? event : undefined));
}
