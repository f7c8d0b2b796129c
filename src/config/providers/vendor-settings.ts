import {
  COPILOT_CLIENT_ID,
  COPILOT_EDITOR,
  COPILOT_FAIL_OVER,
  COPILOT_INTEGRATION,
  copilotAddresses,
  PROJECT_VARIABLES,
  REGION_VARIABLES,
} from "../../providers/vendor-settings.ts";
import type { TableSection } from "../../session/config-section.ts";

/** `[vertex]`: Claude on Google's Vertex AI. Addresses come from here and nowhere else. */
export const vertexSection = {
  shape: "table",
  name: "vertex",
  in: "config",
  about: "Claude on Google's Vertex AI: [models.md](../models.md).",
  keys: {
    project: {
      kind: "text",
      key: "project",
      meaning: "The id of the project.",
      environment: PROJECT_VARIABLES,
      example: "my-project",
    },
    region: {
      kind: "text",
      key: "region",
      meaning: "The region, such as `global` or `europe-west1`.",
      environment: REGION_VARIABLES,
      example: "global",
    },
    baseUrl: {
      kind: "text",
      key: "base_url",
      meaning: "A gateway instead of Google's own host, with its version.",
      otherwise: "Google's host of the region",
      example: "https://aiplatform.googleapis.com/v1",
      check: addressProblem,
      as: plainAddress,
    },
    tokenUrl: {
      kind: "text",
      key: "token_url",
      meaning: "The address that exchanges credentials for access tokens.",
      otherwise: "Google's",
      example: "https://oauth2.googleapis.com/token",
      check: addressProblem,
      as: plainAddress,
    },
  },
} as const satisfies TableSection;

/** `[copilot]`: GitHub Copilot. */
export const copilotSection = {
  shape: "table",
  name: "copilot",
  in: "config",
  about: "GitHub Copilot: [models.md](../models.md).",
  keys: {
    githubUrl: {
      kind: "text",
      key: "github_url",
      meaning: "The address of GitHub, or of your enterprise: `https://NAME.ghe.com`.",
      default: (values: Readonly<Record<string, unknown>>) => copilotAddresses(values).githubUrl,
      example: "https://github.com",
      check: addressProblem,
      as: plainAddress,
    },
    baseUrl: {
      kind: "text",
      key: "base_url",
      meaning: "The address that models are asked at.",
      default: (values: Readonly<Record<string, unknown>>) => copilotAddresses(values).baseUrl,
      example: "https://api.githubcopilot.com",
      check: addressProblem,
      as: plainAddress,
    },
    clientId: {
      kind: "text",
      key: "client_id",
      meaning: "The application that you log in to.",
      default: COPILOT_CLIENT_ID,
      example: COPILOT_CLIENT_ID,
      check: wordProblem,
    },
    integrationId: {
      kind: "text",
      key: "integration_id",
      meaning: "The integration that cinch asks as. Copilot keeps a list of those.",
      default: COPILOT_INTEGRATION,
      example: COPILOT_INTEGRATION,
      check: wordProblem,
    },
    editorVersion: {
      kind: "text",
      key: "editor_version",
      meaning: "The name and version that cinch sends.",
      default: COPILOT_EDITOR,
      example: COPILOT_EDITOR,
      check: wordProblem,
    },
    failOver: {
      kind: "boolean",
      key: "fail_over",
      meaning: "Asks OpenRouter for the same model when Copilot refuses.",
      default: COPILOT_FAIL_OVER,
      example: false,
    },
  },
} as const satisfies TableSection;

/** Credentials go to it, so nothing of it may be hidden. */
function addressProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be an http or https URL";
  if (url.username !== "" || url.password !== "") return "must not hold a name or password";
  return url.search !== "" || url.hash !== "" ? "must not have a ? or # part" : undefined;
}

/** Returns an address without a slash at its end. */
function plainAddress(text: string): string {
  return new URL(text).href.replace(/\/+$/, "");
}

/** Returns the problem of a word that is sent unchanged in a header or form. */
function wordProblem(text: string): string | undefined {
  return /^[\x21-\x7e]{1,100}$/.test(text) ? undefined : "must be one word of plain ASCII";
}
