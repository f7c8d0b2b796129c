/** One set-up of files, flags and variables that `cinch profile` is asked about. */
export interface SettingsSetup {
  readonly name: string;
  /** Files of the user, relative to the configuration folder. */
  readonly config?: Readonly<Record<string, string>>;
  /** Files of the repository. */
  readonly project?: Readonly<Record<string, string>>;
  /** Acknowledge the files of the project first. */
  readonly acknowledged?: boolean;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Also compare what a person reads. */
  readonly text?: boolean;
}

const CONFIG = "config.toml";
const MINE = "profiles/mine.toml";
const PROJECT = ".cinch/config.toml";
const OWN = ["--profile", "mine"];

const ALL_OF_CONFIG = `default_model = "local:qwen3-coder"
default_profile = "self"
max_turns = 30
max_cost = 2.50
unknown_price = "refuse"
max_time = "20m"
plugins = ["/home/user/plugins/dice"]
[providers.local]
kind = "openai-compatible"
base_url = "http://127.0.0.1:8080/v1"
api_key_env = "LOCAL_API_KEY"
default_model = "qwen3-coder"
headers = { x-team = "tools" }
[prices."local:qwen3-coder"]
input = 0.20
output = 0.80
cache_read = 0.02
cache_write = 0.25
[permissions]
level = "ReadOnly"
strict = true
quiet = false
bash_in_sandbox = "ask"
allow = ["Bash:npm test", "Bash:npm run *"]
ask = ["Edit:package.json"]
deny = ["Bash:git push *", "Read:secrets/**"]
[sandbox]
backend = "bubblewrap"
image = "localhost/toolbox"
unavailable = "refuse"
network = ["example.com", "*.example.org:8443"]
writable = ["~/.cache/shared"]
hidden = ["~/notes"]
pass_env = ["DATABASE_URL"]
[session]
idle_timeout = "45m"
ttl_days = 10
[routing.mixed]
model = "anthropic:sonnet"
fallback = ["openrouter:anthropic/claude-sonnet-4.5", "zai:glm-4.6"]
[[routing.mixed.rules]]
role = "summary"
input_above = 50000
spent_above = 2.50
model = "zai:glm-4.5-air"
[[diagnostics]]
name = "typescript"
kind = "language-server"
files = ["*.ts", "*.tsx"]
command = ["tsc", "--lsp", "--stdio"]
language = "typescript"
wait = 5
unconfined = false
[thinking]
effort = "high"
budget_tokens = 16000
[compaction]
threshold = 0.7
keep_turns = 4
context_tokens = 128000
[checkpoint]
enabled = false
required = true
bytes_max = 1000000
[agents]
rounds = 9
depth = 1
[delegate]
model = "anthropic:haiku"
[memory]
enabled = false
[vertex]
project = "my-project"
region = "global"
base_url = "https://aiplatform.googleapis.com/v1"
token_url = "https://oauth2.googleapis.com/token"
[copilot]
github_url = "https://we.ghe.com"
client_id = "Iv1.other"
integration_id = "vscode-other"
editor_version = "other/1"
fail_over = false
[tasks]
wake = true
schedule = true
[telemetry]
otlp = "http://127.0.0.1:4318"
content = true
[notify]
desktop = true
bell = true
url = "https://ntfy.sh/my-topic"
format = "ntfy"
token_env = "NTFY_TOKEN"
host = "build-box"
events = ["question", "error"]
content = true
[credentials]
keychain = true
[trust]
promote_prose = true
lockfile = "/etc/cinch/approved.lock"
[engine]
stay = "10m"
[server]
allow_origins = ["https://tools.example:8443", "tauri://localhost"]
[[hooks]]
event = "PreToolUse"
cmd = "/home/user/bin/guard.sh"
matcher = "Bash|Write"
blocking = true
timeout_ms = 30000
[[mcp_servers]]
name = "files"
cmd = "mcp-server-filesystem"
args = ["{workspace}"]
env = { LOG_LEVEL = "info" }
pass_env = ["HTTPS_PROXY"]
cwd = "/srv/files"
sha256 = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
discovery = "lazy"
eager_tools_max = 20
timeout = 120
[[mcp_servers]]
name = "tracker"
url = "https://mcp.example.com/mcp"
transport = "http"
headers = { X-Team = "tools" }
bearer = false
client_id = "cinch"
scopes = ["issues:read"]
`;

