import { arrayAt, isObject, objectAt, parseJson, stringAt } from "../../base/json.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../check.ts";
import type { Scenario } from "../scenario.ts";
import { answerCommand, newestTurn, payloadOf, promptTurn, requestPermission } from "../stage.ts";
import { answerOf } from "../transports/rest-transport.ts";

/** The addresses of [A] § REST surface and their answers. */
export const REST_SCENARIOS: readonly Scenario[] = [
  {
    id: "sessions-listed",
    section: "[A] § REST surface",
    promise: "A running session is listed, and has an address that describes it.",
    wires: ["rest"],
    async play(stage) {
      const session = await stage.session(await stage.attach());
      const list = parseJson(await (await stage.ask("/v1/sessions")).text())?.value;
      const listed = arrayAt(list, "sessions").map((each) => stringAt(each, "session"));
      assertHolds("the sessions that are listed", listed.includes(session), {
        expected: session,
        got: listed.join(", "),
      });
      const one = assertAccepted("the session", await answerOf(await stage.ask(`/v1/sessions/${session}`)));
      assertSame("the id at its address", one["session"], session);
    },
  },
  {
    id: "session-detail",
    section: "[A] § REST surface",
    promise: "The address of a session answers with its last events, as the stream has them.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const { events } = await promptTurn(client, session, "cue:call");
      const one = assertAccepted("the session", await answerOf(await stage.ask(`/v1/sessions/${session}`)));
      const last = arrayAt(one, "last_events");
      assertSame("its last events", last.slice(-events.length), events);
    },
  },
  {
    id: "history-pages",
    section: "[A] § REST surface",
    promise: "Turns and items of a session come by page, and an item with the events that the stream has.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const ask = async (path: string) =>
        assertAccepted(`GET ${path}`, await answerOf(await stage.ask(`/v1/sessions/${session}/${path}`)));
      await promptTurn(client, session, "cue:say one");
      const { events } = await promptTurn(client, session, "cue:say two");
      const page = await ask("turns?limit=1");
      const [turn] = arrayAt(page, "turns").filter(isObject);
      assertSame("the newest turn", [turn?.["answer"], page["more"]], ["two", true]);
      const items = arrayAt(await ask(`items?turn=${String(turn?.["turn"])}`), "items").filter(isObject);
      const text = items.find((item) => item["kind"] === "text");
      assertSame("its text", text?.["text"], "two");
      const whole = await ask(`items/${String(text?.["event"])}`);
      assertSame(
        "the events of the text",
        arrayAt(whole, "events"),
        events.filter(({ kind }) => kind === "TextDelta"),
      );
    },
  },
  {
    id: "spend",
    section: "docs/protocol/queries.md",
    promise: "What a session has spent is what its events say, in all and for each turn.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const counts: number[] = [];
      for (const prompt of ["cue:say one", "cue:call"]) {
        const { events } = await promptTurn(client, session, prompt);
        counts.push(events.filter(({ kind }) => kind === "CostIncremented").length);
      }
      const address = `/v1/sessions/${session}/spend`;
      const spend = assertAccepted(`GET ${address}`, await answerOf(await stage.ask(address)));
      const turns = arrayAt(spend, "turns").filter(isObject);
      assertSame(
        "the calls of each turn",
        turns.map(({ calls }) => calls),
        counts,
      );
      const total = isObject(spend["total"]) ? spend["total"] : {};
      assertSame(
        "the calls in all",
        total["calls"],
        counts.reduce((sum, each) => sum + each, 0),
      );
    },
  },
  {
    id: "changes",
    section: "docs/sessions/changes.md",
    promise:
      "A session whose calls changed no file answers with no change, and completely; a turn that it does not have, and a turn beside a call, are refused.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const { events } = await promptTurn(client, session, "cue:call");
      const started = events.filter(({ kind }) => kind === "ToolCallStarted").map(payloadOf);
      const callId = String(started[0]?.["callId"]);
      const ask = async (query: string) =>
        await answerOf(await stage.ask(`/v1/sessions/${session}/changes${query}`));
      const none = { files: [], complete: true };
      for (const query of ["", "?turn=1"])
        assertSame(`the changes${query}`, assertAccepted(`changes${query}`, await ask(query)), none);
      assertRefused("a turn of another day", await ask("?turn=99"), ["UnknownResource"]);
      assertRefused("a turn and a call", await ask(`?turn=1&callId=${callId}`), [
        "InvalidPath",
        "InvalidQuery",
      ]);
    },
  },
  {
    id: "workspace",
    section: "docs/sessions/changes.md",
    promise: "The workspace of a session is its working directory, as the session's own address has it.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const session = await stage.session(await stage.attach());
      const at = `/v1/sessions/${session}`;
      const info = assertAccepted("the session", await answerOf(await stage.ask(at)));
      const workspace = assertAccepted("its workspace", await answerOf(await stage.ask(`${at}/workspace`)));
      assertSame("the working directory", workspace["working_dir"], info["working_dir"]);
    },
  },
  {
    id: "search",
    section: "[A] § REST surface",
    promise: "A search finds a word in its item, whatever its case, and what it does not find is not there.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await promptTurn(client, session, "cue:say Sesquipedalian words");
      await promptTurn(client, session, "cue:say nothing more");
      const find = async (text: string) => {
        const path = `/v1/search?sessionId=${session}&text=${encodeURIComponent(text)}`;
        const answer = assertAccepted(`GET ${path}`, await answerOf(await stage.ask(path)));
        assertSame(`the search for ${text} is complete`, answer["complete"], true);
        return arrayAt(answer, "hits").filter(isObject);
      };
      const hits = await find("SESQUIPEDALIAN words");
      assertSame(
        "the kinds of what holds both words, the newest first",
        hits.map((hit) => hit["kind"]),
        ["text", "prompt"],
      );
      for (const hit of hits) {
        const snippet = stringAt(hit, "snippet") ?? "";
        const marked = arrayAt(hit, "at").map((at) =>
          snippet.slice(...(at as [number, number])).toLowerCase(),
        );
        assertSame("the matches that are marked", marked, ["sesquipedalian", "words"]);
        const item = assertAccepted(
          "the item of a hit",
          await answerOf(await stage.ask(`/v1/sessions/${session}/items/${String(hit["event"])}`)),
        );
        assertHolds("the item of a hit", isObject(item["item"]) && item["item"]["kind"] === hit["kind"], {
          expected: `an item of kind ${String(hit["kind"])}`,
          got: item["item"],
        });
      }
      assertSame("what nobody said", await find("sesquipedalians"), []);
    },
  },
  {
    id: "rules-and-hooks",
    section: "docs/permissions.md; docs/hooks.md",
    promise:
      "A rule that a person allowed is listed as revocable until it is revoked, which subscribers see; hooks are listed too.",
    wires: ["rest"],
    since: "0.3.0",
    kinds: ["RevokeRule", "RuleRevoked"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const ask = async (path: string) =>
        assertAccepted(`GET ${path}`, await answerOf(await stage.ask(`/v1/sessions/${session}/${path}`)));
      const revocable = async () =>
        arrayAt(await ask("rules"), "rules").flatMap((rule) =>
          isObject(rule) && rule["revocable"] === true ? [rule["rule"]] : [],
        );
      await using stream = await client.follow(session);
      const { event, callId } = await requestPermission(client, session, stream);
      assertSame("the rules that can be revoked before", await revocable(), []);
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "allow", "tool")));
      await stream.kind("TurnEnded");
      const rule = payloadOf(event)["tool"];
      assertSame("the rules that can be revoked", await revocable(), [rule]);
      assertAccepted("RevokeRule", await client.send({ kind: "RevokeRule", sessionId: session, rule }));
      assertSame("the rule that was revoked", payloadOf(await stream.kind("RuleRevoked"))["rule"], rule);
      assertSame("the rules that can be revoked after", await revocable(), []);
      assertSame("whether hooks are listed", Array.isArray((await ask("hooks"))["hooks"]), true);
    },
  },
  {
    id: "catalogues",
    section: "[A] § REST surface",
    promise:
      "Profiles, providers, tools, skills and MCP servers are listed; a configured provider with its models, or why it has none.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      for (const [path, name] of Object.entries(CATALOGUES)) {
        const body = assertAccepted(`GET ${path}`, await answerOf(await stage.ask(path)));
        assertHolds(`what ${path} answers`, Array.isArray(body[name]), {
          expected: `a list, as ${name}`,
          got: body,
        });
        if (name !== "providers") continue;
        const bare = arrayAt(body, name).filter(
          (each) =>
            isObject(each) && each["configured"] === true && !("models" in each) && !("error" in each),
        );
        assertSame("providers that are set up, without models", bare, []);
      }
    },
  },
  {
    id: "queries-in-scope",
    section: "[A] § Authentication",
    promise: "A token for one session can query no other session, and nothing that covers all sessions.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const [ownSession, other] = [
        await stage.session(await stage.attach()),
        await stage.session(await stage.attach()),
      ];
      const token = await stage.mint({ identity_class: "human", sessions: [ownSession] });
      assertAccepted(
        "its own session",
        await answerOf(await stage.ask(`/v1/sessions/${ownSession}/tasks`, { token })),
      );
      for (const path of [
        `/v1/sessions/${other}/tasks`,
        `/v1/find-session?text=${other}`,
        "/v1/engine-health",
      ])
        assertRefused(`GET ${path}`, await answerOf(await stage.ask(path, { token })), ["Forbidden"], 403);
    },
  },
  {
    id: "input-status",
    section: "[A] § REST surface",
    promise: "A prompt is answered with 202 at once, and events report the turn.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const json = { content: [{ type: "text", text: "cue:say at once" }] };
      const answer = await stage.ask(`/v1/sessions/${session}/input`, { json });
      assertSame("its status", answer.status, 202);
      await answer.body?.cancel();
      await stream.kind("TurnEnded");
    },
  },
  {
    id: "plan-mode-route",
    section: "[A] § REST surface",
    promise: "Plan mode is entered and left at its address, and each answer says which of the two holds.",
    wires: ["rest"],
    features: ["plan_mode"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const at = `/v1/sessions/${session}/plan-mode`;
      for (const [kind, json, holds] of [
        ["EnterPlanMode", {}, true],
        ["EnterPlanMode", {}, true],
        ["ExitPlanMode", { enter: false, approve: true }, false],
      ] as const) {
        const body = assertAccepted(kind, await answerOf(await stage.ask(at, { json })));
        assertSame(`${kind}: the mode that holds`, objectAt(body, "result")?.["planMode"], holds);
      }
    },
  },
  {
    id: "wait-turn",
    section: "[A] § REST surface",
    promise:
      "With ?wait=turn a prompt is answered when its turn has ended, with the model's text and the end reason.",
    wires: ["rest"],
    async play(stage) {
      const session = await stage.session(await stage.attach());
      const json = { content: [{ type: "text", text: "cue:say waited for" }] };
      const answer = await stage.ask(`/v1/sessions/${session}/input?wait=turn`, { json });
      const body = assertAccepted("the prompt", await answerOf(answer));
      assertSame("what it answers", [body["text"], body["reason"]], ["waited for", "complete"]);
    },
  },
  {
    id: "wait-left",
    section: "[A] § Multi-client semantics: detach is non-destructive",
    promise: "A client that stops waiting for a turn does not stop the turn.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const leave = new AbortController();
      const json = { content: [{ type: "text", text: "cue:ask" }] };
      const signal = AbortSignal.any([stage.signal, leave.signal]);
      const waiting = stage.ask(`/v1/sessions/${session}/input?wait=turn`, { json, signal });
      const asked = await stream.kind("PermissionRequested");
      leave.abort(new Error("left"));
      await waiting.then(
        (answer) => answer.body?.cancel(),
        () => undefined, // the client left, as the scenario requires
      );
      const callId = String((asked["payload"] as { readonly callId?: unknown }).callId);
      const answer = await client.send(answerCommand(session, callId, "allow", "once"));
      assertAccepted("the answer to what is asked", answer);
      await stream.kind("TurnEnded");
      assertSame("why the turn ended", newestTurn(stream.seen).reason, "complete");
    },
  },
  {
    id: "permission-route",
    section: "[A] § REST surface",
    promise: "A permission request is answered at its address, which refuses an answer without a decision.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      const at = `/v1/sessions/${session}/permission`;
      const wrong = await answerOf(await stage.ask(at, { json: { callId, decision: "perhaps" } }));
      assertRefused("the decision perhaps", wrong, ["InvalidBody", "InvalidCommand"]);
      assertAccepted(
        "the decision deny",
        await answerOf(await stage.ask(at, { json: { callId, decision: "deny", scope: "once" } })),
      );
      await stream.kind("TurnEnded");
      assertSame("what became of it", newestTurn(stream.seen).text, "denied");
    },
  },
];

/** The lists of [A] § REST surface, with the field that holds each. */
const CATALOGUES: Readonly<Record<string, string>> = {
  "/v1/profiles": "profiles",
  "/v1/providers": "providers",
  "/v1/tools": "tools",
  "/v1/skills": "skills",
  "/v1/mcp/servers": "servers",
};
