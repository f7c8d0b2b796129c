// Made by `npm run generate` from the lists in src/app/slash/slash-commands.ts. Changes here are lost.
import type { SlashCommandInfo } from "../resources.ts";

/** Every slash command that comes with cinch and is the same in each session. */
export const SLASH_COMMANDS = [
  {
    "name": "help",
    "usage": "/help",
    "help": "list the commands",
    "command": "client"
  },
  {
    "name": "cancel",
    "usage": "/cancel",
    "help": "cancel the running turn (as Ctrl-C does)",
    "command": "CancelTurn"
  },
  {
    "name": "clear",
    "usage": "/clear",
    "help": "clear the screen; the session keeps everything",
    "command": "client"
  },
  {
    "name": "cost",
    "usage": "/cost",
    "help": "cost of this session by model, with prices",
    "command": "client"
  },
  {
    "name": "new",
    "usage": "/new",
    "help": "begin a new session here, as this client was started",
    "command": "CreateSession"
  },
  {
    "name": "copy",
    "usage": "/copy",
    "help": "copy the last answer to the terminal's clipboard",
    "command": "client"
  },
  {
    "name": "model",
    "usage": "/model [provider:name]",
    "help": "show the model, or switch to another one",
    "command": "SetModel"
  },
  {
    "name": "effort",
    "usage": "/effort WORD",
    "help": "how hard it thinks: off, low, … high, xhigh or max",
    "command": "SetModel"
  },
  {
    "name": "key",
    "usage": "/key PROVIDER",
    "help": "store a provider's key, which you type unseen",
    "command": "StoreProviderKey"
  },
  {
    "name": "steer",
    "usage": "/steer TEXT",
    "help": "send TEXT to the running turn at its next step",
    "command": "SendInput",
    "takes_text": true
  },
  {
    "name": "withdraw",
    "usage": "/withdraw [N]",
    "help": "list queued inputs, or withdraw number N",
    "command": "WithdrawInput"
  },
  {
    "name": "drop",
    "usage": "/drop",
    "help": "discard the text that could not be sent",
    "command": "client"
  },
  {
    "name": "health",
    "usage": "/health",
    "help": "state of each part of the engine",
    "command": "client",
    "stands_for": {
      "query": "GetEngineHealth",
      "shows": {
        "as": "health"
      }
    }
  },
  {
    "name": "web",
    "usage": "/web",
    "help": "address of its web client, where it serves one",
    "command": "client",
    "stands_for": {
      "query": "GetWebClient",
      "shows": {
        "as": "text",
        "text": "{url}",
        "none": "This engine serves no web client: this version has none. cinch serve --listen lets other programs attach."
      }
    }
  },
  {
    "name": "resume",
    "usage": "/resume ID",
    "help": "resume another session; last is the newest",
    "command": "AttachSession"
  },
  {
    "name": "quit",
    "usage": "/quit",
    "help": "cancel the running turn, then leave (also /exit)",
    "command": "client",
    "aliases": [
      "exit"
    ]
  },
  {
    "name": "profile",
    "usage": "/profile",
    "help": "profile in use, its skills, servers and tools",
    "command": "client",
    "stands_for": {
      "query": "GetSessionProfile",
      "fields": {
        "sessionId": {
          "from": "session"
        }
      },
      "shows": {
        "as": "profile"
      }
    }
  },
  {
    "name": "profiles",
    "usage": "/profiles [PATH]",
    "help": "list the profiles",
    "command": "client",
    "stands_for": {
      "query": "ListProfiles",
      "fields": {
        "sessionId": {
          "from": "session"
        }
      },
      "shows": {
        "as": "list",
        "field": "profiles",
        "line": "{name}  {source}",
        "words": {
          "user": "yours"
        },
        "mark": {
          "field": "current",
          "key": "name"
        },
        "none": "There are no profiles.",
        "after": "/profiles:NAME switches to one of them."
      }
    }
  },
  {
    "name": "profiles:NAME",
    "usage": "/profiles:NAME [--import N] [--in-place]",
    "help": "switch to another profile, in a new session",
    "command": "SwitchProfile"
  },
  {
    "name": "hooks",
    "usage": "/hooks",
    "help": "the hooks of this session",
    "command": "client",
    "stands_for": {
      "query": "ListHooks",
      "fields": {
        "sessionId": {
          "from": "session"
        }
      },
      "shows": {
        "as": "list",
        "field": "hooks",
        "line": "  {event}[  {matcher}]  {command}  ({source})",
        "none": "This session has no hooks."
      }
    }
  },
  {
    "name": "memory",
    "usage": "/memory",
    "help": "memories read, written and removed in this session",
    "command": "client"
  },
  {
    "name": "skills",
    "usage": "/skills",
    "help": "list the skills",
    "command": "client",
    "takes_text": true,
    "stands_for": {
      "query": "ListSkills",
      "fields": {
        "sessionId": {
          "from": "session"
        }
      },
      "shows": {
        "as": "list",
        "field": "skills",
        "line": "{name} ({source}): {description}",
        "none": "There are no skills.",
        "notes": "notices"
      }
    }
  },
  {
    "name": "skills:NAME",
    "usage": "/skills:NAME [TEXT]",
    "help": "use a skill for this input",
    "command": "SendInput"
  },
  {
    "name": "skills:reload",
    "usage": "/skills:reload",
    "help": "reload all skills; asks about changed ones",
    "command": "ReloadSkills"
  },
  {
    "name": "mcp",
    "usage": "/mcp",
    "help": "the MCP servers of this session and their state",
    "command": "client",
    "stands_for": {
      "query": "ListMcpServers",
      "fields": {
        "sessionId": {
          "from": "session"
        }
      },
      "shows": {
        "as": "list",
        "field": "servers",
        "line": "  {name}  {state}[  {tools|tool}]",
        "none": "This session has no MCP servers."
      }
    }
  },
  {
    "name": "mcp:SERVER",
    "usage": "/mcp:SERVER [status | restart | approve]",
    "help": "one MCP server",
    "command": "ManageMcp"
  },
  {
    "name": "mcp:restart",
    "usage": "/mcp:restart SERVER",
    "help": "restart an MCP server",
    "command": "ManageMcp"
  },
  {
    "name": "mcp:stop",
    "usage": "/mcp:stop SERVER",
    "help": "end an MCP server until /mcp:start",
    "command": "ManageMcp"
  },
  {
    "name": "mcp:start",
    "usage": "/mcp:start SERVER",
    "help": "start an MCP server that was stopped",
    "command": "ManageMcp"
  },
  {
    "name": "mcp:approve",
    "usage": "/mcp:approve SERVER",
    "help": "approve its program and its tools as they are now",
    "command": "ManageMcp"
  },
  {
    "name": "init",
    "usage": "/init [WORDS]",
    "help": "write an AGENTS.md for this project, or improve it",
    "command": "client",
    "takes_text": true
  },
  {
    "name": "prompts",
    "usage": "/prompts",
    "help": "list prompts of yours and of the project",
    "command": "client"
  },
  {
    "name": "prompts:NAME",
    "usage": "/prompts:NAME [WORDS]",
    "help": "send a prompt with WORDS filled in",
    "command": "client"
  },
  {
    "name": "agents",
    "usage": "/agents",
    "help": "list the kinds of sub-agents",
    "command": "client",
    "takes_text": true,
    "stands_for": {
      "query": "ListAgents",
      "fields": {
        "sessionId": {
          "from": "session"
        }
      },
      "shows": {
        "as": "list",
        "field": "agents",
        "line": "/agents:{name}  {description}",
        "none": "There are no kinds of sub-agents."
      }
    }
  },
  {
    "name": "agents:TYPE",
    "usage": "/agents:TYPE TEXT",
    "help": "give a task to a sub-agent of this kind",
    "command": "SendInput"
  },
  {
    "name": "plan",
    "usage": "/plan [off]",
    "help": "plan first: nothing changes until you approve it",
    "command": "EnterPlanMode"
  },
  {
    "name": "tasks",
    "usage": "/tasks",
    "help": "list background tasks",
    "command": "client"
  },
  {
    "name": "tasks:stop",
    "usage": "/tasks:stop N",
    "help": "stop a background task",
    "command": "StopTask"
  },
  {
    "name": "context",
    "usage": "/context",
    "help": "what fills the model's context window",
    "command": "client"
  },
  {
    "name": "compact",
    "usage": "/compact",
    "help": "replace the conversation with a summary",
    "command": "CompactSession"
  },
  {
    "name": "rewind",
    "usage": "/rewind [N [files | conversation | both] | undo]",
    "help": "list turns, go back to before one, or undo that",
    "command": "RewindSession"
  },
  {
    "name": "level",
    "usage": "/level LEVEL",
    "help": "ReadOnly, WorkspaceWrite or DangerFullAccess",
    "command": "SetLevel",
    "stands_for": {
      "command": "SetLevel",
      "fields": {
        "sessionId": {
          "from": "session"
        },
        "level": {
          "from": "word",
          "at": 0
        }
      },
      "shows": {
        "as": "text",
        "text": "level {level} from the next call on[. {notices}]"
      }
    }
  },
  {
    "name": "permissions",
    "usage": "/permissions",
    "help": "permissions granted in this session",
    "command": "client",
    "takes_text": true
  },
  {
    "name": "permissions:revoke",
    "usage": "/permissions:revoke N | RULE",
    "help": "revoke a permission granted in this session",
    "command": "RevokeRule",
    "takes_text": true
  },
  {
    "name": "permissions:promote",
    "usage": "/permissions:promote N | RULE [--everywhere]",
    "help": "keep a permission for later sessions",
    "command": "PromoteRule",
    "takes_text": true
  },
  {
    "name": "sessions:list",
    "usage": "/sessions:list [all]",
    "help": "sessions of this directory",
    "command": "client",
    "stands_for": {
      "query": "ListSessions",
      "fields": {
        "past": {
          "from": "value",
          "value": true
        },
        "limit": {
          "from": "value",
          "value": 50
        },
        "sessionId": {
          "from": "session",
          "unless": [
            "all",
            "--all"
          ]
        }
      },
      "shows": {
        "as": "sessions",
        "none": "There are none."
      }
    }
  },
  {
    "name": "sessions:find",
    "usage": "/sessions:find ID",
    "help": "find a session by the start of its id",
    "command": "client",
    "stands_for": {
      "query": "FindSession",
      "fields": {
        "text": {
          "from": "word",
          "at": 0
        },
        "sessionId": {
          "from": "session"
        }
      },
      "shows": {
        "as": "text",
        "text": "{session}"
      }
    }
  },
  {
    "name": "sessions:resume",
    "usage": "/sessions:resume ID",
    "help": "resume another session; last is the newest",
    "command": "AttachSession"
  },
  {
    "name": "sessions:attach",
    "usage": "/sessions:attach ID",
    "help": "resume the session that a notice names",
    "command": "AttachSession"
  },
  {
    "name": "sessions:hush",
    "usage": "/sessions:hush ID",
    "help": "mute the questions of an agent's session",
    "command": "MuteSession",
    "stands_for": {
      "command": "MuteSession",
      "fields": {
        "sessionId": {
          "from": "find",
          "at": 0
        }
      },
      "shows": {
        "as": "text",
        "text": "Questions of this session are shown only to clients that subscribe to it."
      }
    }
  },
  {
    "name": "sessions:attach-always",
    "usage": "/sessions:attach-always [ID]",
    "help": "always auto-attach sessions of this program",
    "command": "AnswerAutoAttach",
    "stands_for": {
      "command": "AnswerAutoAttach",
      "fields": {
        "sessionId": {
          "from": "find",
          "at": 0
        },
        "always": {
          "from": "value",
          "value": true
        }
      }
    }
  },
  {
    "name": "sessions:attach-never",
    "usage": "/sessions:attach-never [ID]",
    "help": "never auto-attach sessions of this program",
    "command": "AnswerAutoAttach",
    "stands_for": {
      "command": "AnswerAutoAttach",
      "fields": {
        "sessionId": {
          "from": "find",
          "at": 0
        },
        "always": {
          "from": "value",
          "value": false
        }
      }
    }
  },
  {
    "name": "diff",
    "usage": "/diff [TURN | PATH]",
    "help": "changed lines of this session, a turn or a file",
    "command": "client"
  },
  {
    "name": "sessions:diff",
    "usage": "/sessions:diff [TURN | ID]",
    "help": "files that a session changed",
    "command": "RewindSession"
  },
  {
    "name": "sessions:branch",
    "usage": "/sessions:branch [ID] [at TURN|eN]",
    "help": "copy a session up to the end of a turn",
    "command": "BranchSession"
  },
  {
    "name": "sessions:pin",
    "usage": "/sessions:pin [ID]",
    "help": "keep a session from expiring",
    "command": "PinSession",
    "stands_for": {
      "command": "PinSession",
      "fields": {
        "sessionId": {
          "from": "find",
          "at": 0
        },
        "pinned": {
          "from": "value",
          "value": true
        }
      },
      "shows": {
        "as": "text",
        "text": "{sessionId} is pinned and does not expire."
      }
    }
  },
  {
    "name": "sessions:unpin",
    "usage": "/sessions:unpin [ID]",
    "help": "let a session expire again",
    "command": "PinSession",
    "stands_for": {
      "command": "PinSession",
      "fields": {
        "sessionId": {
          "from": "find",
          "at": 0
        },
        "pinned": {
          "from": "value",
          "value": false
        }
      },
      "shows": {
        "as": "text",
        "text": "{sessionId} is no longer pinned."
      }
    }
  },
  {
    "name": "rename",
    "usage": "/rename [TITLE]",
    "help": "name this session; nothing: by its first words",
    "command": "RenameSession",
    "takes_text": true,
    "stands_for": {
      "command": "RenameSession",
      "fields": {
        "sessionId": {
          "from": "session"
        },
        "title": {
          "from": "rest"
        }
      },
      "shows": {
        "as": "text",
        "text": "Renamed."
      }
    }
  },
  {
    "name": "sessions:archive",
    "usage": "/sessions:archive [ID]",
    "help": "leave a session out of the lists; it stays",
    "command": "ArchiveSession",
    "stands_for": {
      "command": "ArchiveSession",
      "fields": {
        "sessionId": {
          "from": "find",
          "at": 0
        },
        "archived": {
          "from": "value",
          "value": true
        }
      },
      "shows": {
        "as": "text",
        "text": "{sessionId} is archived."
      }
    }
  },
  {
    "name": "sessions:unarchive",
    "usage": "/sessions:unarchive [ID]",
    "help": "list an archived session again",
    "command": "ArchiveSession",
    "stands_for": {
      "command": "ArchiveSession",
      "fields": {
        "sessionId": {
          "from": "find",
          "at": 0
        },
        "archived": {
          "from": "value",
          "value": false
        }
      },
      "shows": {
        "as": "text",
        "text": "{sessionId} is listed again."
      }
    }
  },
  {
    "name": "sessions:export",
    "usage": "/sessions:export [ID] [--format FORMAT]",
    "help": "write a session to a file, as jsonl or markdown",
    "command": "ExportSession",
    "stands_for": {
      "command": "ExportSession",
      "fields": {
        "sessionId": {
          "from": "find",
          "at": 0
        },
        "directoryOf": {
          "from": "session"
        },
        "format": {
          "from": "option",
          "words": [
            "--format"
          ],
          "same": {
            "md": "markdown"
          }
        },
        "output": {
          "from": "option",
          "words": [
            "--output"
          ]
        }
      },
      "shows": {
        "as": "text",
        "text": "Written to {path}"
      }
    }
  },
  {
    "name": "sessions:dismiss",
    "usage": "/sessions:dismiss",
    "help": "hide the warning about sessions that expire soon",
    "command": "DismissExpiring",
    "stands_for": {
      "command": "DismissExpiring",
      "fields": {
        "sessionId": {
          "from": "session"
        }
      },
      "shows": {
        "as": "text",
        "text": "Dismissed for {sessions|session}."
      }
    }
  }
] as const satisfies readonly SlashCommandInfo[];
