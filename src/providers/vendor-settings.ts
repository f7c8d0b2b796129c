import { HarnessError } from "../base/errors.ts";

/** Settings of Claude on Vertex AI: `[vertex]` of the user's configuration. */
export interface VertexSettings {
  readonly project?: string;
  readonly region?: string;
  /** Replaces Google's host, version included: a gateway, a private endpoint. */
  readonly baseUrl?: string;
  /** Replaces Google's address for exchanging credentials for access tokens. */
  readonly tokenUrl?: string;
}

/** Settings of GitHub Copilot: `[copilot]` of the user's configuration. */
export interface CopilotSettings {
  /** Address to log in at: `https://github.com`, or that of an enterprise. */
  readonly githubUrl?: string;
  /** Address of the models, instead of the one that GitHub returns. */
  readonly baseUrl?: string;
  /** OAuth application to log in as. */
  readonly clientId?: string;
  readonly integrationId?: string;
  readonly editorVersion?: string;
  /** True to ask OpenRouter for the same model if Copilot refuses. Default true. */
  readonly failOver?: boolean;
}

/** Settings of both vendors, if set. */
export interface VendorSettings {
  readonly vertex?: VertexSettings;
  readonly copilot?: CopilotSettings;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables in order of precedence, from Google's and Anthropic's own tools. */
export const PROJECT_VARIABLES = [
  "ANTHROPIC_VERTEX_PROJECT_ID",
  "GOOGLE_CLOUD_PROJECT",
  "GCLOUD_PROJECT",
] as const;
export const REGION_VARIABLES = ["CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION"] as const;

/** Requirements of Vertex AI, for people. */
export const VERTEX_NEEDS =
  "ANTHROPIC_VERTEX_PROJECT_ID and CLOUD_ML_REGION, with Application Default Credentials of Google";

/**
 * Returns true if the user selected Vertex AI: by a project variable with no other purpose, by the switch together with
 * the usual variables, or in their configuration. Google's general project variable alone says nothing about models.
 */
export function usesVertex(environment: Environment, settings: VertexSettings | undefined): boolean {
  return (
    settings !== undefined ||
    isSet(environment["ANTHROPIC_VERTEX_PROJECT_ID"]) ||
    (prefersVertex(environment) && projectOf(environment, undefined) !== undefined)
  );
}

/** Returns true if a bare Claude model name means Claude on Vertex AI. */
export function prefersVertex(environment: Environment): boolean {
  return /^(?:1|true|yes|on)$/i.test(environment["CLAUDE_CODE_USE_VERTEX"] ?? "");
}

/** Ways to use Copilot, for people. */
export const COPILOT_NEEDS = "COPILOT_GITHUB_TOKEN (or log in: cinch creds login copilot)";

export interface VertexLocation {
  readonly project: string;
  readonly region: string;
}

/**
 * Returns the project and region: from the configuration, then from the usual variables (PROV-14).
 * @throws HarnessError VertexUnplaced, naming what is missing or wrong and where to set it.
 */
export function vertexLocation(environment: Environment, settings: VertexSettings = {}): VertexLocation {
  const project = projectOf(environment, settings);
  const region = settings.region ?? firstOf(environment, REGION_VARIABLES);
  if (project === undefined) throw unplaced("no project is named", PROJECT_VARIABLES, "project");
  if (region === undefined) throw unplaced("no region is named", REGION_VARIABLES, "region");
  // Both become part of an address that a token is sent to.
  if (!/^[a-z0-9](?:[a-z0-9.:-]{0,126}[a-z0-9])?$/.test(project))
    throw unplaced(`"${project}" is not an id of a project`, PROJECT_VARIABLES, "project");
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(region))
    throw unplaced(`"${region}" is not a region, such as global or europe-west1`, REGION_VARIABLES, "region");
  return { project, region };
}

/** Returns Google's base address for a region; `us` and `eu` are areas of several. */
export function vertexHost(region: string): string {
  if (region === "global") return "https://aiplatform.googleapis.com/v1";
  if (region === "us" || region === "eu") return `https://aiplatform.${region}.rep.googleapis.com/v1`;
  return `https://${region}-aiplatform.googleapis.com/v1`;
}

const GITHUB_URL = "https://github.com";
/** Names of cinch and its integration towards Copilot, which keeps a list of accepted ones. */
export const COPILOT_EDITOR = "cinch/0.1.0";
export const COPILOT_INTEGRATION = "vscode-chat";
/** The GitHub application that its editors log in as: a public name, no secret. */
export const COPILOT_CLIENT_ID = "Iv1.b507a08c87ecfd98";
/** Default of `failOver`. */
export const COPILOT_FAIL_OVER = true;

/** GitHub's addresses for login and requests. */
export interface CopilotAddresses {
  readonly githubUrl: string;
  /** Exchanges the GitHub token. */
  readonly apiUrl: string;
  /** Address of the models unless GitHub returns another. */
  readonly baseUrl: string;
}

/**
 * Returns the addresses of GitHub or an enterprise. Enterprises with data residency have hosts of their own
 * below `ghe.com`.
 */
export function copilotAddresses(settings: CopilotSettings = {}): CopilotAddresses {
  const githubUrl = settings.githubUrl ?? GITHUB_URL;
  const { protocol, host } = new URL(githubUrl);
  const isGithubs = host === "github.com" || host.endsWith(".ghe.com");
  return {
    githubUrl,
    apiUrl: isGithubs ? `${protocol}//api.${host}` : `${githubUrl}/api/v3`,
    baseUrl:
      settings.baseUrl ??
      (host.endsWith(".ghe.com") ? `https://copilot-api.${host}` : "https://api.githubcopilot.com"),
  };
}

function projectOf(environment: Environment, settings: VertexSettings | undefined): string | undefined {
  return settings?.project ?? firstOf(environment, PROJECT_VARIABLES);
}

function firstOf(environment: Environment, names: readonly string[]): string | undefined {
  return names.map((name) => environment[name]?.trim()).find(isSet);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}

function unplaced(
  problem: string,
  variables: readonly string[],
  key: string,
): HarnessError<"VertexUnplaced"> {
  const [first = "", ...others] = variables;
  return new HarnessError("VertexUnplaced", { problem, variable: first, others: others.join(", "), key });
}
