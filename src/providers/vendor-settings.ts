import { HarnessError } from "../base/errors.ts";

/** What the user's configuration says of Claude on Vertex AI: `[vertex]`. */
export interface VertexSettings {
  readonly project?: string;
  readonly region?: string;
  /** Instead of Google's own host, with its version: a gateway, a private endpoint. */
  readonly baseUrl?: string;
  /** Where credentials are exchanged for access tokens, instead of where Google does that. */
  readonly tokenUrl?: string;
}

/** What the user's configuration says of GitHub Copilot: `[copilot]`. */
export interface CopilotSettings {
  /** Where one logs in: `https://github.com`, or the address of one's enterprise. */
  readonly githubUrl?: string;
  /** Where models are asked, instead of where GitHub says. */
  readonly baseUrl?: string;
  /** The application that is logged in as. */
  readonly clientId?: string;
  readonly integrationId?: string;
  readonly editorVersion?: string;
  /** Whether OpenRouter is asked for the same model where Copilot refuses; true unless told. */
  readonly failOver?: boolean;
}

/** Both, where there is something to say. */
export interface VendorSettings {
  readonly vertex?: VertexSettings;
  readonly copilot?: CopilotSettings;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Which variable counts before which; they are those of Google's and Anthropic's own tools. */
export const PROJECT_VARIABLES = [
  "ANTHROPIC_VERTEX_PROJECT_ID",
  "GOOGLE_CLOUD_PROJECT",
  "GCLOUD_PROJECT",
] as const;
export const REGION_VARIABLES = ["CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION"] as const;

/** For people: what has to be there before Vertex AI can be asked. */
export const VERTEX_NEEDS =
  "ANTHROPIC_VERTEX_PROJECT_ID and CLOUD_ML_REGION, with Application Default Credentials of Google";

/**
 * Whether the user has said that they use Vertex AI: by a project that is for nothing else, by the switch that goes with
 * the usual variables, or in their configuration. A project of Google's alone says nothing about models.
 */
export function usesVertex(environment: Environment, settings: VertexSettings | undefined): boolean {
  return (
    settings !== undefined ||
    isSet(environment["ANTHROPIC_VERTEX_PROJECT_ID"]) ||
    (prefersVertex(environment) && projectOf(environment, undefined) !== undefined)
  );
}

/** Whether Claude is asked on Vertex AI where its name alone is given. */
export function prefersVertex(environment: Environment): boolean {
  return /^(?:1|true|yes|on)$/i.test(environment["CLAUDE_CODE_USE_VERTEX"] ?? "");
}

/** For people: how one comes to use Copilot. */
export const COPILOT_NEEDS = "COPILOT_GITHUB_TOKEN (or log in: cinch creds login copilot)";

export interface VertexPlace {
  readonly project: string;
  readonly region: string;
}

/**
 * The project and region to ask in: the configuration's word, then the usual variables (PROV-14).
 * @throws HarnessError VertexUnplaced, naming what is missing or wrong and where to set it.
 */
export function vertexPlace(environment: Environment, settings: VertexSettings = {}): VertexPlace {
  const project = projectOf(environment, settings);
  const region = settings.region ?? firstOf(environment, REGION_VARIABLES);
  if (project === undefined) throw unplaced("no project is named", PROJECT_VARIABLES, "project");
  if (region === undefined) throw unplaced("no region is named", REGION_VARIABLES, "region");
  // Both stand in an address that a token is sent to.
  if (!/^[a-z0-9](?:[a-z0-9.:-]{0,126}[a-z0-9])?$/.test(project))
    throw unplaced(`"${project}" is no id of a project`, PROJECT_VARIABLES, "project");
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(region))
    throw unplaced(`"${region}" is no region, such as global or europe-west1`, REGION_VARIABLES, "region");
  return { project, region };
}

/** Google's own base address for a region; `us` and `eu` are areas of several. */
export function vertexHost(region: string): string {
  if (region === "global") return "https://aiplatform.googleapis.com/v1";
  if (region === "us" || region === "eu") return `https://aiplatform.${region}.rep.googleapis.com/v1`;
  return `https://${region}-aiplatform.googleapis.com/v1`;
}

const GITHUB_URL = "https://github.com";
/** What cinch calls itself towards Copilot, and the integration that it asks as. Copilot keeps a list of those. */
export const COPILOT_EDITOR = "cinch/0.1.0";
export const COPILOT_INTEGRATION = "vscode-chat";
/** The application of GitHub's that its editors log in as: a public name, no secret. */
export const COPILOT_CLIENT_ID = "Iv1.b507a08c87ecfd98";
/** Whether another vendor is asked where Copilot refuses, unless the configuration says otherwise. */
export const COPILOT_FAIL_OVER = true;

/** The places of GitHub that a login and a request go to. */
export interface CopilotPlaces {
  readonly githubUrl: string;
  /** Where the GitHub token is exchanged. */
  readonly apiUrl: string;
  /** Where models are asked unless GitHub says otherwise. */
  readonly baseUrl: string;
}

/** Enterprises with data residency have hosts of their own below `ghe.com`. */
export function copilotPlaces(settings: CopilotSettings = {}): CopilotPlaces {
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
