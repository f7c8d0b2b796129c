import { expect, test } from "bun:test";
import { openControlRig } from "../../../test/support/control-rig.ts";
import { hangs, says } from "../../../test/support/scripted-provider.ts";
import { isObject, stringAt } from "../../base/json.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "../../protocol/kinds.ts";

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
};
type Operation = { readonly responses: Readonly<Record<string, unknown>>; readonly operationId: string };

async function documentOf(control: Awaited<ReturnType<typeof openControlRig>>): Promise<Document> {
  return (await (await control.ask("/v1/openapi.json")).json()) as Document;
}

/** Every `$ref` of a document. */
function refsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(refsOf);
  if (!isObject(value)) return [];
  const ref = stringAt(value, "$ref");
  return [...(ref === undefined ? [] : [ref]), ...Object.values(value).flatMap(refsOf)];
}

test("[CTL-06] the OpenAPI document names every schema it refers to, and every operation once", async () => {
  await using control = await openControlRig({ script: [] });
  const document = await documentOf(control);
  const names = Object.entries(document.components).flatMap(([kind, members]) =>
    Object.keys(members).map((name) => `#/components/${kind}/${name}`),
  );
  for (const ref of refsOf(document)) expect(names).toContain(ref);
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test("[CTL-06 BUS-07] commands and events are distinguished by their kind, each with its own schema", async () => {
  await using control = await openControlRig({ script: [] });
  const { schemas } = (await documentOf(control)).components;
  const mapping = (kinds: readonly string[], suffix: string) =>
    Object.fromEntries(kinds.map((kind) => [kind, `#/components/schemas/${kind}${suffix}`]));
  expect(schemas["Command"]?.["discriminator"]).toEqual({
    propertyName: "kind",
    mapping: mapping(COMMAND_KINDS, "Command"),
  });
  expect(schemas["Envelope"]?.["discriminator"]).toEqual({
    propertyName: "kind",
    mapping: mapping(EVENT_KINDS, "Event"),
  });
});

test("[CTL-06] the served document says what commands, events and their fields mean", async () => {
  await using control = await openControlRig({ script: [] });
  const { schemas } = (await documentOf(control)).components;
  const fieldsOf = (name: string) => schemas[name]?.["properties"];
  expect(schemas["MoveInputCommand"]?.["description"]).toStartWith("Moves an input that waits.");
  expect(fieldsOf("MoveInputCommand")).toMatchObject({
    before: { description: expect.stringContaining("Default: it becomes the last.") },
  });
  expect(fieldsOf("GetSpendResult")).toMatchObject({
    turns: { items: { properties: { earlier: { description: expect.stringContaining("oldest rows") } } } },
  });
  // A reference to a schema with a name has that one's description.
  expect(fieldsOf("ListToolsResult")).toMatchObject({ tools: { items: { $ref: expect.any(String) } } });
});

test("[CTL-06] what routes answer and refuse with is what the document says", async () => {
  await using control = await openControlRig({ script: [says("hello"), hangs("on ")] });
  const { paths } = await documentOf(control);
  const { id } = control.rig.session;
  const other = control.rig.world.ids.next("sess");
  const bound = control.mint({ sessions: [] });
  await control.shake();
  await control.shake(bound);
  const content = [{ type: "text", text: "go" }];
  const answered: (readonly [string, string, Response])[] = [
    [
      "/v1/sessions/{id}/input",
      "post",
      await control.ask(`/v1/sessions/${id}/input?wait=turn`, { json: { content } }),
    ],
    ["/v1/sessions/{id}/input", "post", await control.ask(`/v1/sessions/${id}/input`, { json: { content } })],
    ["/v1/sessions/{id}/input", "post", await control.ask(`/v1/sessions/${id}/input`, { json: { content } })],
    [
      "/v1/sessions/{id}/input",
      "post",
      await control.ask(`/v1/sessions/${other}/input`, { json: { content } }),
    ],
    ["/v1/sessions/{id}/input", "post", await control.ask("/v1/sessions/x/input", { json: { content } })],
    ["/v1/sessions/{id}/input", "post", await control.ask(`/v1/sessions/${id}/input`, { body: "x" })],
    [
      "/v1/sessions/{id}/input",
      "post",
      await control.ask(`/v1/sessions/${id}/input`, { json: { content }, token: bound }),
    ],
    ["/v1/sessions/{id}/events", "get", await control.ask(`/v1/sessions/${other}/events`)],
    ["/v1/sessions/{id}/events", "get", await control.ask(`/v1/sessions/${id}/events?since=x`)],
    ["/v1/sessions/{id}", "get", await control.ask(`/v1/sessions/${id}`, { token: null })],
    ["/v1/sessions", "post", await control.ask("/v1/sessions", { json: {} })],
    ["/v1/sessions", "post", await control.ask("/v1/sessions", { json: { profile: "test" } })],
    ["/v1/profiles/{name}", "get", await control.ask("/v1/profiles/none")],
    ["/prompt", "post", await control.ask("/prompt", { json: { content: "x" } })],
  ];
  for (const [path, method, answer] of answered) {
    const responses = paths[path]?.[method]?.responses ?? {};
    const { reason } = answer.ok ? {} : ((await answer.json()) as { readonly reason?: string });
    expect({ path, statuses: Object.keys(responses) }).toEqual({
      path,
      statuses: expect.arrayContaining([`${answer.status}`]) as string[],
    });
    if (reason !== undefined)
      expect(stringAt(responses[`${answer.status}`], "description")?.split(", ")).toContain(reason);
  }
  await control.ask(`/v1/sessions/${id}/cancel`, { json: {} });
});