const ALL_OF_PROFILE = `schema_version = 1
name = "mine"
default_model = "anthropic:sonnet"
prompt_header = "You review."
context_sources = ["AGENTS.md", "CLAUDE.md"]
tool_packs = ["fs", "search", "memory"]
skill_packs = ["review"]
plugins = ["/home/user/plugins/other"]
allow_project_hooks = true
tool_execution = "parallel-read-only"
[permissions]
level = "DangerFullAccess"
strict = false
quiet = true
bash_in_sandbox = "allow"
allow = ["Bash:make *"]
ask = ["Bash:git *"]
deny = ["WebFetch"]
[limits]
rounds = 12
cost = 5.00
unknown_price = "warn"
time = "15m"
output_tokens = 8000
permission_timeout = 90
repeated_failures = 3
repeated_results = 7
[sandbox]
backend = "none"
network = ["profile.example"]
writable = ["/srv/of-profile"]
hidden = ["/srv/hidden"]
pass_env = ["PROFILE_TOKEN"]
[thinking]
effort = "low"
budget_tokens = 2048
[compaction]
threshold = 0.5
keep_turns = 2
context_tokens = 32000
[checkpoint]
enabled = true
required = false
bytes_max = 2000000
[agents]
rounds = 4
depth = 3
[delegate]
model = "zai:glm-4.5-air"
[memory]
enabled = true
[tasks]
wake = false
schedule = false
[session]
idle_timeout = "10m"
ttl_days = 5
[trust]
promote_prose = false
[[hooks]]
event = "Stop"
cmd = "true"
[[mcp_servers]]
name = "other"
cmd = "other-server"
[[diagnostics]]
name = "lint"
kind = "checker"
files = ["src/**/*.py"]
command = ["ruff", "check", "{files}"]
`;

const RESTRICTS = `max_time = "10m"
[permissions]
level = "ReadOnly"
strict = true
quiet = false
bash_in_sandbox = "ask"
ask = ["Bash:npm publish *"]
deny = ["Write:generated/**"]
[sandbox]
hidden = ["fixtures/private"]
`;

const EVERY_FLAG = [
  ...["--model", "other:model", "--effort", "low", "--level", "DangerFullAccess", "--max-turns", "3"],
  ...["--max-cost", "1", "--max-time", "5m", "--strict-permissions", "--without-project"],
  ...["--allow-project-hooks", "--lockfile", "/etc/ci.lock"],
];

