import type { CopilotSettings, VendorSettings, VertexSettings } from "../../providers/vendor-settings.ts";
import type { Table } from "../table.ts";

/**
 * `[vertex]` and `[copilot]`: what these two need to be told beside a credential. Addresses come from here and nowhere else.
 * @throws HarnessError ConfigInvalid, for unknown keys too.
 */
export function vendorSettingsFrom(parent: Table): VendorSettings {
  const [vertex, copilot] = [parent.table("vertex"), parent.table("copilot")];
  return {
    ...(vertex === undefined ? {} : { vertex: vertexFrom(vertex) }),
    ...(copilot === undefined ? {} : { copilot: copilotFrom(copilot) }),
  };
}

function vertexFrom(table: Table): VertexSettings {
  const project = table.string("project");
  const region = table.string("region");
  const baseUrl = addressFrom(table, "base_url", table.string("base_url"));
  const tokenUrl = addressFrom(table, "token_url", table.string("token_url"));
  table.refuseUnknown();
  return {
    ...(project === undefined ? {} : { project }),
    ...(region === undefined ? {} : { region }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(tokenUrl === undefined ? {} : { tokenUrl }),
  };
}

function copilotFrom(table: Table): CopilotSettings {
  const githubUrl = addressFrom(table, "github_url", table.string("github_url"));
  const baseUrl = addressFrom(table, "base_url", table.string("base_url"));
  const clientId = wordFrom(table, "client_id", table.string("client_id"));
  const integrationId = wordFrom(table, "integration_id", table.string("integration_id"));
  const editorVersion = wordFrom(table, "editor_version", table.string("editor_version"));
  const failOver = table.boolean("fail_over");
  table.refuseUnknown();
  return {
    ...(githubUrl === undefined ? {} : { githubUrl }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(clientId === undefined ? {} : { clientId }),
    ...(integrationId === undefined ? {} : { integrationId }),
    ...(editorVersion === undefined ? {} : { editorVersion }),
    ...(failOver === undefined ? {} : { failOver }),
  };
}

/** An address that credentials go to: nothing of it may be hidden. Without a slash at its end. */
function addressFrom(table: Table, key: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw table.problem(key, "must be an http or https URL");
  if (url.username !== "" || url.password !== "")
    throw table.problem(key, "must not hold a name or password");
  if (url.search !== "" || url.hash !== "") throw table.problem(key, "must not have a ? or # part");
  return url.href.replace(/\/+$/, "");
}

/** What stands in a header or form as it is. */
function wordFrom(table: Table, key: string, text: string | undefined): string | undefined {
  if (text === undefined || /^[\x21-\x7e]{1,100}$/.test(text)) return text;
  throw table.problem(key, "must be one word of plain ASCII");
}
