import { assertAccepted, assertRefused, assertSame } from "../../check.ts";
import type { Scenario } from "../../scenario.ts";
import type { ScenarioStage } from "../../stage.ts";
import { answerCommand, inputCommand, newestTurn, payloadOf, requestPermission } from "../../stage.ts";
import { answerOf } from "../../transports/rest-transport.ts";

const UNKNOWN_FILE = [{ type: "attachment", id: `att_${"0".repeat(26)}` }];

/** Scenarios about files that inputs refer to. */
export const ATTACHED_SCENARIOS: readonly Scenario[] = [
  {
    id: "attachment",
    section: "docs/sessions.md § In the line client; CTL-19",
    promise:
      "An uploaded file has the type of its bytes, and an input that names an unknown file is refused.",
    wires: ["rest"],
    since: "0.3.0",
    kinds: ["RunShell"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const body = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00]);
      const file = await upload(stage, session, body);
      assertSame(
        "the file that is kept",
        [file["name"], file["media_type"], file["bytes"]],
        ["words.txt", "image/png", body.length],
      );
      const unknown = await client.send({ kind: "SendInput", sessionId: session, content: UNKNOWN_FILE });
      assertRefused("an input with an unknown file", unknown, [], 404);
    },
  },
  {
    id: "attachment-edited",
    section: "docs/sessions.md § In the line client; CTL-19",
    promise:
      "An edit of a waiting input may name an uploaded file, whose text the turn then has; one that names an unknown file is refused, and changes nothing.",
    wires: ["rest"],
    since: "0.3.0",
    kinds: ["RunShell", "EditInput", "InputEdited"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      const queued = inputCommand(session, "cue:say before", { delivery: "queue" });
      const { inputId } = assertAccepted("the second prompt", await client.send(queued));
      const edit = (content: readonly object[]) =>
        client.send({ kind: "EditInput", sessionId: session, inputId, content });
      const file = await upload(stage, session, new TextEncoder().encode("words of the file"));
      const cue = { type: "text", text: "cue:say after" };
      const accepted = await edit([{ type: "attachment", id: file["attachment"] }, cue]);
      assertAccepted("an edit with the file", accepted);
      assertRefused("an edit with an unknown file", await edit(UNKNOWN_FILE), [], 404);
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "deny", "once")));
      await stream.kind("TurnEnded", 2);
      const turn = newestTurn(stream.seen);
      assertSame("the answer of the second turn", turn.text, "after");
      const content = JSON.stringify(payloadOf(turn.events[0])["content"]);
      assertSame("that the turn has the text of the file", content.includes("words of the file"), true);
    },
  },
];

/** Uploads bytes as a text, and returns what the server says of them. */
async function upload(stage: ScenarioStage, session: string, body: Uint8Array<ArrayBuffer>) {
  const at = `/v1/sessions/${session}/attachments?name=words.txt`;
  const headers = { "content-type": "text/plain" };
  return assertAccepted("the upload", await answerOf(await stage.ask(at, { body, headers })));
}