/** Flags, variables, files of the user and of a project, right and wrong. */
export const SETTINGS_SETUPS: readonly SettingsSetup[] = [
  { name: "nothing", text: true },
  { name: "config-every-key", config: { [CONFIG]: ALL_OF_CONFIG }, text: true },
  { name: "profile-every-key", config: { [MINE]: ALL_OF_PROFILE }, flags: OWN, text: true },
  {
    name: "config-over-profile",
    config: { [CONFIG]: ALL_OF_CONFIG, [MINE]: ALL_OF_PROFILE },
    flags: OWN,
  },
  { name: "every-flag", flags: EVERY_FLAG },
  {
    name: "flags-over-files",
    config: { [CONFIG]: ALL_OF_CONFIG, [MINE]: ALL_OF_PROFILE },
    flags: [...OWN, ...EVERY_FLAG],
    text: true,
  },
  {
    name: "keys-in-the-environment",
    config: {
      [CONFIG]:
        '[providers.own]\nkind = "anthropic"\nbase_url = "http://127.0.0.1:1"\napi_key_env = "OWN_KEY"\n',
    },
    env: { OWN_KEY: "sk-own-0123456789", OPENAI_API_KEY: "sk-openai-0123456789" },
  },
  {
    name: "default-profile-and-model",
    config: { [CONFIG]: 'default_model = "local:mine"\ndefault_profile = "self"\n' },
  },
  {
    name: "model-of-own-profile-first",
    config: { [CONFIG]: 'default_model = "local:mine"\n', [MINE]: 'default_model = "local:profile"\n' },
    flags: OWN,
  },
  {
    name: "profile-flag-over-default",
    config: { [CONFIG]: 'default_profile = "self"\n' },
    flags: ["--profile", "conformance"],
  },
  { name: "preset-ask", config: { [MINE]: 'permissions = "preset/ask.toml"\n' }, flags: OWN },
  { name: "preset-read-only", config: { [MINE]: 'permissions = "preset/read-only.toml"\n' }, flags: OWN },
  {
    name: "preset-beside-the-profile",
    config: {
      [MINE]: 'permissions = "rules.toml"\n',
      "profiles/rules.toml": 'level = "ReadOnly"\nask = ["Edit"]\ndeny = ["Bash:rm *"]\n',
    },
    flags: OWN,
  },
  {
    name: "promoted-rules-of-a-profile",
    config: { [MINE]: '[[promoted]]\nrule = "Bash:git push"\ndirectory = "/home/user/app"\n' },
    flags: OWN,
  },
  {
    name: "promoted-rules-of-the-default",
    config: { "profiles/default.rules.toml": '[[promoted]]\nrule = "Bash:make"\n' },
  },
  {
    name: "strict-permissions-and-own-rules",
    config: { [CONFIG]: '[permissions]\nallow = ["Bash:ls *"]\n' },
    flags: ["--strict-permissions"],
  },
  {
    name: "strict-where-one-says-so",
    config: { [CONFIG]: "[permissions]\nstrict = false\n", [MINE]: "permissions = { strict = true }\n" },
    flags: OWN,
  },
  {
    name: "own-values-of-routes-and-prices",
    config: {
      [CONFIG]:
        '[providers.a]\nkind = "anthropic"\nbase_url = "https://a.example"\nheaders = { x-key = "plain-one" }\n[providers.b]\nkind = "openai-responses"\nbase_url = "https://b.example/"\n[routing.r]\nmodel = "a:x"\n[prices."a:x"]\ninput = 1\noutput = 2\n',
    },
  },
  {
    name: "addresses-that-follow-from-another-key",
    config: { [CONFIG]: '[copilot]\ngithub_url = "https://we.ghe.com"\n' },
  },
  {
    name: "secrets-in-commands",
    config: {
      [CONFIG]:
        '[[mcp_servers]]\nname = "files"\ncmd = "/bin/files"\nargs = ["--api-key", "plain-one", "--token=plain-two", "-v"]\nenv = { WHAT = "plain-three" }\n',
    },
    text: true,
  },
  {
    name: "project-not-acknowledged",
    project: { [PROJECT]: RESTRICTS, ".cinch/permissions.toml": 'deny = ["WebFetch"]\n' },
    text: true,
  },
  { name: "project-restricts", project: { [PROJECT]: RESTRICTS }, acknowledged: true, text: true },
  {
    name: "project-restricts-what-flags-say",
    project: { [PROJECT]: RESTRICTS },
    acknowledged: true,
    flags: ["--level", "DangerFullAccess", "--max-time", "1h"],
  },
  {
    name: "project-is-wider-and-changes-nothing",
    config: {
      [CONFIG]:
        'max_time = "5m"\n[permissions]\nlevel = "ReadOnly"\nstrict = true\nquiet = false\nbash_in_sandbox = "ask"\n',
    },
    project: {
      [PROJECT]:
        'max_time = "2h"\n[permissions]\nlevel = "WorkspaceWrite"\nstrict = true\nquiet = false\nbash_in_sandbox = "ask"\n',
    },
    acknowledged: true,
  },
  {
    name: "project-with-a-file-of-permissions",
    project: {
      [PROJECT]: '[permissions]\ndeny = ["Bash:a *"]\n',
      ".cinch/permissions.toml": 'level = "ReadOnly"\ndeny = ["Bash:b *"]\n',
    },
    acknowledged: true,
  },
  {
    name: "project-widens",
    project: {
      [PROJECT]:
        'max_turns = 5\nanything = 1\nmax_time = "never"\n[permissions]\nlevel = "DangerFullAccess"\nstrict = false\nquiet = true\nbash_in_sandbox = "allow"\nallow = ["Bash"]\nalow = []\n[sandbox]\nnetwork = ["evil.example"]\nhidden = 3\n[memory]\nenabled = true\n',
      ".cinch/permissions.toml": 'level = "all"\nquiet = true\n',
    },
    acknowledged: true,
  },
  {
    name: "profile-of-the-project",
    project: { ".cinch/profiles/p.toml": 'permissions = { level = "ReadOnly" }\ntool_packs = ["fs"]\n' },
    acknowledged: true,
    flags: ["--profile", ".cinch/profiles/p.toml"],
  },
  {
    name: "profile-of-the-project-that-widens",
    project: {
      ".cinch/profiles/p.toml":
        'prompt_header = "x"\nallow_project_hooks = true\npermissions = { level = "DangerFullAccess", allow = ["Bash"] }\n[limits]\nrounds = 1\n[sandbox]\nbackend = "none"\n[[mcp_servers]]\nname = "m"\ncmd = "m"\n',
    },
    acknowledged: true,
    flags: ["--profile", ".cinch/profiles/p.toml"],
  },
  {
    name: "profile-that-lies-in-the-repository",
    project: {
      "ci/p.toml":
        'allow_project_hooks = true\n[[hooks]]\nevent = "Stop"\ncmd = "true"\n[[promoted]]\nrule = "Bash"\n[[diagnostics]]\nname = "d"\nfiles = ["*"]\ncommand = ["d"]\nunconfined = true\n',
    },
    flags: ["--profile", "ci/p.toml"],
  },
  {
    name: "values-of-a-wrong-type",
    config: {
      [CONFIG]:
        'default_model = 7\ndefault_profile = 7\nmax_turns = 0\nmax_cost = -1\nunknown_price = "x"\nmax_time = "soon"\nplugins = "x"\n[permissions]\nlevel = "Root"\nstrict = 1\nquiet = "no"\nbash_in_sandbox = true\nallow = "Bash"\n[sandbox]\nbackend = "jail"\nnetwork = [1]\n[session]\nidle_timeout = 3\nttl_days = -1\n[thinking]\neffort = "max!"\nbudget_tokens = 1\n[compaction]\nthreshold = "x"\nkeep_turns = 0\ncontext_tokens = 10\n[checkpoint]\nenabled = "x"\nbytes_max = 0\n[agents]\nrounds = 0\ndepth = -1\n[tasks]\nwake = 1\n[memory]\nenabled = 1\n[telemetry]\notlp = 1\n[credentials]\nkeychain = 1\n[trust]\nlockfile = 1\n',
    },
    text: true,
  },
  {
    name: "values-that-are-refused",
    config: {
      [CONFIG]:
        'default_model = "noprovider"\nplugins = ["rel", "/a/../b"]\n[sandbox]\nbackend = "container"\nnetwork = ["http://x", "a b"]\nwritable = ["/", "rel", "/dev", "/proc/x"]\nhidden = ["/", "a/../b"]\npass_env = ["1X", "LD_PRELOAD"]\n[session]\nidle_timeout = "soon"\n[compaction]\nthreshold = 0.05\n[delegate]\nmodel = "x"\n[telemetry]\notlp = "http://h/v1/traces"\n[trust]\nlockfile = "rel.lock"\n[providers.Bad]\nkind = "anthropic"\nbase_url = "x"\n[providers.b]\nbase_url = "http://u:p@h/"\napi_key_env = "1-x"\nheaders = { authorization = "x" }\n[routing.r]\nmodel = "routing:x"\n[[routing.r.rules]]\nmodel = "a:b"\n[prices."x"]\ninput = 1\n[vertex]\nbase_url = "ftp://x"\n[copilot]\nclient_id = "a b"\n',
    },
  },
  {
    name: "lists-of-tables-that-are-refused",
    config: {
      [CONFIG]:
        '[[hooks]]\nevent = "Pre"\ncmd = " "\ntimeout_ms = 700000\ncommand = "x"\n[[hooks]]\nevent = "Stop"\ncmd = "true"\nmatcher = "Bash"\n[[mcp_servers]]\nname = "a b"\ntimeout = 4000\ncmd = "x"\nurl = "https://x"\n[[mcp_servers]]\nname = "s"\ncmd = "a/b"\nsha256 = "x"\npass_env = ["LD_PRELOAD"]\ncwd = "rel"\n[[mcp_servers]]\nname = "s"\nurl = "http://far.example"\nheaders = { cookie = "x" }\ntransport = "stdio"\n[[diagnostics]]\nname = "a b"\nfiles = []\ncommand = ["./x"]\nwait = 500\n[[diagnostics]]\nname = "d"\nfiles = ["*"]\ncommand = ["d"]\n[[diagnostics]]\nname = "d"\nfiles = ["*"]\ncommand = ["d"]\n',
    },
  },
  {
    name: "unknown-keys-of-config",
    config: {
      [CONFIG]:
        'model = "a:b"\nmaxturns = 3\n[permisions]\ndeny = []\n[permissions]\nalow = []\n[memory]\nenable = true\n[sandbox]\nnetworks = []\n[tasks]\nwakes = true\n[agents]\ndepht = 2\n',
    },
    text: true,
  },
  {
    name: "unknown-keys-of-a-profile",
    config: {
      [MINE]:
        "limts = 3\nmax_turns = 3\n[limits]\ncots = 2\n[memory]\nenable = false\n[permissions]\nalow = []\n",
    },
    flags: OWN,
  },
  {
    name: "a-profile-with-only-warnings",
    config: { [MINE]: 'name = "default"\nlimts = 3\n[limits]\ncots = 2\n' },
    flags: OWN,
    text: true,
  },
  { name: "no-toml", config: { [CONFIG]: "a = = 1\n" } },
  { name: "a-newer-profile", config: { [MINE]: "schema_version = 2\nlevel = 3\n" }, flags: OWN },
  { name: "no-such-profile", flags: ["--profile", "defualt"], text: true },
];
