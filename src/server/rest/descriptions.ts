// Made from the doc comments in src/protocol by `npm run generate`. Changes here are lost.
import type { Descriptions } from "./described.ts";

export const DESCRIPTIONS: Descriptions = {
 "Command": {
  "about": "One command of a client."
 },
 "Accepted": {
  "about": "Result of an accepted command. Refusals are `HarnessError`s.",
  "fields": {
   "sessionId": {
    "about": "The session that was created or branched, or the run that took over a paused one."
   },
   "inputId": {
    "about": "The input, if it waits."
   },
   "result": {
    "about": "Result of a command that returns data (a preview, a status)."
   }
  }
 },
 "AttachmentInfo": {
  "about": "A file that a session keeps for its inputs. Since protocol 0.3.0.",
  "fields": {
   "attachment": {
    "about": "Id of an uploaded file."
   },
   "name": {
    "about": "The name alone, without folders."
   },
   "media_type": {
    "about": "From the bytes of the file, whatever the upload said."
   },
   "bytes": {
    "about": "Size of the file."
   }
  }
 },
 "Envelope": {
  "about": "One event of a session. A client ignores a kind that it does not know."
 },
 "NewsItem": {
  "about": "One item of the stream of news about sessions. It begins with a `SessionChanged` of each session, then `NewsReady`; later ones are changes. Since protocol 0.3.0.",
  "options": [
   {
    "about": "A session that began or has changed."
   },
   {
    "about": "A session that is gone."
   },
   {
    "about": "The end of the first list."
   }
  ]
 },
 "Handshake": {
  "about": "Statement of each side before any command. `command_kinds`, `event_kinds` and `features` list only what is served.",
  "fields": {
   "protocol_version": {
    "about": "Version of the protocol that the engine speaks."
   },
   "canonical_form_version": {
    "about": "Version of the form in which messages are kept."
   },
   "schema_version_token_claim": {
    "about": "Version of the claims in tokens."
   },
   "schema_version_profile": {
    "about": "Version of the format of profiles."
   },
   "schema_version_session_log": {
    "about": "Version of the format of session logs."
   },
   "command_kinds": {
    "about": "The commands that the engine accepts."
   },
   "event_kinds": {
    "about": "The events that the engine writes."
   },
   "query_kinds": {
    "about": "The queries that the engine answers. Since protocol 0.3.0."
   },
   "features": {
    "about": "Features that the engine serves, by name."
   },
   "resource_uri_scheme": {
    "about": "Scheme of the addresses of MCP resources."
   }
  }
 },
 "AgentInfo": {
  "about": "A kind of sub-agent.",
  "fields": {
   "name": {
    "about": "Name of the kind."
   },
   "description": {
    "about": "Purpose, for the model."
   }
  }
 },
 "CacheInfo": {
  "about": "Statistics of the caches of one name. Hits, misses and evictions count from the start of the engine.",
  "fields": {
   "name": {
    "about": "Name of the cache."
   },
   "entries": {
    "about": "Number of entries."
   },
   "bytes": {
    "about": "Size of the entries."
   },
   "hits": {
    "about": "Lookups that found an entry."
   },
   "misses": {
    "about": "Lookups that found none."
   },
   "evictions": {
    "about": "Entries removed for lack of space."
   }
  }
 },
 "EngineHealth": {
  "about": "The parts of an engine and their state, for its operator.",
  "fields": {
   "version": {
    "about": "Version of cinch."
   },
   "pid": {
    "about": "Process id of the engine."
   },
   "sessions": {
    "about": "Number of sessions that run."
   },
   "key_helper": {
    "about": "`none`: there are no keys, or the engine holds them itself.",
    "fields": {
     "state": {
      "about": "State of the process that holds keys."
     },
     "failures": {
      "about": "Number of its failures."
     }
    }
   },
   "machine_key": {
    "about": "Source of the machine key. Absent: it was not used yet."
   },
   "database": {
    "about": "The file that holds the sessions.",
    "fields": {
     "path": {
      "about": "Path of the file."
     },
     "bytes": {
      "about": "Size of the file. Absent if there is none."
     }
    }
   },
   "mcp_servers": {
    "about": "The MCP servers that it uses."
   },
   "listening": {
    "about": "Addresses. Empty: it serves its own process only."
   },
   "allowed_origins": {
    "about": "Origins whose pages it answers. Absent: none. Since protocol 0.3.0."
   },
   "notify": {
    "about": "Notifications to the user's address. `problem` is that of the last one; `dropped` are those that had no room. Absent: none are sent. Since protocol 0.3.0.",
    "fields": {
     "state": {
      "about": "\"failing\": the last one was not delivered."
     },
     "problem": {
      "about": "Reason why the last one was not delivered."
     },
     "sent": {
      "about": "Number of delivered notifications."
     },
     "failed": {
      "about": "Number of failed notifications."
     },
     "dropped": {
      "about": "Number of notifications that had no room."
     }
    }
   }
  }
 },
 "ErrorBody": {
  "about": "Body of every refusal.",
  "fields": {
   "reason": {
    "about": "Name of the refusal, for programs."
   },
   "message": {
    "about": "Text for people."
   },
   "details": {
    "about": "Values in the text, by name."
   }
  }
 },
 "FollowingClient": {
  "about": "A client that follows a session. Since protocol 0.3.0.",
  "fields": {
   "id": {
    "about": "Id of a client."
   },
   "label": {
    "about": "Name that it gives itself, without control characters. Never trust it: clients may share one."
   },
   "identity_class": {
    "about": "Class of its token."
   }
  }
 },
 "Health": {
  "about": "State of the engine.",
  "fields": {
   "status": {
    "about": "`starting`: it listens, and its owner gets no token yet. Since protocol 0.3.0."
   },
   "protocol_version": {
    "about": "Version of the protocol that it speaks."
   }
  }
 },
 "McpServerInfo": {
  "about": "An MCP server of the engine.",
  "fields": {
   "name": {
    "about": "Name of the server."
   },
   "state": {
    "about": "\"degraded\": it could not be started again."
   },
   "tools": {
    "about": "Number of its tools."
   },
   "sessions": {
    "about": "The sessions that use it, of those that the token names. It distinguishes two servers of one name that different sessions declare. Since protocol 0.3.0.",
    "items": {
     "about": "Id of a session: one run on a log."
    }
   }
  }
 },
 "ModelInfo": {
  "about": "A model of a provider.",
  "fields": {
   "id": {
    "about": "Name of the model, without its provider."
   },
   "name": {
    "about": "Name for people."
   },
   "context_tokens": {
    "about": "Tokens that it accepts. Absent: unknown."
   },
   "output_tokens_max": {
    "about": "Longest answer. Absent: unknown."
   },
   "accepts": {
    "about": "Content that it is known to accept. Absent: unknown. Since protocol 0.3.0."
   },
   "thinking": {
    "about": "True if it can think before it answers. Absent: unknown. Since protocol 0.3.0."
   },
   "efforts": {
    "about": "Efforts that it accepts; others become the nearest below. Absent: unknown. Since protocol 0.3.0."
   },
   "price": {
    "about": "Absent: unknown."
   }
  }
 },
 "ModelPriceInfo": {
  "about": "Prices of one model. `long`: for a request whose input has more tokens than `above_tokens`.",
  "fields": {
   "input": {
    "about": "Price of the input."
   },
   "output": {
    "about": "Price of the answer."
   },
   "cache_read": {
    "about": "Price of input that is read from the prompt cache."
   },
   "cache_write": {
    "about": "Price of input that is written to the prompt cache."
   },
   "long": {
    "about": "Prices of a long request.",
    "fields": {
     "input": {
      "about": "Price of the input."
     },
     "output": {
      "about": "Price of the answer."
     },
     "cache_read": {
      "about": "Price of input that is read from the prompt cache."
     },
     "cache_write": {
      "about": "Price of input that is written to the prompt cache."
     },
     "above_tokens": {
      "about": "A request with more input tokens is long."
     }
    }
   }
  }
 },
 "PriceInfo": {
  "about": "US dollars for one million tokens. An absent price is unknown, never free.",
  "fields": {
   "input": {
    "about": "Price of the input."
   },
   "output": {
    "about": "Price of the answer."
   },
   "cache_read": {
    "about": "Price of input that is read from the prompt cache."
   },
   "cache_write": {
    "about": "Price of input that is written to the prompt cache."
   }
  }
 },
 "ProfileInfo": {
  "about": "A profile, with what it declares.",
  "fields": {
   "name": {
    "about": "Name of the profile."
   },
   "source": {
    "about": "\"embedded\": part of cinch; \"user\": in the user's configuration."
   },
   "default_model": {
    "about": "`provider:name`."
   },
   "context_sources": {
    "about": "Files whose text stands in the system text."
   },
   "tool_packs": {
    "about": "Groups of tools that it has."
   },
   "skill_packs": {
    "about": "Folders of skills that it has."
   },
   "mcp_servers": {
    "about": "Servers that the profile itself declares, without their arguments and environment.",
    "items": {
     "fields": {
      "name": {
       "about": "Name of the server."
      },
      "transport": {
       "about": "Transport to the server."
      },
      "discovery": {
       "about": "When its tools are read: at the start, or when one is needed."
      },
      "pinned": {
       "about": "True if its program is pinned to its content."
      }
     }
    }
   },
   "plugins": {
    "about": "Names of its plugins."
   },
   "permissions": {
    "about": "Permissions that it declares.",
    "fields": {
     "level": {
      "about": "Levels of a session, the tightest first."
     },
     "strict": {
      "about": "True if calls above the level are denied without a question."
     },
     "rules": {
      "about": "Permission rules.",
      "items": {
       "fields": {
        "effect": {
         "about": "Effect of the rule."
        },
        "rule": {
         "about": "The rule."
        }
       }
      }
     }
    }
   },
   "allow_project_hooks": {
    "about": "True if hooks of repositories may run."
   }
  }
 },
 "ProviderInfo": {
  "about": "A model provider.",
  "fields": {
   "name": {
    "about": "Name of the provider."
   },
   "configured": {
    "about": "True if it is set up: a key exists, or the configuration names it. Keys themselves are never returned."
   },
   "models": {
    "about": "Its catalogue. Absent: not requested, or not available."
   },
   "error": {
    "about": "Reason why the catalogue is not available."
   },
   "address": {
    "about": "Usual address of a model server on the machine of the engine; ListModels shows if it answers. Absent: it is another provider. Since protocol 0.3.0."
   },
   "key_variable": {
    "about": "Variable for its key, which StoreProviderKey stores. Absent: it takes no such key. Since protocol 0.3.0."
   }
  }
 },
 "RuntimeInfo": {
  "about": "The process behind an engine. Optional fields are absent for a token of named sessions.",
  "fields": {
   "version": {
    "about": "Version of cinch."
   },
   "protocol_version": {
    "about": "Version of the protocol that it speaks."
   },
   "engine": {
    "about": "Random id of each start of the engine. Since protocol 0.3.0."
   },
   "pid": {
    "about": "Process id of the engine."
   },
   "started_at": {
    "about": "Time at which it started."
   },
   "sessions": {
    "about": "Number of sessions that run."
   },
   "caches": {
    "about": "Data in memory that can be fetched again: the caches share one budget, in bytes.",
    "fields": {
     "bytes": {
      "about": "Size of all caches."
     },
     "bytes_max": {
      "about": "Limit of that size."
     },
     "each": {
      "about": "The caches."
     }
    }
   }
  }
 },
 "SessionDetail": {
  "about": "One session at its own address: `last_events` are the newest of its log, in order.",
  "fields": {
   "session": {
    "about": "The newest run on its log."
   },
   "log": {
    "about": "Id of a log: it stays the same when a session is resumed."
   },
   "status": {
    "about": "\"running\": a process holds it; \"interrupted\": it stopped in the middle of a turn; \"paused\": it can be resumed."
   },
   "live": {
    "about": "True if this engine runs it: it takes input now."
   },
   "state": {
    "about": "\"running\": a turn runs; \"waiting\": a question waits for an answer; \"idle\": neither. Of a session of another process it is only known if a turn runs. Since protocol 0.3.0."
   },
   "title": {
    "about": "The beginning of the first prompt, unless `renamed`."
   },
   "renamed": {
    "about": "True if a person gave it its title. Since protocol 0.3.0."
   },
   "archived": {
    "about": "True if lists leave it out. Since protocol 0.3.0."
   },
   "profile": {
    "about": "Name of the profile."
   },
   "model": {
    "about": "`provider:name`."
   },
   "effort": {
    "about": "The effort that a client chose for the session. Absent: the configuration decides. Since protocol 0.3.0."
   },
   "level": {
    "about": "Permission level; of a session that runs here. Since protocol 0.3.0."
   },
   "plan_mode": {
    "about": "True in plan mode. Since protocol 0.3.0."
   },
   "turns": {
    "about": "Number of turns."
   },
   "unused": {
    "about": "True if it was never used: it has no turn, waiting input, command of a person, title of a person, draft or pin. Since protocol 0.3.0."
   },
   "unread": {
    "about": "Turns that have ended since the mark of `reader`; without a mark, all. Since protocol 0.3.0."
   },
   "cost_usd": {
    "about": "US dollars of all of its calls; null if the price of one is unknown. Since protocol 0.3.0."
   },
   "input_tokens": {
    "about": "Tokens of the input of all of its calls, without those of the cache. Since protocol 0.3.0."
   },
   "output_tokens": {
    "about": "Tokens of the answers."
   },
   "cache_read_tokens": {
    "about": "Tokens read from the prompt cache."
   },
   "cache_write_tokens": {
    "about": "Tokens written to the prompt cache."
   },
   "context_tokens": {
    "about": "Tokens of the newest request and its answer. Absent: unknown. Since protocol 0.3.0."
   },
   "context_window": {
    "about": "Tokens that the model accepts. Absent: unknown. Since protocol 0.3.0."
   },
   "questions": {
    "about": "Questions that wait for an answer; 0 for a session that does not run here. Since protocol 0.3.0."
   },
   "queued": {
    "about": "Inputs that wait for their turn; 0 for a session that does not run here. Since protocol 0.3.0."
   },
   "events": {
    "about": "The id of its last event."
   },
   "reserved": {
    "about": "Set if it broke off: clients may have seen events up to this id. The next run begins behind it, with a StreamGap for those that are lost. Since protocol 0.3.0."
   },
   "asked_since": {
    "about": "Set if a question in it is not answered: every open question has an id above this."
   },
   "queued_since": {
    "about": "Set if an input in it waits for its turn: every one that waits has an id above this. Since protocol 0.3.0."
   },
   "created_at": {
    "about": "Time at which its log began."
   },
   "updated_at": {
    "about": "Time of its last event."
   },
   "working_dir": {
    "about": "Absolute path of its working directory."
   },
   "pinned": {
    "about": "True if it does not end by itself when nobody uses it."
   },
   "branch_of": {
    "about": "`session`: the newest run of that log; absent if it was deleted.",
    "fields": {
     "log": {
      "about": "Id of a log: it stays the same when a session is resumed."
     },
     "event": {
      "about": "The event at which it branched off."
     },
     "session": {
      "about": "Id of a session: one run on a log."
     }
    }
   },
   "attached_by": {
    "about": "Names of the clients that follow it; for tokens of every session. Since protocol 0.3.0."
   },
   "clients": {
    "about": "The clients that follow it, in the order in which they came, each once; at most `CLIENTS_LISTED_MAX`. For tokens of every session. News of the session come when one attaches or leaves. Since protocol 0.3.0."
   },
   "expires_in_days": {
    "about": "Days until content of it expires. Absent: none will. Since protocol 0.3.0."
   },
   "last_text": {
    "about": "The end of the model's last text on one line, with `previews`. Since protocol 0.3.0."
   },
   "last_events": {
    "about": "The newest events of its log, in order."
   }
  }
 },
 "SessionInfo": {
  "about": "A session, running or stored.",
  "fields": {
   "session": {
    "about": "The newest run on its log."
   },
   "log": {
    "about": "Id of a log: it stays the same when a session is resumed."
   },
   "status": {
    "about": "\"running\": a process holds it; \"interrupted\": it stopped in the middle of a turn; \"paused\": it can be resumed."
   },
   "live": {
    "about": "True if this engine runs it: it takes input now."
   },
   "state": {
    "about": "\"running\": a turn runs; \"waiting\": a question waits for an answer; \"idle\": neither. Of a session of another process it is only known if a turn runs. Since protocol 0.3.0."
   },
   "title": {
    "about": "The beginning of the first prompt, unless `renamed`."
   },
   "renamed": {
    "about": "True if a person gave it its title. Since protocol 0.3.0."
   },
   "archived": {
    "about": "True if lists leave it out. Since protocol 0.3.0."
   },
   "profile": {
    "about": "Name of the profile."
   },
   "model": {
    "about": "`provider:name`."
   },
   "effort": {
    "about": "The effort that a client chose for the session. Absent: the configuration decides. Since protocol 0.3.0."
   },
   "level": {
    "about": "Permission level; of a session that runs here. Since protocol 0.3.0."
   },
   "plan_mode": {
    "about": "True in plan mode. Since protocol 0.3.0."
   },
   "turns": {
    "about": "Number of turns."
   },
   "unused": {
    "about": "True if it was never used: it has no turn, waiting input, command of a person, title of a person, draft or pin. Since protocol 0.3.0."
   },
   "unread": {
    "about": "Turns that have ended since the mark of `reader`; without a mark, all. Since protocol 0.3.0."
   },
   "cost_usd": {
    "about": "US dollars of all of its calls; null if the price of one is unknown. Since protocol 0.3.0."
   },
   "input_tokens": {
    "about": "Tokens of the input of all of its calls, without those of the cache. Since protocol 0.3.0."
   },
   "output_tokens": {
    "about": "Tokens of the answers."
   },
   "cache_read_tokens": {
    "about": "Tokens read from the prompt cache."
   },
   "cache_write_tokens": {
    "about": "Tokens written to the prompt cache."
   },
   "context_tokens": {
    "about": "Tokens of the newest request and its answer. Absent: unknown. Since protocol 0.3.0."
   },
   "context_window": {
    "about": "Tokens that the model accepts. Absent: unknown. Since protocol 0.3.0."
   },
   "questions": {
    "about": "Questions that wait for an answer; 0 for a session that does not run here. Since protocol 0.3.0."
   },
   "queued": {
    "about": "Inputs that wait for their turn; 0 for a session that does not run here. Since protocol 0.3.0."
   },
   "events": {
    "about": "The id of its last event."
   },
   "reserved": {
    "about": "Set if it broke off: clients may have seen events up to this id. The next run begins behind it, with a StreamGap for those that are lost. Since protocol 0.3.0."
   },
   "asked_since": {
    "about": "Set if a question in it is not answered: every open question has an id above this."
   },
   "queued_since": {
    "about": "Set if an input in it waits for its turn: every one that waits has an id above this. Since protocol 0.3.0."
   },
   "created_at": {
    "about": "Time at which its log began."
   },
   "updated_at": {
    "about": "Time of its last event."
   },
   "working_dir": {
    "about": "Absolute path of its working directory."
   },
   "pinned": {
    "about": "True if it does not end by itself when nobody uses it."
   },
   "branch_of": {
    "about": "`session`: the newest run of that log; absent if it was deleted.",
    "fields": {
     "log": {
      "about": "Id of a log: it stays the same when a session is resumed."
     },
     "event": {
      "about": "The event at which it branched off."
     },
     "session": {
      "about": "Id of a session: one run on a log."
     }
    }
   },
   "attached_by": {
    "about": "Names of the clients that follow it; for tokens of every session. Since protocol 0.3.0."
   },
   "clients": {
    "about": "The clients that follow it, in the order in which they came, each once; at most `CLIENTS_LISTED_MAX`. For tokens of every session. News of the session come when one attaches or leaves. Since protocol 0.3.0."
   },
   "expires_in_days": {
    "about": "Days until content of it expires. Absent: none will. Since protocol 0.3.0."
   },
   "last_text": {
    "about": "The end of the model's last text on one line, with `previews`. Since protocol 0.3.0."
   }
  }
 },
 "SessionProfile": {
  "about": "The profile of a session, with what is loaded under it.",
  "fields": {
   "profile": {
    "about": "Name of the profile."
   },
   "reference": {
    "about": "The name or path that it was requested by."
   },
   "path": {
    "about": "Path of its file."
   },
   "source": {
    "about": "Source."
   },
   "model": {
    "about": "`provider:name`."
   },
   "skills": {
    "about": "Names of its skills."
   },
   "mcp_servers": {
    "about": "The MCP servers that run for it."
   },
   "tools": {
    "about": "Its tools.",
    "items": {
     "fields": {
      "name": {
       "about": "Name of the tool."
      },
      "source": {
       "about": "Source of the tool."
      }
     }
    }
   }
  }
 },
 "SkillInfo": {
  "about": "A skill.",
  "fields": {
   "name": {
    "about": "Name of the skill."
   },
   "description": {
    "about": "In a list one line of at most 250 characters; with the text the whole of it."
   },
   "source": {
    "about": "Source."
   },
   "path": {
    "about": "Its folder, if a session is given."
   }
  }
 },
 "SkillText": {
  "about": "A skill with its text.",
  "fields": {
   "name": {
    "about": "Name of the skill."
   },
   "description": {
    "about": "In a list one line of at most 250 characters; with the text the whole of it."
   },
   "source": {
    "about": "Source."
   },
   "path": {
    "about": "Its folder, if a session is given."
   },
   "text": {
    "about": "The text of SKILL.md below its head."
   },
   "fields": {
    "about": "Other fields of its SKILL.md head, unchanged: license, compatibility, metadata, allowed-tools and others."
   }
  }
 },
 "SlashCommandInfo": {
  "about": "A command that a person can type behind a slash.",
  "fields": {
   "name": {
    "about": "Without the slash; with its namespace if it has one: \"compact\", \"sessions:list\"."
   },
   "usage": {
    "about": "The command with its words."
   },
   "help": {
    "about": "Effect in a sentence."
   },
   "command": {
    "about": "The command that runs it; \"client\" if the client runs it itself."
   },
   "alias_of": {
    "about": "For an alias: what a client replaces it with, before the words that follow."
   },
   "namespace": {
    "about": "Part of the name before the colon; absent: it has none."
   },
   "description": {
    "about": "The same as `help`."
   },
   "args_help": {
    "about": "Words after the name, as `usage` writes them; absent: there are none, or they are free."
   },
   "args_schema": {
    "about": "JSON Schema of the words after the name, as one text."
   },
   "aliases": {
    "about": "Further names. Since protocol 0.3.0."
   },
   "takes_text": {
    "about": "True if the words are one text: quotes need not be closed. Since protocol 0.3.0."
   },
   "stands_for": {
    "about": "The query or command that a client sends for it, and the layout of the answer. Since protocol 0.3.0.",
    "fields": {
     "query": {
      "about": "Kind of the query."
     },
     "command": {
      "about": "Kind of the command."
     },
     "fields": {
      "about": "Source of each field.",
      "values": {
       "about": "Source of a field of a query or command.\n`session`: the current session. `word`: a word after the name, counted from 0. `find`: such a word, resolved to the session that it means; default: the current session. `rest`: the words as typed. `flag`: true if one of these words is present. `option`: the word after one of these flags. `value`: a constant.",
       "options": [
        {
         "fields": {
          "unless": {
           "about": "Not sent if one of these flags is present."
          }
         }
        },
        {
         "fields": {
          "at": {
           "about": "Number of the word, from 0."
          },
          "optional": {
           "about": "True: the word may be missing."
          }
         }
        },
        {
         "fields": {
          "at": {
           "about": "Number of the word, from 0."
          }
         }
        },
        {},
        {
         "fields": {
          "words": {
           "about": "The flags."
          }
         }
        },
        {
         "fields": {
          "words": {
           "about": "The flags."
          },
          "same": {
           "about": "Other spellings of a value."
          }
         }
        },
        {
         "fields": {
          "value": {
           "about": "The constant."
          }
         }
        }
       ]
      }
     },
     "shows": {
      "about": "Layout of the answer. Absent: nothing is drawn.",
      "options": [
       {
        "about": "`none`: the text if every field of `text` is absent.",
        "fields": {
         "text": {
          "about": "The template."
         },
         "none": {
          "about": "Text if every field of `text` is absent."
         }
        }
       },
       {
        "fields": {
         "field": {
          "about": "The list in the answer."
         },
         "line": {
          "about": "The template of one line."
         },
         "none": {
          "about": "The text for an empty list."
         },
         "words": {
          "about": "Texts that replace values."
         },
         "notes": {
          "about": "A list of further lines in the answer."
         },
         "after": {
          "about": "A line below the list."
         },
         "mark": {
          "about": "Marks with a star the line whose `key` equals the answer's `field`; other lines begin with a space.",
          "fields": {
           "field": {
            "about": "The field of the answer."
           },
           "key": {
            "about": "The field of the line."
           }
          }
         }
        }
       },
       {
        "fields": {
         "field": {
          "about": "The list in the answer."
         },
         "columns": {
          "about": "Head and template of each column.",
          "items": {
           "fields": {
            "head": {
             "about": "Head of the column."
            },
            "cell": {
             "about": "Template of the column."
            }
           }
          }
         },
         "none": {
          "about": "The text for an empty list."
         }
        }
       },
       {
        "about": "A special layout that every client implements.",
        "fields": {
         "none": {
          "about": "The text for an empty list."
         }
        }
       },
       {},
       {}
      ]
     }
    }
   },
   "is_builtin": {
    "about": "True if it belongs to cinch, and is the same in each session."
   }
  }
 },
 "TaskInfo": {
  "about": "A background task of a session.",
  "fields": {
   "task": {
    "about": "Id of a background task."
   },
   "what": {
    "about": "Description of the task."
   },
   "state": {
    "about": "State of the task."
   },
   "detail": {
    "about": "Result or reason, in words."
   },
   "updated_at": {
    "about": "Time of its last update."
   }
  }
 },
 "ToolInfo": {
  "about": "A tool.",
  "fields": {
   "name": {
    "about": "Name, as the model calls it."
   },
   "description": {
    "about": "Description for the model."
   },
   "input_schema": {
    "about": "JSON Schema of its arguments."
   },
   "level": {
    "about": "Permission level under which it runs without a question."
   },
   "mutating": {
    "about": "True if it may change something."
   },
   "lazy": {
    "about": "True if requests leave it out until the model searches for it."
   },
   "source": {
    "about": "Source: cinch, an MCP server, a plugin or a skill."
   },
   "spelled": {
    "about": "Its name with the spelling of its MCP server, if that is another. Since protocol 0.3.0."
   },
   "person_only": {
    "about": "The reason why each call needs the yes of a person, whatever rules say. Since protocol 0.3.0."
   }
  }
 },
 "TurnAnswer": {
  "about": "Answer to `?wait=turn`, when the turn has ended.",
  "fields": {
   "text": {
    "about": "Text of the last message of the model that had any; empty if none had."
   },
   "reason": {
    "about": "Reason why the turn ended, as TurnEnded has it; `withdrawn` if the input was withdrawn."
   },
   "turns": {
    "about": "Calls of the provider in this turn."
   },
   "cost_usd": {
    "about": "US dollars; null if the price of a call is unknown, or a call was cut off before it reported usage."
   },
   "tools_used": {
    "about": "Names of the tools that were called, each once, in the order of their first call."
   },
   "usage": {
    "about": "Tokens of the turn and its sub-agents. Since protocol 0.3.0."
   },
   "refused": {
    "about": "Calls that did not run because nobody had allowed them. Since protocol 0.3.0."
   },
   "error": {
    "about": "Reason why the turn did not end well. Absent after complete, yield, cancelled and withdrawn.",
    "fields": {
     "reason": {
      "about": "Name of the failure, for programs."
     },
     "message": {
      "about": "Text for people."
     }
    }
   },
   "events": {
    "about": "With `?events=true`: every event of the turn."
   }
  }
 },
 "UsageInfo": {
  "about": "Tokens of provider calls. Counts that a provider does not report are zero.",
  "fields": {
   "calls": {
    "about": "Provider calls."
   },
   "input_tokens": {
    "about": "Without the tokens of the cache."
   },
   "output_tokens": {
    "about": "Tokens of the answers."
   },
   "cache_read_tokens": {
    "about": "Tokens read from the prompt cache."
   },
   "cache_write_tokens": {
    "about": "Tokens written to the prompt cache."
   }
  }
 },
 "ListSessionsQuery": {
  "about": "The sessions that run here, with `past` the stored ones too, as far as the token names them; the newest first.",
  "fields": {
   "past": {
    "about": "`true`: those that are stored too. Default: those that run."
   },
   "sessionId": {
    "about": "Only sessions whose working directory is that of this one."
   },
   "limit": {
    "about": "At most so many. Default: 1000."
   },
   "text": {
    "about": "Words that the title, an id or the working directory contain, in any case: all of them in one field."
   },
   "state": {
    "about": "Only sessions in this state: `running`, `waiting` or `idle`."
   },
   "archived": {
    "about": "Archived sessions: `without` them (the default), `with` them, or them `only`."
   },
   "before": {
    "about": "`cursor` of an answer: the list continues after it."
   },
   "reader": {
    "about": "Name under which a client marks what it has read: `unread` is counted from its mark. Default: `unread` is left out."
   },
   "previews": {
    "about": "`true`: with the end of the model's last text."
   }
  }
 },
 "ListSessionsResult": {
  "fields": {
   "sessions": {
    "about": "The sessions, the newest first."
   },
   "more": {
    "about": "True if there are more: ask again with `before`. Since protocol 0.3.0."
   },
   "cursor": {
    "about": "Absent if there are no more. Since protocol 0.3.0."
   }
  }
 },
 "GetSessionQuery": {
  "about": "One session, with its last events.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   },
   "last": {
    "about": "Number of events, at most 1000. Default: 50. Above 4 MiB the oldest are left out."
   },
   "reader": {
    "about": "Name under which a client marks what it has read: `unread` is counted from its mark. Default: `unread` is left out."
   },
   "previews": {
    "about": "`true`: with the end of the model's last text."
   }
  }
 },
 "ListTasksQuery": {
  "about": "The background tasks of a session.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   }
  }
 },
 "ListTasksResult": {
  "fields": {
   "tasks": {
    "about": "The tasks, in the order in which they started."
   }
  }
 },
 "GetHealthQuery": {
  "about": "The state of the engine. 503 while it starts: ask again."
 },
 "GetRuntimeQuery": {
  "about": "The engine that answers; facts of its process for tokens of every session only."
 },
 "ListProfilesQuery": {
  "about": "The profiles.",
  "fields": {
   "sessionId": {
    "about": "Adds the name of the profile of this session."
   }
  }
 },
 "ListProfilesResult": {
  "fields": {
   "profiles": {
    "about": "The profiles."
   },
   "current": {
    "about": "The profile of the requested session."
   }
  }
 },
 "GetProfileQuery": {
  "about": "One profile.",
  "fields": {
   "name": {
    "about": "Name of the profile."
   }
  }
 },
 "ListProvidersQuery": {
  "about": "The model providers. With models, each provider that is set up is asked for them and has 5 s to answer; prices stand beside them. Keys are never shown.",
  "fields": {
   "models": {
    "about": "Adds the models, for which cinch asks the providers over the network. Default: `true` for a person's token, `false` for an agent's."
   },
   "choice": {
    "about": "Adds the model that a new session would get. Default: `false`."
   }
  }
 },
 "ListProvidersResult": {
  "fields": {
   "providers": {
    "about": "The providers."
   },
   "default_model": {
    "about": "Model of a new session without flags and profile: `provider:name`. Absent: not requested, or there is none. Since protocol 0.3.0."
   }
  }
 },
 "ListModelsQuery": {
  "about": "The models that a provider offers now.",
  "fields": {
   "provider": {
    "about": "Name of the provider."
   }
  }
 },
 "ListModelsResult": {
  "fields": {
   "models": {
    "about": "The models."
   }
  }
 },
 "ListToolsQuery": {
  "about": "The tools of cinch, and those that the running sessions add. Of one session: all that it has, with those of its servers, plugins and skills.",
  "fields": {
   "sessionId": {
    "about": "One session. Default: everything that all sessions have, and what the running ones add."
   }
  }
 },
 "ListToolsResult": {
  "fields": {
   "tools": {
    "about": "The tools."
   }
  }
 },
 "ListSkillsQuery": {
  "about": "The skills, each with its name and a short description.",
  "fields": {
   "sessionId": {
    "about": "One session. Default: everything that all sessions have, and what the running ones add."
   }
  }
 },
 "ListSkillsResult": {
  "fields": {
   "skills": {
    "about": "The skills."
   },
   "notices": {
    "about": "Problems with skill files, if a session is given."
   }
  }
 },
 "GetSkillQuery": {
  "about": "One skill with its whole description, its text, and what else its head says.",
  "fields": {
   "name": {
    "about": "Name of the skill."
   }
  }
 },
 "ListSlashCommandsQuery": {
  "about": "The commands that a person can type behind a slash, each with the query or command that carries it out.",
  "fields": {
   "sessionId": {
    "about": "One session. Default: everything that all sessions have, and what the running ones add."
   }
  }
 },
 "ListSlashCommandsResult": {
  "fields": {
   "slash_commands": {
    "about": "The commands."
   },
   "alias_problems": {
    "about": "Reasons why alias files of the session define no alias."
   }
  }
 },
 "ListMcpServersQuery": {
  "about": "The MCP servers that this engine uses.",
  "fields": {
   "sessionId": {
    "about": "One session. Default: everything that all sessions have, and what the running ones add."
   }
  }
 },
 "ListMcpServersResult": {
  "fields": {
   "servers": {
    "about": "The servers."
   }
  }
 },
 "FindSessionQuery": {
  "about": "The session that a person means: by an id, by the beginning of one, or `last`, the newest in which something was said.",
  "fields": {
   "text": {
    "about": "An id, the beginning of one, or `last`."
   },
   "sessionId": {
    "about": "`last` is searched in the working directory of this session. Default: in any."
   }
  }
 },
 "GetSessionProfileQuery": {
  "about": "The profile of a session that runs, with the skills, MCP servers and tools that are loaded in it.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   }
  }
 },
 "CheckProfileQuery": {
  "about": "Checks if a session can continue under a profile.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   },
   "profile": {
    "about": "The name of a profile, or a path."
   }
  }
 },
 "CheckProfileResult": {
  "fields": {
   "profile": {
    "about": "Name of the profile."
   },
   "path": {
    "about": "Path of its file."
   }
  }
 },
 "ListAgentsQuery": {
  "about": "The kinds of sub-agents that a session has.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   }
  }
 },
 "ListAgentsResult": {
  "fields": {
   "agents": {
    "about": "The kinds of sub-agents."
   }
  }
 },
 "ExpandPromptQuery": {
  "about": "The text that a prompt template of the user or the project becomes with the words given.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   },
   "name": {
    "about": "Name of the template."
   },
   "args": {
    "about": "Split as a shell does."
   },
   "unclosed": {
    "about": "The quote in them that nothing closes."
   },
   "text": {
    "about": "The words as typed. Default: `args` with spaces between them."
   }
  }
 },
 "ExpandPromptResult": {
  "fields": {
   "prompt": {
    "about": "The text of the prompt."
   }
  }
 },
 "ExpandMcpPromptQuery": {
  "about": "The text of a prompt of an MCP server. The server is asked for it.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   },
   "name": {
    "about": "`server.prompt`."
   },
   "args": {
    "about": "Split as a shell does."
   },
   "unclosed": {
    "about": "The quote in them that nothing closes."
   }
  }
 },
 "ExpandMcpPromptResult": {
  "fields": {
   "prompt": {
    "about": "The text of the prompt."
   }
  }
 },
 "ListPricesQuery": {
  "about": "Prices of models, in US dollars for a million tokens; null if they are unknown.",
  "fields": {
   "models": {
    "about": "`provider:name`, once for each model."
   }
  }
 },
 "ListPricesResult": {
  "fields": {
   "prices": {
    "about": "Prices by model; null if they are unknown.",
    "values": {
     "about": "Prices of one model. `long`: for a request whose input has more tokens than `above_tokens`."
    }
   }
  }
 },
 "GetEngineHealthQuery": {
  "about": "The parts of the engine and how they are. No secrets."
 },
 "GetWebClientQuery": {
  "about": "The address of the web client of this engine; absent where none is served."
 },
 "GetWebClientResult": {
  "fields": {
   "url": {
    "about": "The address."
   }
  }
 },
 "ListTurnsQuery": {
  "about": "The turns of a session in order: the newest, those before a turn, or those after one. Reads the log: what a running turn shows and has not written comes by subscription.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   },
   "before": {
    "about": "Turns before this one, the nearest. With `after` too: the last turn is below it."
   },
   "after": {
    "about": "Turns after this one, the nearest; 0: from the first."
   },
   "limit": {
    "about": "At most so many. Default: 50. A page is shorter if its turns have over 20000 events."
   }
  }
 },
 "ListTurnsResult": {
  "fields": {
   "turns": {
    "about": "The turns, in order.",
    "items": {
     "about": "One turn in a few facts. Since protocol 0.3.0.",
     "fields": {
      "turn": {
       "about": "Number of the turn in its session, from 1."
      },
      "started_at": {
       "about": "Time at which it started."
      },
      "ended_at": {
       "about": "Absent while it runs, if its run broke off, and if `cut`."
      },
      "first_event": {
       "about": "Id of its first event."
      },
      "last_event": {
       "about": "Id of its last event."
      },
      "prompt": {
       "about": "The beginning of its input."
      },
      "answer": {
       "about": "The beginning of the last message of the session's own agent."
      },
      "reason": {
       "about": "Reason why it ended. Absent while it runs."
      },
      "error_reason": {
       "about": "Name of the failure that ended it."
      },
      "rounds": {
       "about": "Provider calls of the session's own agent."
      },
      "calls": {
       "about": "Tool calls of the session's own agent."
      },
      "tools": {
       "about": "Tools that the session's own agent called, each once; at most 100."
      },
      "files": {
       "about": "Files that the turn changed, each once; at most 100. From checkpoints, as `GetChanges` names them. While it runs, and without checkpoints: those that calls wrote, as the calls named them."
      },
      "cost_usd": {
       "about": "Cost with that of sub-agents; null if a price is unknown."
      },
      "input_tokens": {
       "about": "Number of tokens."
      },
      "output_tokens": {
       "about": "Number of tokens."
      },
      "cache_read_tokens": {
       "about": "Number of tokens."
      },
      "expired": {
       "about": "Set if content of it has expired."
      },
      "running": {
       "about": "Set while it runs."
      },
      "cut": {
       "about": "Set on a turn of more events than an answer reads: its counts, cost and answer are those of a part."
      }
     }
    }
   },
   "more": {
    "about": "True if there are more in the direction of the page."
   }
  }
 },
 "ListItemsQuery": {
  "about": "The items of a session in order, each in summary: the newest, those before an event, or those after one. Reads the log: what is shown and not written yet comes by subscription.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   },
   "turn": {
    "about": "Items of this turn only."
   },
   "before": {
    "about": "Items that begin before this event, the nearest."
   },
   "after": {
    "about": "Items that begin after this event, the nearest; 0: from the first."
   },
   "limit": {
    "about": "At most so many. Default: 100. A page is shorter if 20000 events have no more."
   },
   "parentCall": {
    "about": "Items of the sub-agent that this call runs; with the `event` of the call as `after` they are found at once. Default: those of the session's own agent."
   }
  }
 },
 "ListItemsResult": {
  "fields": {
   "items": {
    "about": "The items, in order.",
    "items": {
     "about": "One item of a conversation: a prompt, a block of text, a call with its result, a question … Since protocol 0.3.0.",
     "fields": {
      "event": {
       "about": "The id of its first event, by which `GetItem` finds it."
      },
      "last_event": {
       "about": "The id of its last event that was read. Events of other items may stand between the two."
      },
      "kind": {
       "about": "Kind of an item."
      },
      "turn": {
       "about": "Absent between turns, and where no event that was read says it."
      },
      "ts": {
       "about": "Time of its first event."
      },
      "text": {
       "about": "The beginning of its text. For a call: the tool and what it is called with."
      },
      "tool": {
       "about": "Name of the tool of a call."
      },
      "call": {
       "about": "The call, for a call and a question about one."
      },
      "state": {
       "about": "State of a call or question. Absent if its end was not read."
      },
      "bytes": {
       "about": "Bytes of the JSON of its events."
      },
      "parent_call": {
       "about": "The call that runs the sub-agent of this item."
      },
      "children": {
       "about": "Number of items of the sub-agent that this call runs; absent for none."
      },
      "expired": {
       "about": "Set if content of it has expired."
      }
     }
    }
   },
   "more": {
    "about": "True if there are more in the direction of the page."
   },
   "next": {
    "about": "Set if `more`: the `before` or `after` of the next page, also where this one has no items."
   }
  }
 },
 "GetItemQuery": {
  "about": "One item with its events. Those of a sub-agent are items of their own.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   },
   "event": {
    "about": "The first event of the item."
   }
  }
 },
 "GetItemResult": {
  "fields": {
   "item": {
    "about": "The item.",
    "fields": {
     "event": {
      "about": "The id of its first event, by which `GetItem` finds it."
     },
     "last_event": {
      "about": "The id of its last event that was read. Events of other items may stand between the two."
     },
     "kind": {
      "about": "Kind of an item."
     },
     "turn": {
      "about": "Absent between turns, and where no event that was read says it."
     },
     "ts": {
      "about": "Time of its first event."
     },
     "text": {
      "about": "The beginning of its text. For a call: the tool and what it is called with."
     },
     "tool": {
      "about": "Name of the tool of a call."
     },
     "call": {
      "about": "The call, for a call and a question about one."
     },
     "state": {
      "about": "State of a call or question. Absent if its end was not read."
     },
     "bytes": {
      "about": "Bytes of the JSON of its events."
     },
     "parent_call": {
      "about": "The call that runs the sub-agent of this item."
     },
     "children": {
      "about": "Number of items of the sub-agent that this call runs; absent for none."
     },
     "expired": {
      "about": "Set if content of it has expired."
     }
    }
   },
   "events": {
    "about": "Its events, in order."
   },
   "cut": {
    "about": "Set if events were left out: they are above 4 MiB, or too far from the first one."
   }
  }
 },
 "CompleteQuery": {
  "about": "Completes a text at the cursor: files behind an at sign, slash commands at the beginning, and the words behind one. The best match first. Since protocol 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   },
   "text": {
    "about": "The whole text that is being typed."
   },
   "cursor": {
    "about": "Units of UTF-16 before the cursor."
   },
   "limit": {
    "about": "At most so many items. Default: 20."
   }
  }
 },
 "CompleteResult": {
  "fields": {
   "from": {
    "about": "Range that an item replaces, in units of UTF-16."
   },
   "to": {
    "about": "End of the range, in units of UTF-16."
   },
   "items": {
    "about": "The items, the best match first.",
    "items": {
     "fields": {
      "insert": {
       "about": "Text that replaces the range."
      },
      "label": {
       "about": "Text for a list."
      },
      "detail": {
       "about": "Further text for a list."
      },
      "kind": {
       "about": "Kind of the item."
      }
     }
    }
   },
   "more": {
    "about": "True if some candidates are missing: more match, or not all files are known."
   }
  }
 },
 "GetSpendQuery": {
  "about": "Money and tokens of a session: in all, by turn, model, agent and what was read, with the misses of the prompt cache. The rows of each kind add up to the total.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   }
  }
 },
 "GetSpendResult": {
  "fields": {
   "total": {
    "about": "The sum of the session.",
    "fields": {
     "calls": {
      "about": "Provider calls."
     },
     "input_tokens": {
      "about": "Without the tokens of the cache."
     },
     "output_tokens": {
      "about": "Tokens of the answers."
     },
     "cache_read_tokens": {
      "about": "Tokens read from the prompt cache."
     },
     "cache_write_tokens": {
      "about": "Tokens written to the prompt cache."
     },
     "cost_usd": {
      "about": "US dollars; null if the price of a call is unknown."
     },
     "known_cost_usd": {
      "about": "US dollars of the calls whose price is known."
     }
    }
   },
   "turns": {
    "about": "One row for each turn.",
    "items": {
     "fields": {
      "turn": {
       "about": "Number of the turn; 0: outside of any. Absent on the row of the earlier ones."
      },
      "earlier": {
       "about": "Set on the row that adds up the oldest rows, if there are over 10,000 of a kind."
      },
      "calls": {
       "about": "Provider calls."
      },
      "input_tokens": {
       "about": "Without the tokens of the cache."
      },
      "output_tokens": {
       "about": "Tokens of the answers."
      },
      "cache_read_tokens": {
       "about": "Tokens read from the prompt cache."
      },
      "cache_write_tokens": {
       "about": "Tokens written to the prompt cache."
      },
      "cost_usd": {
       "about": "US dollars; null if the price of a call is unknown."
      },
      "known_cost_usd": {
       "about": "US dollars of the calls whose price is known."
      }
     }
    }
   },
   "models": {
    "about": "`provider:name`; absent for calls that ended before they named one.",
    "items": {
     "fields": {
      "model": {
       "about": "`provider:name`. Absent if the call ended before one was named."
      },
      "earlier": {
       "about": "Set on the row that adds up the oldest rows, if there are over 10,000 of a kind."
      },
      "calls": {
       "about": "Provider calls."
      },
      "input_tokens": {
       "about": "Without the tokens of the cache."
      },
      "output_tokens": {
       "about": "Tokens of the answers."
      },
      "cache_read_tokens": {
       "about": "Tokens read from the prompt cache."
      },
      "cache_write_tokens": {
       "about": "Tokens written to the prompt cache."
      },
      "cost_usd": {
       "about": "US dollars; null if the price of a call is unknown."
      },
      "known_cost_usd": {
       "about": "US dollars of the calls whose price is known."
      }
     }
    }
   },
   "agents": {
    "about": "One row for the session's own agent, without `call`, and one for each sub-agent.",
    "items": {
     "fields": {
      "call": {
       "about": "The call that runs the sub-agent. Absent: the session's own agent."
      },
      "tool": {
       "about": "Name of the tool that started it."
      },
      "earlier": {
       "about": "Set on the row that adds up the oldest rows, if there are over 10,000 of a kind."
      },
      "calls": {
       "about": "Provider calls."
      },
      "input_tokens": {
       "about": "Without the tokens of the cache."
      },
      "output_tokens": {
       "about": "Tokens of the answers."
      },
      "cache_read_tokens": {
       "about": "Tokens read from the prompt cache."
      },
      "cache_write_tokens": {
       "about": "Tokens written to the prompt cache."
      },
      "cost_usd": {
       "about": "US dollars; null if the price of a call is unknown."
      },
      "known_cost_usd": {
       "about": "US dollars of the calls whose price is known."
      }
     }
    }
   },
   "reads": {
    "about": "By what a call was sent to read: a prompt, the results of these tools, all of them together, or both.",
    "items": {
     "fields": {
      "tools": {
       "about": "Tools whose results the call was sent to read."
      },
      "prompt": {
       "about": "Set if the call was sent to read a prompt."
      },
      "summary": {
       "about": "Set if the call made a summary of the history."
      },
      "earlier": {
       "about": "Set on the row that adds up the oldest rows, if there are over 10,000 of a kind."
      },
      "calls": {
       "about": "Provider calls."
      },
      "input_tokens": {
       "about": "Without the tokens of the cache."
      },
      "output_tokens": {
       "about": "Tokens of the answers."
      },
      "cache_read_tokens": {
       "about": "Tokens read from the prompt cache."
      },
      "cache_write_tokens": {
       "about": "Tokens written to the prompt cache."
      },
      "cost_usd": {
       "about": "US dollars; null if the price of a call is unknown."
      },
      "known_cost_usd": {
       "about": "US dollars of the calls whose price is known."
      }
     }
    }
   },
   "cache_misses": {
    "about": "The newest 1,000, in order.",
    "items": {
     "fields": {
      "event": {
       "about": "The id of its CostIncremented event."
      },
      "turn": {
       "about": "Number of the turn; 0: outside of any."
      },
      "model": {
       "about": "`provider:name`."
      },
      "cause": {
       "about": "`compaction`: the history was shortened before the call."
      },
      "lost_tokens": {
       "about": "Tokens that were read again."
      }
     }
    }
   },
   "before": {
    "about": "Money and tokens of the sessions that this one continues under another profile.",
    "fields": {
     "known_cost_usd": {
      "about": "US dollars of the calls whose price is known."
     },
     "unpriced_calls": {
      "about": "Number of calls whose price is unknown."
     },
     "input_tokens": {
      "about": "Including those of the cache."
     },
     "output_tokens": {
      "about": "Tokens of the answers."
     }
    }
   }
  }
 },
 "GetContextQuery": {
  "about": "The parts of the model's context window that the last request of a running session filled. Counts are estimates, corrected by what the provider counts.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   }
  }
 },
 "GetContextResult": {
  "fields": {
   "model": {
    "about": "`provider:name` of the last request; absent if this run has sent none."
   },
   "used_tokens": {
    "about": "Tokens of the last request."
   },
   "window_tokens": {
    "about": "The model's window; absent if it is unknown."
   },
   "limit_tokens": {
    "about": "The history is shortened before a request above this; absent if this run has sent none."
   },
   "parts": {
    "about": "The parts of the request.",
    "items": {
     "fields": {
      "name": {
       "about": "The section of the system text, or what the messages are: `prompts`, `answers`, `calls`, `results`."
      },
      "count": {
       "about": "Number of tools or messages."
      },
      "tokens": {
       "about": "Tokens of the part."
      }
     }
    }
   }
  }
 },
 "GetChangesQuery": {
  "about": "The files that a call, a turn or a whole session changed, with their lines, from cinch's checkpoints and not from git. Secrets in them are redacted.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   },
   "turn": {
    "about": "Only the changes of this turn."
   },
   "callId": {
    "about": "Only the changes of this call: the files right before and right after it."
   },
   "path": {
    "about": "Only this file, or the files below this folder."
   },
   "context": {
    "about": "Unchanged lines around each change, at most 20. Default: 3."
   }
  }
 },
 "GetChangesResult": {
  "fields": {
   "files": {
    "about": "By path.",
    "items": {
     "about": "One changed file. Since protocol 0.3.0.",
     "fields": {
      "path": {
       "about": "Below the working directory, with `/`; absolute for a file outside of it."
      },
      "kind": {
       "about": "Kind of the change."
      },
      "from": {
       "about": "The earlier path of a renamed file."
      },
      "by": {
       "about": "\"calls\": changed by calls alone; \"both\": by somebody else too; \"unknown\": in a turn that was cut off."
      },
      "binary": {
       "about": "Set if a side is not UTF-8 text: it has no lines."
      },
      "old_mode": {
       "about": "Type and permissions before the change, as git numbers them: 100644; 120000 is a link. Absent without a file."
      },
      "mode": {
       "about": "The same after the change. Absent if the file was removed."
      },
      "added": {
       "about": "Lines added; 0 if they were not compared."
      },
      "removed": {
       "about": "Lines removed; 0 if they were not compared."
      },
      "hunks": {
       "about": "The changed places. Absent if they are not shown.",
       "items": {
        "about": "One changed place of a file. Starts count from 1; with no line on a side, the start is the number of the line before.\nSince protocol 0.3.0.",
        "fields": {
         "id": {
          "about": "The same for the same two texts."
         },
         "old_start": {
          "about": "First line in the old text."
         },
         "old_lines": {
          "about": "Number of lines in the old text."
         },
         "new_start": {
          "about": "First line in the new text."
         },
         "new_lines": {
          "about": "Number of lines in the new text."
         },
         "lines": {
          "about": "Each begins with \" \", \"+\" or \"-\". `\\ No newline at end of file` can follow the last line of a side."
         }
        }
       }
      },
      "unified": {
       "about": "The same as a patch for `git apply`. Absent if `cut`, `binary` or `missing`."
      },
      "bytes": {
       "about": "Size of the file: after the change, or before it if it was removed."
      },
      "cut": {
       "about": "Set if hunks were left out because of a limit."
      },
      "missing": {
       "about": "Set if its content is not shown: the reason."
      }
     }
    }
   },
   "complete": {
    "about": "True if every change is listed, with all of its lines."
   },
   "missing": {
    "about": "Set if changes are not known: the reason."
   },
   "left_out": {
    "about": "Number of changed files beyond the limit."
   }
  }
 },
 "GetWorkspaceQuery": {
  "about": "The working directory of a session, with branch and status of the git repository around it. Nothing that the repository names is run.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   }
  }
 },
 "GetWorkspaceResult": {
  "fields": {
   "working_dir": {
    "about": "Absolute path of the working directory."
   },
   "git": {
    "about": "Absent outside of a repository.",
    "fields": {
     "root": {
      "about": "Top of the working tree."
     },
     "branch": {
      "about": "Absent if HEAD names a commit."
     },
     "head": {
      "about": "Name of the commit. Absent before the first one."
     },
     "upstream": {
      "about": "Name of the upstream branch."
     },
     "ahead": {
      "about": "Commits that the upstream lacks. Absent without an upstream."
     },
     "behind": {
      "about": "Commits of the upstream that are missing here. Absent without an upstream."
     },
     "staged": {
      "about": "Number of files with a change in the index."
     },
     "changed": {
      "about": "Number of tracked files that differ from the index; conflicts count too."
     },
     "untracked": {
      "about": "Number of untracked files; an untracked folder counts once. Ignored ones do not count."
     },
     "problem": {
      "about": "Set if the status is not known: the reason."
     }
    }
   }
  }
 },
 "GetDraftQuery": {
  "about": "The unsent text that a reader keeps in a session; empty if there is none.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   },
   "reader": {
    "about": "The name under which it was kept."
   }
  }
 },
 "GetDraftResult": {
  "fields": {
   "text": {
    "about": "The text."
   },
   "ts": {
    "about": "Time at which it was kept; absent if there is none."
   }
  }
 },
 "SearchSessionsQuery": {
  "about": "Items whose text holds some words, in one session or in all that the token names: prompts, the model's text and thinking, input and output of calls, questions, errors, tasks and memories. Sessions in the order in which they began, the newest first; in each the newest item first. Beside them the sessions whose titles, as people gave them, hold the words. Since protocol 0.3.0.",
  "fields": {
   "text": {
    "about": "Words that must all be in one item, each anywhere in it, in any case."
   },
   "sessionId": {
    "about": "Only this session."
   },
   "workingDir": {
    "about": "Only sessions of this directory."
   },
   "tool": {
    "about": "Only calls of this tool."
   },
   "file": {
    "about": "Only calls whose arguments name a path with this part."
   },
   "from": {
    "about": "Only items that began then or later: `2026-03-01`, or a time."
   },
   "to": {
    "about": "Only items that began then or before; a day counts whole."
   },
   "limit": {
    "about": "At most so many. Default: 20."
   },
   "timeMs": {
    "about": "Milliseconds after which the search stops. Default: 2000."
   },
   "cursor": {
    "about": "The `cursor` of the answer that this one continues. Send the other fields as they were."
   }
  }
 },
 "SearchSessionsResult": {
  "fields": {
   "hits": {
    "about": "The matches.",
    "items": {
     "fields": {
      "session": {
       "about": "The newest run on its log."
      },
      "log": {
       "about": "The log that holds it."
      },
      "title": {
       "about": "The title of its session."
      },
      "event": {
       "about": "The first event of the item, by which `GetItem` finds it."
      },
      "kind": {
       "about": "Kind of the item."
      },
      "turn": {
       "about": "Absent between turns, and where no event that was read says it."
      },
      "ts": {
       "about": "Time of its first event."
      },
      "tool": {
       "about": "Name of the tool of a call."
      },
      "parent_call": {
       "about": "The call that runs the sub-agent of this item."
      },
      "snippet": {
       "about": "The text around the first match, at most 240 units of UTF-16, in NFC."
      },
      "at": {
       "about": "Start and end of each match in the snippet, in units of UTF-16; at most 50."
      }
     }
    }
   },
   "titles": {
    "about": "Sessions whose titles match, those that a person gave; a title that is made from the first prompt is found as a prompt. At most 20, those that began last. Only in an answer to words without tool, file, times and cursor; absent if there are none.",
    "items": {
     "about": "A session whose title, as a person gave it, has all words.",
     "fields": {
      "session": {
       "about": "The newest run on its log."
      },
      "log": {
       "about": "Its log."
      },
      "title": {
       "about": "The title."
      },
      "at": {
       "about": "Start and end of each match in the title, in units of UTF-16; at most 50."
      }
     }
    }
   },
   "complete": {
    "about": "True if everything was searched, from the cursor on."
   },
   "cursor": {
    "about": "Set if there is more to search: `limit`, `timeMs` or the events that are read for an answer were reached."
   },
   "searched": {
    "about": "Counts of this answer.",
    "fields": {
     "sessions": {
      "about": "Sessions that were searched."
     },
     "events": {
      "about": "Events that were searched."
     },
     "expired": {
      "about": "Events among them whose content has expired: nothing is found there."
     },
     "unreadable": {
      "about": "Events among them that cannot be read. If there are any, the answer is not complete."
     }
    }
   }
  }
 },
 "ListRulesQuery": {
  "about": "The permission rules that calls of a running session are judged by: those that people allowed in it, then the standing ones. Since protocol 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   }
  }
 },
 "ListRulesResult": {
  "fields": {
   "rules": {
    "about": "The rules, in the order in which they are looked up.",
    "items": {
     "fields": {
      "rule": {
       "about": "`Tool`, `Tool:glob` or `Tool:=literal`."
      },
      "effect": {
       "about": "Effect of the rule."
      },
      "source": {
       "about": "Place of the rule. `session`: a person has allowed it in this run. `flag`: the session was opened with it. `user`: config.toml. `promoted`: a person has kept it from a session. `preset`: a file of the program. `project`: the repository, whose rules can only restrict."
      },
      "directory": {
       "about": "The only directory that it holds in, with what is below."
      },
      "revocable": {
       "about": "True if RevokeRule takes it back."
      },
      "promotable": {
       "about": "True if PromoteRule can write it to the profile."
      },
      "ts": {
       "about": "Time at which it was allowed, for a rule of the session."
      }
     }
    }
   },
   "more": {
    "about": "True if the list was cut."
   }
  }
 },
 "ListHooksQuery": {
  "about": "The hooks of a running session, in the order in which they run: those of the user, then those of the repository that a person has acknowledged. Since protocol 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   }
  }
 },
 "ListHooksResult": {
  "fields": {
   "hooks": {
    "about": "The hooks, in the order in which they run.",
    "items": {
     "fields": {
      "event": {
       "about": "Event that runs it."
      },
      "matcher": {
       "about": "Names of tools; `*` stands for any characters. Absent: every tool, or an event that is about none."
      },
      "command": {
       "about": "The command for `/bin/sh`, with secrets redacted."
      },
      "source": {
       "about": "File that declares it."
      },
      "timeout_s": {
       "about": "Seconds after which it is stopped."
      },
      "acknowledged": {
       "about": "True for one of the repository, which a person has acknowledged; absent for one of the user's own."
      }
     }
    }
   },
   "waiting": {
    "about": "Files of the repository with hooks that wait for an acknowledgement: none of them runs."
   },
   "more": {
    "about": "True if the list was cut."
   }
  }
 },
 "ListExpiringQuery": {
  "about": "The stored sessions of which content expires within a week, and whether that notice is hidden. Since protocol 0.3.0."
 },
 "ListExpiringResult": {
  "fields": {
   "sessions": {
    "about": "The sessions, those that lose content first at the beginning; at most 100.",
    "items": {
     "about": "Id of a session: one run on a log."
    }
   },
   "total": {
    "about": "Number of all of them."
   },
   "dismissed": {
    "about": "True if a person has hidden the notice about each of them: `DismissExpiring`."
   }
  }
 },
 "CreateSessionResult": {
  "fields": {
   "notices": {
    "about": "Sentences for the person."
   },
   "expiring": {
    "about": "The one of `notices` about sessions that lose content within a week: `DismissExpiring` hides it. Absent: none is. Since protocol 0.3.0."
   }
  }
 },
 "AttachSessionResult": {
  "about": "Sentences for the person.",
  "fields": {
   "notices": {
    "about": "Sentences for the person."
   }
  }
 },
 "SwitchProfileResult": {
  "fields": {
   "notices": {
    "about": "Sentences for the person."
   },
   "from": {
    "about": "Name of the profile before."
   },
   "to": {
    "about": "Name of the profile now."
   },
   "log": {
    "about": "Log of the session that continues."
   }
  }
 },
 "AnswerPermissionResult": {
  "about": "False for an answer that came after another one: it changes nothing.",
  "fields": {
   "counted": {
    "about": "False for an answer that came after another one: it changed nothing."
   }
  }
 },
 "AnswerResult": {
  "about": "False for an answer that came after another one: it changes nothing.",
  "fields": {
   "counted": {
    "about": "False for an answer that came after another one: it changed nothing."
   }
  }
 },
 "SetModelResult": {
  "about": "Values that hold now, also if the command has changed nothing. The fields are there since protocol 0.3.0.",
  "fields": {
   "notices": {
    "about": "Sentences for the person."
   },
   "model": {
    "about": "`provider:name`."
   },
   "effort": {
    "about": "The effort that a client chose for the session. Absent: the configuration decides."
   }
  }
 },
 "SetLevelResult": {
  "fields": {
   "notices": {
    "about": "Sentences for the person."
   },
   "level": {
    "about": "Levels of a session, the tightest first."
   }
  }
 },
 "EnterPlanModeResult": {
  "about": "Since protocol 0.3.0.",
  "fields": {
   "planMode": {
    "about": "True if the session is in plan mode now."
   }
  }
 },
 "ExitPlanModeResult": {
  "about": "The mode is left once the model has read the answer to its plan. Since protocol 0.3.0.",
  "fields": {
   "planMode": {
    "about": "True if the session is in plan mode now."
   }
  }
 },
 "CompactSessionResult": {
  "fields": {
   "compacted": {
    "about": "True if the history was shortened."
   }
  }
 },
 "BranchSessionResult": {
  "fields": {
   "log": {
    "about": "Log of the new session."
   },
   "at": {
    "about": "The event at which it branches off."
   }
  }
 },
 "ExportSessionResult": {
  "fields": {
   "path": {
    "about": "The file that was written."
   }
  }
 },
 "RenameSessionResult": {
  "fields": {
   "title": {
    "about": "The title as it is kept: on one line, without known secrets. Empty: the made one."
   }
  }
 },
 "DismissExpiringResult": {
  "fields": {
   "sessions": {
    "about": "Number of sessions that the hidden notice was about."
   }
  }
 },
 "AskAutoAttachResult": {
  "fields": {
   "asked": {
    "about": "False: a person has decided already, which holds for the session."
   }
  }
 },
 "PromoteRuleResult": {
  "fields": {
   "profile": {
    "about": "The profile that has the rule from now on."
   },
   "directory": {
    "about": "Absent: the rule holds in every directory."
   },
   "path": {
    "about": "The file that it was written to."
   }
  }
 },
 "RewindSessionResult": {
  "about": "Effect of a rewind, planned or done.",
  "fields": {
   "to": {
    "about": "The event to restore the state before."
   },
   "what": {
    "about": "Parts that are restored."
   },
   "place": {
    "about": "The point in words: \"before turn 3\"."
   },
   "done": {
    "about": "False for a preview, and if a person refused."
   },
   "conversation": {
    "about": "Effect on the conversation.",
    "fields": {
     "messages": {
      "about": "Messages that the model has afterwards."
     },
     "removed": {
      "about": "Messages that are removed."
     },
     "restored": {
      "about": "Messages that come back, if an earlier rewind is undone."
     }
    }
   },
   "files": {
    "about": "Effect on the files.",
    "fields": {
     "create": {
      "about": "Files that come back."
     },
     "change": {
      "about": "Files that become as they were."
     },
     "mode": {
      "about": "Files that get their mode back."
     },
     "remove": {
      "about": "Files that are removed."
     },
     "contested": {
      "about": "Files that the session and somebody else changed. They stay, unless the command names this set."
     },
     "foreign": {
      "about": "Files that somebody else alone changed. They stay, unless the command names this set."
     },
     "notRestorable": {
      "about": "Files that cannot be set back.",
      "items": {
       "about": "A path that is not set back, and why. Of a list that was cut, the last one says how many more there are.",
       "fields": {
        "path": {
         "about": "The path."
        },
        "why": {
         "about": "Reason why it is not set back."
        }
       }
      }
     },
     "counts": {
      "about": "Number of files and folders that would be set back, in full.",
      "fields": {
       "restore": {
        "about": "Files and folders that would be set back."
       },
       "remove": {
        "about": "Files and folders that would be removed."
       }
      }
     },
     "restored": {
      "about": "Number of files and folders that were set back."
     },
     "kept": {
      "about": "Files that were left as they are.",
      "items": {
       "about": "A path that is not set back, and why. Of a list that was cut, the last one says how many more there are.",
       "fields": {
        "path": {
         "about": "The path."
        },
        "why": {
         "about": "Reason why it is not set back."
        }
       }
      }
     }
    }
   },
   "token": {
    "about": "Sent back with the command, it is refused if it would do something else by now."
   },
   "undo": {
    "about": "Event to go back to in order to undo this."
   }
  }
 },
 "ReloadSkillsResult": {
  "fields": {
   "skills": {
    "about": "Names of the skills that count now."
   },
   "waiting": {
    "about": "Paths of skills that are left out until somebody acknowledges them."
   },
   "asks": {
    "about": "True if the person is asked about each of them."
   },
   "text": {
    "about": "The same in words. Draw the other fields instead."
   }
  }
 },
 "ManageMcpResult": {
  "about": "The server that a ManageMcp named, or all servers of the session.",
  "fields": {
   "servers": {
    "about": "The servers.",
    "items": {
     "fields": {
      "name": {
       "about": "Name of the server."
      },
      "state": {
       "about": "\"degraded\": it could not be started again."
      },
      "tools": {
       "about": "Number of its tools."
      },
      "sessions": {
       "about": "The sessions that use it, of those that the token names. It distinguishes two servers of one name that different sessions declare. Since protocol 0.3.0.",
       "items": {
        "about": "Id of a session: one run on a log."
       }
      },
      "problem": {
       "about": "Reason why it does not run."
      }
     }
    }
   },
   "toolNames": {
    "about": "Tools of the one server that was named, at most 100: `spelled` is the server's spelling, if that is another.",
    "items": {
     "fields": {
      "name": {
       "about": "Name of the tool, as the model calls it."
      },
      "spelled": {
       "about": "Name of the tool as the server spells it."
      }
     }
    }
   },
   "approved": {
    "about": "False if a person was asked to approve the server and did not."
   },
   "text": {
    "about": "The same in words. Draw the other fields instead."
   }
  }
 },
 "RunShellResult": {
  "fields": {
   "callId": {
    "about": "The call of the command, in the events."
   }
  }
 },
 "StoreProviderKeyResult": {
  "fields": {
   "provider": {
    "about": "Name of the provider."
   },
   "replaced": {
    "about": "True if it replaced a stored key."
   },
   "used": {
    "about": "True if the stored key is used: no variable of the engine's environment goes before it."
   },
   "source": {
    "about": "Source of the key that is used: `creds.enc`, or the name of that variable."
   }
  }
 },
 "CustomCommandResult": {
  "fields": {
   "text": {
    "about": "The answer of the extension that handled it."
   }
  }
 },
 "SendInputCommand": {
  "about": "Sends a prompt. It starts a turn; while one runs, `delivery` says what happens. The answer has the `inputId` of an input that waits.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "content": {
    "about": "The prompt, in blocks.",
    "items": {
     "about": "A block of an input as a client sends it. The engine puts the content of a file in its place.",
     "options": [
      {
       "about": "Text.",
       "fields": {
        "text": {
         "about": "The text."
        }
       }
      },
      {
       "about": "An image.",
       "fields": {
        "source": {
         "about": "The bytes of an image, audio or document.",
         "fields": {
          "media_type": {
           "about": "Media type, such as `image/png`."
          },
          "data": {
           "about": "The bytes in base64."
          }
         }
        }
       }
      },
      {
       "about": "A sound.",
       "fields": {
        "source": {
         "about": "The bytes of an image, audio or document.",
         "fields": {
          "media_type": {
           "about": "Media type, such as `image/png`."
          },
          "data": {
           "about": "The bytes in base64."
          }
         }
        }
       }
      },
      {
       "about": "A PDF of the user; its `media_type` is `application/pdf`. Since protocol 0.3.0.",
       "fields": {
        "source": {
         "about": "The bytes of an image, audio or document.",
         "fields": {
          "media_type": {
           "about": "Media type, such as `image/png`."
          },
          "data": {
           "about": "The bytes in base64."
          }
         }
        }
       }
      },
      {
       "about": "A file that was uploaded to the session before: an image, text, or a PDF. Since protocol 0.3.0.",
       "fields": {
        "id": {
         "about": "Id of an uploaded file."
        }
       }
      },
      {
       "about": "Text that the editor of a person has of a file. It goes to the model, fenced, if that may read the file without a question; else it is left out, and a notice says so. Of one input at most 32, and 262,144 characters in all. Since protocol 0.3.0.",
       "fields": {
        "path": {
         "about": "Path of the file, as the editor knows it."
        },
        "text": {
         "about": "The text in the editor."
        },
        "attached": {
         "about": "True if the person attached it: it may be the saved text. Default: the disk has another text."
        },
        "lines": {
         "about": "Lines of the file that it is, from 1. Default: all.",
         "fields": {
          "first": {
           "about": "First line."
          },
          "last": {
           "about": "Last line; it is included."
          }
         }
        }
       }
      }
     ]
    }
   },
   "delivery": {
    "about": "Handling of input that arrives while a turn runs. Default: reject."
   },
   "skill": {
    "about": "Name of a skill to use for this turn."
   },
   "agent": {
    "about": "Kind of sub-agent that gets the input instead of the session's own agent."
   }
  }
 },
 "CancelTurnCommand": {
  "about": "Stops the running turn, with its calls and sub-agents. Inputs that wait stay.",
  "fields": {
   "sessionId": {
    "about": "The session."
   }
  }
 },
 "AnswerPermissionCommand": {
  "about": "Answers a PermissionRequested. The first answer counts.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "callId": {
    "about": "The call that is asked about."
   },
   "decision": {
    "about": "Runs the call, or refuses it."
   },
   "scope": {
    "about": "Reach: this call (\"once\"), this and later calls under `rule` (\"argv_glob\"), or every later call of the tool (\"tool\"). The last two make a rule of the session. Default: once."
   },
   "rule": {
    "about": "With argv_glob: the rule that the user was shown and picked, if it is a shorter prefix of words."
   },
   "hosts": {
    "about": "With allow, if the question offers hosts: the call stays in the sandbox, which may reach them for this session."
   },
   "hunks": {
    "about": "With allow, if the question shows hunks: ids of those that are applied; the others are refused, and the model reads that. Nothing is written if the file has changed since the question. Since protocol 0.3.0."
   },
   "words": {
    "about": "Words of the person for the model: what to do instead of a denied call, or why hunks were refused. Since protocol 0.3.0."
   }
  }
 },
 "CreateSessionCommand": {
  "about": "Creates a session, or resumes one. The answer has its `sessionId`.",
  "fields": {
   "profile": {
    "about": "Default: that of the resumed log, else the one that the engine's user has configured."
   },
   "resume": {
    "about": "A log that already runs in this engine is attached to as it is."
   },
   "model": {
    "about": "`provider:name`. Default: that of the resumed log, the profile or the configuration."
   },
   "workingDir": {
    "about": "An absolute path on the engine's machine. Default: that of the resumed log, else of the engine."
   },
   "run": {
    "about": "Settings that differ from those of the engine.",
    "fields": {
     "level": {
      "about": "Permission level. Default: that of the profile."
     },
     "autoApprove": {
      "about": "True: calls that would be asked about run without a question."
     },
     "strictPermissions": {
      "about": "True: calls above the level are denied without a question."
     },
     "planMode": {
      "about": "Begins in plan mode."
     },
     "effort": {
      "about": "Thinking effort. Default: that of the configuration."
     },
     "maxTurns": {
      "about": "Limit of provider calls in one turn."
     },
     "maxCostUsd": {
      "about": "Limit of the session's cost, in US dollars."
     },
     "maxTimeMs": {
      "about": "Wall-clock limit of a turn, in milliseconds. Since protocol 0.3.0."
     },
     "appendSystemPrompt": {
      "about": "Text at the end of the system text."
     },
     "allow": {
      "about": "Allow rules, as in a profile. They lift no deny rule."
     },
     "addDirs": {
      "about": "Existing folders, by their absolute paths, in which this run works as in its working directory. Nothing of theirs is loaded. Since protocol 0.3.0."
     },
     "mcpServers": {
      "about": "MCP servers besides the configured ones. Since protocol 0.3.0.",
      "items": {
       "about": "A server that the client's user has named for one session. It counts like one in their configuration. `env` and `headers` may hold secrets: they are kept in memory alone.",
       "options": [
        {
         "fields": {
          "name": {
           "about": "Name of the server, unique in the session."
          },
          "cmd": {
           "about": "An absolute path, or a name that is searched in `PATH`."
          },
          "args": {
           "about": "Arguments of the program."
          },
          "env": {
           "about": "Environment variables of the program."
          }
         }
        },
        {
         "fields": {
          "name": {
           "about": "Name of the server, unique in the session."
          },
          "url": {
           "about": "Address of the server."
          },
          "headers": {
           "about": "Headers of every request to it."
          }
         }
        }
       ]
      }
     },
     "withoutProject": {
      "about": "True: nothing of the repository is loaded, such as AGENTS.md, skills and settings."
     },
     "allowProjectHooks": {
      "about": "True: hooks of the repository may run."
     },
     "lockfile": {
      "about": "A path on the engine's machine."
     },
     "asksTrust": {
      "about": "False if the client's user cannot read a project's files first: files that were not acknowledged are then refused."
     },
     "environment": {
      "about": "Environment of the processes that its tools start. Default: that of the engine."
     }
    }
   },
   "provisional": {
    "about": "True: the session is for a person who may never use it. While it is `unused`, it ends a minute after its last client has left, and once it ends without clients it is removed. It stays if an agent has sent it a command, if it has a file, and if a setting was changed and no client has ended or left it. Without effect on a session that is resumed. Since protocol 0.3.0."
   }
  }
 },
 "AttachSessionCommand": {
  "about": "Attaches the client to a session: it then counts as one that follows it.",
  "fields": {
   "sessionId": {
    "about": "The session."
   }
  }
 },
 "DetachSessionCommand": {
  "about": "Detaches the client from a session. Nothing that runs is stopped.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "left": {
    "about": "The user has left for good: the session ends at once if no other client uses it, and it has no turn, task or waiting input. Since 0.3.0."
   }
  }
 },
 "SetModelCommand": {
  "about": "Sets the model, the effort or both, from the next request on. To change the effort alone, send the current model. The answer and ModelChanged say what holds then.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "model": {
    "about": "`provider:name`."
   },
   "effort": {
    "about": "Absent: unchanged."
   }
  }
 },
 "EnterPlanModeCommand": {
  "about": "Begins plan mode: until it is left, the model may read and plan, and change nothing.",
  "fields": {
   "sessionId": {
    "about": "The session."
   }
  }
 },
 "ExitPlanModeCommand": {
  "about": "Leaves plan mode, or refuses the plan.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "approve": {
    "about": "True: approves the plan and leaves the mode. False: the model plans on."
   }
  }
 },
 "CustomCommandCommand": {
  "about": "Sends a command of an extension.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "namespace": {
    "about": "Name of the extension."
   },
   "verb": {
    "about": "Name of its command."
   },
   "payload": {
    "about": "Fields of its command."
   }
  }
 },
 "EndSessionCommand": {
  "about": "Ends a session. It can be resumed later.",
  "fields": {
   "sessionId": {
    "about": "The session."
   }
  }
 },
 "BranchSessionCommand": {
  "about": "Branches a session: a new log begins with its history up to a point. The answer has `log` and the new `sessionId`, if it runs.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "at": {
    "about": "The last event of a turn. Default: the end of `turn`."
   },
   "turn": {
    "about": "A turn that has ended. Default: the last one. Since 0.3.0."
   }
  }
 },
 "PinSessionCommand": {
  "about": "Pins a session, so that it does not end by itself when nobody uses it, or takes the pin off.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "pinned": {
    "about": "True: pins it."
   }
  }
 },
 "CompactSessionCommand": {
  "about": "Shortens the history that the model gets, as happens by itself when the context window is nearly full.",
  "fields": {
   "sessionId": {
    "about": "The session."
   }
  }
 },
 "RewindSessionCommand": {
  "about": "Restores files, conversation or both to the state before an event.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "to": {
    "about": "The event to restore the state before; 0: before the first one."
   },
   "what": {
    "about": "Parts to restore."
   },
   "preview": {
    "about": "True to only report what it would do."
   },
   "token": {
    "about": "Token of a preview. The rewind is refused if it would now do something else, and needs no further confirmation otherwise."
   },
   "overwrite": {
    "about": "Files to restore although another program changed them: those that the session changed too, and those that it did not. Absent: the user is asked; without a user they stay unchanged."
   }
  }
 },
 "WithdrawInputCommand": {
  "about": "Withdraws an input that waits. An agent withdraws only its own.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "inputId": {
    "about": "Id of an input that waits."
   }
  }
 },
 "RevokeRuleCommand": {
  "about": "Revokes an allow rule that a person gave in this session.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "rule": {
    "about": "The rule, as ListRules names it."
   }
  }
 },
 "PromoteRuleCommand": {
  "about": "Writes an allow rule of this session to a configuration file, so that later sessions have it.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "rule": {
    "about": "The rule, as ListRules names it."
   },
   "everywhere": {
    "about": "True: in every directory, under the current profile; else in the session's working directory and below. Since 0.3.0."
   }
  }
 },
 "SwitchProfileCommand": {
  "about": "Continues the work under another profile. Only people may. The answer has the new `sessionId`.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "profile": {
    "about": "Name or path of the profile."
   },
   "importTurns": {
    "about": "Number of the last turns whose summary goes along into the new log. Default: 5."
   },
   "inPlace": {
    "about": "True: the same log continues, as a new run. Default: a new log begins."
   }
  }
 },
 "ReloadSkillsCommand": {
  "about": "Reads the skills from their folders again.",
  "fields": {
   "sessionId": {
    "about": "The session."
   }
  }
 },
 "ManageMcpCommand": {
  "about": "Reports on an MCP server of the session, or controls it.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "server": {
    "about": "Name of the server."
   },
   "action": {
    "about": "`stop` holds until `start`, or the end of the engine, for all its sessions. Since 0.3.0: stop, start."
   }
  }
 },
 "StopTaskCommand": {
  "about": "Stops a background task.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "taskId": {
    "about": "Id of a background task."
   }
  }
 },
 "AnswerCommand": {
  "about": "The answer to an `Asked` event: one of its choices, or the requested text or form.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "askId": {
    "about": "Id of a question."
   },
   "answer": {
    "about": "Value of a choice, a text, or the fields of the form."
   }
  }
 },
 "ExportSessionCommand": {
  "about": "Writes a session to a new file on the engine's machine. Since 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "format": {
    "about": "Default: jsonl."
   },
   "output": {
    "about": "A path, relative to the working directory. Default: a name made from the session's id. Never overwrites a file."
   },
   "directoryOf": {
    "about": "The session whose working directory is used. Default: the session itself."
   }
  }
 },
 "DismissExpiringCommand": {
  "about": "Hides the notice about sessions that expire within a week. Since 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   }
  }
 },
 "MuteSessionCommand": {
  "about": "Stops notifying other clients about questions of an agent's session. Since 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   }
  }
 },
 "RenameSessionCommand": {
  "about": "Gives a session a title. Since protocol 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "title": {
    "about": "Empty: the title that is made from the first prompt again."
   }
  }
 },
 "ArchiveSessionCommand": {
  "about": "Leaves a session out of lists, or shows it there again. Since protocol 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "archived": {
    "about": "True: leaves it out of lists. False: shows it there again."
   }
  }
 },
 "DeleteSessionCommand": {
  "about": "Deletes a session that does not run, with everything that is kept of it. Since protocol 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   }
  }
 },
 "MarkReadCommand": {
  "about": "Marks what a reader has read: turns that end later are unread. Since protocol 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "event": {
    "about": "The last event that was read; 0: none."
   },
   "reader": {
    "about": "Name under which a client keeps its marks and drafts: the same for all that should share them. Letters, digits and `. _ : @ -`. Since protocol 0.3.0."
   }
  }
 },
 "SetDraftCommand": {
  "about": "Keeps the unsent text of a reader. Since protocol 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "text": {
    "about": "Empty: the draft is removed."
   },
   "reader": {
    "about": "Name under which a client keeps its marks and drafts: the same for all that should share them. Letters, digits and `. _ : @ -`. Since protocol 0.3.0."
   }
  }
 },
 "SetLevelCommand": {
  "about": "Sets the ceiling of what runs without a question, from the next call on until the session ends. Only people may. Since 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "level": {
    "about": "Levels of a session, the tightest first."
   }
  }
 },
 "EditInputCommand": {
  "about": "Replaces the content of an input that waits, with the rules and limits of SendInput: the new content keeps, drops or adds references to attached files. Its place stays. An agent edits only its own. Since 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "inputId": {
    "about": "Id of an input that waits."
   },
   "content": {
    "about": "The new content, in blocks.",
    "items": {
     "about": "A block of an input as a client sends it. The engine puts the content of a file in its place.",
     "options": [
      {
       "about": "Text.",
       "fields": {
        "text": {
         "about": "The text."
        }
       }
      },
      {
       "about": "An image.",
       "fields": {
        "source": {
         "about": "The bytes of an image, audio or document.",
         "fields": {
          "media_type": {
           "about": "Media type, such as `image/png`."
          },
          "data": {
           "about": "The bytes in base64."
          }
         }
        }
       }
      },
      {
       "about": "A sound.",
       "fields": {
        "source": {
         "about": "The bytes of an image, audio or document.",
         "fields": {
          "media_type": {
           "about": "Media type, such as `image/png`."
          },
          "data": {
           "about": "The bytes in base64."
          }
         }
        }
       }
      },
      {
       "about": "A PDF of the user; its `media_type` is `application/pdf`. Since protocol 0.3.0.",
       "fields": {
        "source": {
         "about": "The bytes of an image, audio or document.",
         "fields": {
          "media_type": {
           "about": "Media type, such as `image/png`."
          },
          "data": {
           "about": "The bytes in base64."
          }
         }
        }
       }
      },
      {
       "about": "A file that was uploaded to the session before: an image, text, or a PDF. Since protocol 0.3.0.",
       "fields": {
        "id": {
         "about": "Id of an uploaded file."
        }
       }
      },
      {
       "about": "Text that the editor of a person has of a file. It goes to the model, fenced, if that may read the file without a question; else it is left out, and a notice says so. Of one input at most 32, and 262,144 characters in all. Since protocol 0.3.0.",
       "fields": {
        "path": {
         "about": "Path of the file, as the editor knows it."
        },
        "text": {
         "about": "The text in the editor."
        },
        "attached": {
         "about": "True if the person attached it: it may be the saved text. Default: the disk has another text."
        },
        "lines": {
         "about": "Lines of the file that it is, from 1. Default: all.",
         "fields": {
          "first": {
           "about": "First line."
          },
          "last": {
           "about": "Last line; it is included."
          }
         }
        }
       }
      }
     ]
    }
   }
  }
 },
 "MoveInputCommand": {
  "about": "Moves an input that waits. An agent moves only its own, and not before those of others. Since 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "inputId": {
    "about": "Id of an input that waits."
   },
   "before": {
    "about": "The waiting input that it then stands before. Default: it becomes the last."
   }
  }
 },
 "RunShellCommand": {
  "about": "Runs a command of a person in the session, beside its turns: under the permission gate, in the sandbox, and in the log. Its result has the id of the call. Since protocol 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   },
   "command": {
    "about": "The command line for the shell."
   },
   "toModel": {
    "about": "True: the next request to the model holds the command and its output."
   }
  }
 },
 "StopShellCommand": {
  "about": "Stops a command of a person, or takes back one that waits. Since protocol 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "Id of a session: one run on a log."
   },
   "callId": {
    "about": "Id of a tool call."
   }
  }
 },
 "StopAgentCommand": {
  "about": "Ends one sub-agent, or delegated task. Its call gets a result that says so, and the turn continues. Since 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "callId": {
    "about": "The call that runs it: `parentCall` of its events."
   }
  }
 },
 "SteerAgentCommand": {
  "about": "Sends input to one sub-agent that runs; it enters before its next request. Since 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "callId": {
    "about": "The call that runs it: `parentCall` of its events."
   },
   "content": {
    "about": "The input, in blocks.",
    "items": {
     "options": [
      {
       "about": "Text.",
       "fields": {
        "text": {
         "about": "The text."
        }
       }
      },
      {
       "about": "An image.",
       "fields": {
        "source": {
         "about": "The bytes of an image, audio or document.",
         "fields": {
          "media_type": {
           "about": "Media type, such as `image/png`."
          },
          "data": {
           "about": "The bytes in base64."
          }
         }
        }
       }
      },
      {
       "about": "A sound.",
       "fields": {
        "source": {
         "about": "The bytes of an image, audio or document.",
         "fields": {
          "media_type": {
           "about": "Media type, such as `image/png`."
          },
          "data": {
           "about": "The bytes in base64."
          }
         }
        }
       }
      },
      {
       "about": "A PDF of the user; its `media_type` is `application/pdf`. Since protocol 0.3.0.",
       "fields": {
        "source": {
         "about": "The bytes of an image, audio or document.",
         "fields": {
          "media_type": {
           "about": "Media type, such as `image/png`."
          },
          "data": {
           "about": "The bytes in base64."
          }
         }
        }
       }
      }
     ]
    }
   }
  }
 },
 "StoreProviderKeyCommand": {
  "about": "Stores the key of a provider, encrypted, on the engine's machine; the engine uses it at once. Only people may, in the engine's own process or over its Unix socket: no network listener takes a key. Since protocol 0.3.0.",
  "fields": {
   "provider": {
    "about": "Name of the provider."
   },
   "key": {
    "about": "White space around it is ignored."
   }
  }
 },
 "AskAutoAttachCommand": {
  "about": "Asks people whether the sessions of a program that started `cinch mcp` are auto-attached, unless they have decided. `cinch mcp` sends it about the session that this program has begun. Only people may. Since 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "parent": {
    "about": "The program, as `mcp-parents.lock` names it.",
    "fields": {
     "argv0": {
      "about": "Name by which it was called."
     },
     "binary": {
      "about": "Path of its binary."
     },
     "binarySha256": {
      "about": "SHA-256 of the binary, in hexadecimal digits."
     },
     "script": {
      "about": "Script of an interpreter."
     },
     "scriptSha256": {
      "about": "SHA-256 of the script, in hexadecimal digits."
     }
    }
   }
  }
 },
 "AnswerAutoAttachCommand": {
  "about": "Answers whether the sessions of the program that began a session are always auto-attached. The first answer counts; `mcp-parents.lock` stores it. Only people may. Since 0.3.0.",
  "fields": {
   "sessionId": {
    "about": "The session."
   },
   "always": {
    "about": "False: what the sessions of the program ask for is shown to their subscribers alone."
   }
  }
 },
 "TextDeltaEvent": {
  "about": "The next piece of the model's text.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "text": {
      "about": "The piece."
     },
     "index": {
      "about": "Index of the piece's block in one answer of the model. Default: 0. Since protocol 0.3.0."
     }
    }
   }
  }
 },
 "ThinkingDeltaEvent": {
  "about": "The next piece of the model's thinking.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "block": {
      "about": "One piece of a model's thinking, for people to read. Pieces of a block are in order, and each text is sent once. `family` is absent if the content has expired. Provider data (signatures, encrypted reasoning) stays in the engine.",
      "fields": {
       "family": {
        "about": "Family of models that made it. Absent if the content has expired."
       },
       "text": {
        "about": "The piece of text."
       }
      }
     },
     "index": {
      "about": "Index of the piece's block in one answer of the model. Default: 0. Since protocol 0.3.0."
     }
    }
   }
  }
 },
 "ToolCallStartedEvent": {
  "about": "A tool call starts. ToolResult of the same `callId` ends it.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "callId": {
      "about": "Id of a tool call."
     },
     "tool": {
      "about": "Name of the tool."
     },
     "args": {
      "about": "Arguments of the call, redacted."
     },
     "mutating": {
      "about": "True if the tool may change something."
     },
     "toolKind": {
      "about": "Type of work that a tool does, for a client's icon. Since protocol 0.3.0."
     },
     "preview": {
      "about": "Names of the arguments that hold the change of one file. Since protocol 0.3.0.\n`path` names the file and `new` its new text. Without `old` that is the whole file, else it replaces the text under `old`: once, or everywhere if the argument under `all` is true. With `each`, the argument of that name is a list, and `old`, `new` and `all` are read from each item.",
      "fields": {
       "path": {
        "about": "Argument that names the file."
       },
       "new": {
        "about": "Argument that holds the new text."
       },
       "old": {
        "about": "Argument that holds the text which is replaced. Absent: `new` is the whole file."
       },
       "all": {
        "about": "Argument that is true if the text is replaced everywhere."
       },
       "each": {
        "about": "Argument that is a list of such changes."
       }
      }
     },
     "by": {
      "about": "Set for a command that a person runs themselves (RunShell). Since protocol 0.3.0."
     },
     "shell": {
      "about": "Set together with `by`. Since protocol 0.3.0."
     },
     "toModel": {
      "about": "With `shell`: true if the model gets the command and its output."
     }
    }
   }
  }
 },
 "ToolCallProgressEvent": {
  "about": "Output of a call that runs. Show either `partial`, which the log keeps, or `tail`, which is newer: a command sends both kinds of event.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "callId": {
      "about": "Id of a tool call."
     },
     "partial": {
      "about": "Output since the event before; a long or fast one is cut. May be empty."
     },
     "tail": {
      "about": "The last lines of the output of a command that runs, redacted. Only an event with `aside` has it: it is not in the log, which keeps `partial`. Since protocol 0.3.0."
     },
     "bytes": {
      "about": "Bytes that the command has written so far. Since protocol 0.3.0."
     },
     "lines": {
      "about": "Lines that the command has written so far. Since protocol 0.3.0."
     },
     "elapsedMs": {
      "about": "Milliseconds that the command has run, without the wait for a permission. Since protocol 0.3.0."
     }
    }
   }
  }
 },
 "ToolArgsDeltaEvent": {
  "about": "The next piece of the arguments of a call while the model writes it, redacted. Only a subscriber that asks gets it, with `aside`. ToolCallStarted of the same `callId` has the whole and replaces it. Since protocol 0.3.0.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "callId": {
      "about": "Id of a tool call."
     },
     "tool": {
      "about": "The tool as the model names it: a call of a lazy tool starts under the name of that tool."
     },
     "text": {
      "about": "JSON text. May be empty."
     },
     "offset": {
      "about": "UTF-16 units of the arguments before this piece. Another number than expected: this reader missed pieces."
     },
     "index": {
      "about": "Index of the piece's block in one answer of the model. Default: 0. Since protocol 0.3.0."
     },
     "cut": {
      "about": "The rest of the arguments is above the limit and not shown."
     },
     "void": {
      "about": "No call comes of it: the answer broke off, was tried again, or ended before the call began."
     }
    }
   }
  }
 },
 "ToolResultEvent": {
  "about": "The result of a call, as the model reads it.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "callId": {
      "about": "Id of a tool call."
     },
     "content": {
      "about": "The result, in blocks.",
      "items": {
       "options": [
        {
         "about": "Text.",
         "fields": {
          "text": {
           "about": "The text."
          }
         }
        },
        {
         "about": "An image.",
         "fields": {
          "source": {
           "about": "The bytes of an image, audio or document.",
           "fields": {
            "media_type": {
             "about": "Media type, such as `image/png`."
            },
            "data": {
             "about": "The bytes in base64."
            }
           }
          }
         }
        },
        {
         "about": "A sound.",
         "fields": {
          "source": {
           "about": "The bytes of an image, audio or document.",
           "fields": {
            "media_type": {
             "about": "Media type, such as `image/png`."
            },
            "data": {
             "about": "The bytes in base64."
            }
           }
          }
         }
        }
       ]
      }
     },
     "isError": {
      "about": "True if the call failed."
     },
     "by": {
      "about": "Set for a command that a person runs themselves (RunShell). Since protocol 0.3.0."
     },
     "shell": {
      "about": "Set together with `by`. Since protocol 0.3.0."
     }
    }
   }
  }
 },
 "TurnStartedEvent": {
  "about": "A turn starts. TurnEnded of the same number ends it.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "turn": {
      "about": "Number of the turn in its session, from 1."
     },
     "originator": {
      "about": "The client that sent the input."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     },
     "content": {
      "about": "The input, in blocks.",
      "items": {
       "options": [
        {
         "about": "Text.",
         "fields": {
          "text": {
           "about": "The text."
          }
         }
        },
        {
         "about": "An image.",
         "fields": {
          "source": {
           "about": "The bytes of an image, audio or document.",
           "fields": {
            "media_type": {
             "about": "Media type, such as `image/png`."
            },
            "data": {
             "about": "The bytes in base64."
            }
           }
          }
         }
        },
        {
         "about": "A sound.",
         "fields": {
          "source": {
           "about": "The bytes of an image, audio or document.",
           "fields": {
            "media_type": {
             "about": "Media type, such as `image/png`."
            },
            "data": {
             "about": "The bytes in base64."
            }
           }
          }
         }
        },
        {
         "about": "A PDF of the user; its `media_type` is `application/pdf`. Since protocol 0.3.0.",
         "fields": {
          "source": {
           "about": "The bytes of an image, audio or document.",
           "fields": {
            "media_type": {
             "about": "Media type, such as `image/png`."
            },
            "data": {
             "about": "The bytes in base64."
            }
           }
          }
         }
        }
       ]
      }
     },
     "inputId": {
      "about": "The input that had waited, if any: it has begun and is never begun again."
     }
    }
   }
  }
 },
 "TurnEndedEvent": {
  "about": "A turn has ended.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "turn": {
      "about": "Number of the turn in its session, from 1."
     },
     "reason": {
      "about": "Reason why a turn ended. \"complete\" and \"yield\": the model was done. \"length\": its answer reached the limit. \"empty\": it had none. \"turn_limit\", \"time_limit\" and \"budget\": a limit of the session. \"no_progress\": it repeated itself."
     },
     "rounds": {
      "about": "Provider calls of the session's own agent."
     },
     "error": {
      "about": "Failure that ended the turn, as its Error event has it. Absent after `complete`, `yield` and `cancelled`. An older engine leaves it out: there the last Error event of the turn says it.",
      "fields": {
       "reason": {
        "about": "Name of the failure, for programs."
       },
       "message": {
        "about": "Text for people."
       },
       "details": {
        "about": "Values in the text, by name."
       }
      }
     },
     "usage": {
      "about": "Tokens of the turn and its sub-agents. Absent for a sub-agent, and without a provider call. Since 0.3.0.",
      "fields": {
       "calls": {
        "about": "Provider calls."
       },
       "inputTokens": {
        "about": "Without the tokens of the cache."
       },
       "outputTokens": {
        "about": "Number of tokens."
       },
       "cacheReadTokens": {
        "about": "Number of tokens."
       },
       "cacheWriteTokens": {
        "about": "Number of tokens."
       }
      }
     },
     "usd": {
      "about": "Cost of the same calls; null if the price of one is unknown, or one was cut off. Since 0.3.0."
     },
     "files": {
      "about": "Files that the turn changed, sorted, as `GetChanges` names them; of a renamed one both names; at most 100. Those that commands changed are among them. Absent for a sub-agent, and if no checkpoint knows them. Since 0.3.0."
     }
    }
   }
  }
 },
 "TurnTimingEvent": {
  "about": "Time that the parts of a turn took.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "turn": {
      "about": "Number of the turn in its session, from 1."
     },
     "components": {
      "about": "Nanoseconds of each part, by name.",
      "values": {
       "about": "Nanoseconds."
      }
     },
     "toolCalls": {
      "about": "The calls of the turn.",
      "items": {
       "fields": {
        "callId": {
         "about": "Id of a tool call."
        },
        "tool": {
         "about": "Name of the tool."
        },
        "duration": {
         "about": "Duration in nanoseconds."
        }
       }
      }
     }
    }
   }
  }
 },
 "CompactionTriggeredEvent": {
  "about": "The history that the model gets was shortened.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "beforeTokens": {
      "about": "Tokens before."
     },
     "afterTokens": {
      "about": "Tokens afterwards."
     },
     "boundary": {
      "about": "Events up to this one are no longer in the history as they are."
     },
     "tier": {
      "about": "Method. 1: references replace long results. 2: a model wrote a summary. 3: the summary is made from the log."
     },
     "trigger": {
      "about": "Cause. \"threshold\": the history came near the limit. \"overflow\": the provider refused its length. \"command\": a client."
     }
    }
   }
  }
 },
 "CompactionProgressEvent": {
  "about": "A model is writing a summary, so that the history can be shortened. \"ended\": it has, has failed, or ran out of time; CompactionTriggered follows if the history was shortened. Since protocol 0.3.0.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "beforeTokens": {
      "about": "Tokens of the history before."
     },
     "trigger": {
      "about": "Cause. \"threshold\": the history came near the limit. \"overflow\": the provider refused its length. \"command\": a client."
     },
     "timeoutMs": {
      "about": "Longest time that the summary may take, in milliseconds."
     }
    }
   }
  }
 },
 "CostIncrementedEvent": {
  "about": "One provider call has ended, with its tokens and cost.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "provider": {
      "about": "Name of the provider."
     },
     "model": {
      "about": "Name of the model."
     },
     "inputTokens": {
      "about": "Without the tokens of the cache."
     },
     "outputTokens": {
      "about": "Tokens of the answer."
     },
     "cacheReadTokens": {
      "about": "Tokens read from the prompt cache."
     },
     "cacheWriteTokens": {
      "about": "Tokens written to the prompt cache."
     },
     "usd": {
      "about": "US dollars; null if the price is unknown."
     },
     "turn": {
      "about": "Number of the turn in its session, from 1."
     },
     "purpose": {
      "about": "Set if the call made a summary and is not part of the conversation."
     },
     "cacheMiss": {
      "about": "Set if the provider read again what the last request of this conversation had cached: how much, and the first difference. \"expired\": over five minutes later; \"unknown\": the same prompt, soon after. Since 0.3.0.",
      "fields": {
       "cause": {
        "about": "The first difference."
       },
       "lostTokens": {
        "about": "Tokens that were read again."
       }
      }
     }
    }
   }
  }
 },
 "PermissionRequestedEvent": {
  "about": "A call waits for an answer. Answer with AnswerPermission.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "callId": {
      "about": "Id of a tool call."
     },
     "tool": {
      "about": "Name of the tool."
     },
     "args": {
      "about": "Arguments of the call, redacted."
     },
     "originator": {
      "about": "The client whose turn it is."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     },
     "summary": {
      "about": "Everything that will run, one line per command or path, control characters made visible."
     },
     "reason": {
      "about": "Reason for the question, in words."
     },
     "rule": {
      "about": "The rule that would have allowed the call."
     },
     "agent": {
      "about": "The kind of the sub-agent whose call it is; absent: the session's own agent."
     },
     "onceOnly": {
      "about": "True if an answer applies to this call only and cannot make a rule for the session. Absent: it may."
     },
     "hosts": {
      "about": "Hosts that an answer can open for the session's commands in the sandbox, instead of a call outside of it. Empty: not known yet; the call runs in the sandbox, and another question names the hosts that its proxy refused."
     },
     "diff": {
      "about": "The change of a file: the hunks of a unified diff, unescaped."
     },
     "toolKind": {
      "about": "Type of work that a tool does, for a client's icon. Since protocol 0.3.0."
     },
     "preview": {
      "about": "Names of the arguments that hold the change of one file. Since protocol 0.3.0.\n`path` names the file and `new` its new text. Without `old` that is the whole file, else it replaces the text under `old`: once, or everywhere if the argument under `all` is true. With `each`, the argument of that name is a list, and `old`, `new` and `all` are read from each item.",
      "fields": {
       "path": {
        "about": "Argument that names the file."
       },
       "new": {
        "about": "Argument that holds the new text."
       },
       "old": {
        "about": "Argument that holds the text which is replaced. Absent: `new` is the whole file."
       },
       "all": {
        "about": "Argument that is true if the text is replaced everywhere."
       },
       "each": {
        "about": "Argument that is a list of such changes."
       }
      }
     },
     "timeoutMs": {
      "about": "Time limit for an answer, in milliseconds from `ts` on; then the call is denied."
     },
     "onlyUnattended": {
      "about": "True if the time counts only while no person is subscribed to the session, and begins again when the last one leaves. Absent: it always counts. Since protocol 0.3.0."
     },
     "why": {
      "about": "Reason why a call is asked about, and what would end that. Since protocol 0.3.0.\n`text` is what `cinch permissions explain` says. `cause` is for programs:\n- `rule`: an ask rule names the call.\n- `deny-rule`: a deny rule may name it.\n- `level`: it is above the level.\n- `no-rule`: nothing allows it.\n- `grammar`: the command cannot be read for certain before it runs.\n- `network`: its sandbox lacks the network that it needs.\n- `setting`: a setting has every such call asked about.\n- `protected`: it touches a protected place, or may.\n- `outside-sandbox`: it is to run outside the sandbox.\n- `tool`: the tool itself takes a person's word only.",
      "fields": {
       "cause": {
        "about": "The cause, for programs."
       },
       "text": {
        "about": "The reason in words."
       },
       "ends": {
        "about": "Absent if nothing ends it: a person answers each such call.",
        "fields": {
         "rule": {
          "about": "An allow rule of the user under which this call would run unasked."
         },
         "setting": {
          "about": "A change of the configuration with that effect, as a phrase for people."
         }
        }
       }
      }
     },
     "parts": {
      "about": "The parts of a compound command, in their order. Absent for any other call. Since protocol 0.3.0.",
      "items": {
       "about": "One part of a compound command, as it would be judged alone: a simple command or a redirection. Since protocol 0.3.0.",
       "fields": {
        "text": {
         "about": "The part as it stands in the line, control characters made visible."
        },
        "verdict": {
         "about": "Verdict on the part alone."
        },
        "why": {
         "about": "Reason of the verdict."
        }
       }
      }
     },
     "prefixes": {
      "about": "Rules that an answer of the scope argv_glob can name instead of `rule`, each a prefix of whole words, from the widest to the narrowest. Under each of them this call runs unasked. Since protocol 0.3.0."
     },
     "hunks": {
      "about": "The change of a file, in hunks that an answer can accept one by one. Since protocol 0.3.0.",
      "items": {
       "about": "One changed place of a file. Starts count from 1; with no line on a side, the start is the number of the line before.\nSince protocol 0.3.0.",
       "fields": {
        "id": {
         "about": "The same for the same two texts."
        },
        "old_start": {
         "about": "First line in the old text."
        },
        "old_lines": {
         "about": "Number of lines in the old text."
        },
        "new_start": {
         "about": "First line in the new text."
        },
        "new_lines": {
         "about": "Number of lines in the new text."
        },
        "lines": {
         "about": "Each begins with \" \", \"+\" or \"-\". `\\ No newline at end of file` can follow the last line of a side."
        }
       }
      }
     }
    }
   }
  }
 },
 "PermissionAnsweredEvent": {
  "about": "A client has answered a question about a call. No event: its time ran out, or the turn was cancelled.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "callId": {
      "about": "Id of a tool call."
     },
     "decision": {
      "about": "The decision."
     },
     "scope": {
      "about": "Reach of an answer. \"once\": this call. \"argv_glob\": this and later calls under `rule`. \"tool\": every later call of the tool. The last two make a rule of the session."
     },
     "by": {
      "about": "The client whose command it was. Absent: the engine itself."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     },
     "rule": {
      "about": "The rule that the answer made."
     },
     "hosts": {
      "about": "The call stays in the sandbox, with the hosts that the question offered."
     },
     "hunks": {
      "about": "Ids of the accepted hunks; the others were refused. Absent: the whole call. Since protocol 0.3.0."
     },
     "words": {
      "about": "Words of the person, which the model reads. Since protocol 0.3.0."
     },
     "counted": {
      "about": "False for an answer that came after the first one."
     }
    }
   }
  }
 },
 "CancelledEvent": {
  "about": "A client, or the engine, has cancelled the turn. TurnEnded follows.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "turn": {
      "about": "Number of the turn in its session, from 1."
     },
     "by": {
      "about": "The client, or the part of the engine that cancelled it."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     },
     "reason": {
      "about": "Reason in words."
     }
    }
   }
  }
 },
 "ErrorEvent": {
  "about": "Something failed, or a notice for people. It ends no turn by itself: TurnEnded says if one ended.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "reason": {
      "about": "Name of the failure, for programs."
     },
     "message": {
      "about": "Text for people."
     },
     "details": {
      "about": "Values in the text, by name."
     },
     "severity": {
      "about": "A notice is for information: nothing has failed, or the engine continues by itself. Absent: an error."
     }
    }
   }
  }
 },
 "StreamGapEvent": {
  "about": "Events are missing from here: their content has expired, was replaced, or was lost in a crash.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "from": {
      "about": "First missing event."
     },
     "to": {
      "about": "Last missing event."
     },
     "reason": {
      "about": "Cause of the gap."
     }
    }
   }
  }
 },
 "TokenExpiringEvent": {
  "about": "The client's token expires soon. Renew it.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "jti": {
      "about": "The token."
     },
     "expAt": {
      "about": "Time at which it expires, in seconds since 1970."
     }
    }
   }
  }
 },
 "HookTimeoutEvent": {
  "about": "A hook ran too long and was stopped.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "event": {
      "about": "Event that ran the hook."
     },
     "command": {
      "about": "The command of the hook."
     },
     "after": {
      "about": "Time after which it was stopped, in nanoseconds."
     }
    }
   }
  }
 },
 "HookErrorEvent": {
  "about": "A hook failed.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "event": {
      "about": "Event that ran the hook."
     },
     "command": {
      "about": "The command of the hook."
     },
     "exit_code": {
      "about": "Exit code of the command."
     },
     "output": {
      "about": "Output of the command, cut."
     }
    }
   }
  }
 },
 "MCPServerDownEvent": {
  "about": "An MCP server stopped and could not be started again.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "name": {
      "about": "Name of the server."
     },
     "reason": {
      "about": "Reason in words."
     },
     "attempts": {
      "about": "Attempts to start it."
     }
    }
   }
  }
 },
 "SkillRegistryChangedEvent": {
  "about": "The skills of the session have changed.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "skills": {
      "about": "Names of all skills."
     }
    }
   }
  }
 },
 "SessionEndedEvent": {
  "about": "The session has ended. No event follows.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "reason": {
      "about": "Reason why it ended."
     }
    }
   }
  }
 },
 "CustomEventEvent": {
  "about": "An event of an extension, or of cinch itself under the namespace `cinch`.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "namespace": {
      "about": "Name of the extension."
     },
     "kind": {
      "about": "Name of the event."
     },
     "payload": {
      "about": "Its content."
     }
    }
   }
  }
 },
 "AskedEvent": {
  "about": "A question to the person. Answer with Answer.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "askId": {
      "about": "Id of a question."
     },
     "about": {
      "about": "Subject of the question: a trust acknowledgement, an orphaned call, a plan, a re-run …"
     },
     "text": {
      "about": "The question in words."
     },
     "choices": {
      "about": "Answers to choose from. Absent: a text is asked for.",
      "items": {
       "fields": {
        "value": {
         "about": "Value to answer with."
        },
        "label": {
         "about": "Text for the person."
        }
       }
      }
     },
     "words": {
      "about": "True if free text is an answer too, beside the choices."
     },
     "noteFor": {
      "about": "The choice that may carry a note: the answer is then its value, a colon and the note."
     },
     "details": {
      "about": "Facts behind the question, by name."
     },
     "originator": {
      "about": "The client whose work asks."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     },
     "timeoutMs": {
      "about": "Time limit for an answer, in milliseconds from `ts` on; then the question is closed without one. The same `askId` again changes the limit of an open question."
     },
     "onlyUnattended": {
      "about": "See PermissionRequested. Since protocol 0.3.0."
     }
    }
   }
  }
 },
 "AnsweredEvent": {
  "about": "A question was answered, or closed without an answer.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "askId": {
      "about": "Id of a question."
     },
     "answer": {
      "about": "The answer, null if there was none."
     },
     "by": {
      "about": "The client whose command it was. Absent: the engine itself."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     }
    }
   }
  }
 },
 "InputQueuedEvent": {
  "about": "An input waits. TurnStarted with its `inputId` begins it; a steering input enters the running turn.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "inputId": {
      "about": "Id of an input that waits."
     },
     "content": {
      "about": "The input, in blocks.",
      "items": {
       "options": [
        {
         "about": "Text.",
         "fields": {
          "text": {
           "about": "The text."
          }
         }
        },
        {
         "about": "An image.",
         "fields": {
          "source": {
           "about": "The bytes of an image, audio or document.",
           "fields": {
            "media_type": {
             "about": "Media type, such as `image/png`."
            },
            "data": {
             "about": "The bytes in base64."
            }
           }
          }
         }
        },
        {
         "about": "A sound.",
         "fields": {
          "source": {
           "about": "The bytes of an image, audio or document.",
           "fields": {
            "media_type": {
             "about": "Media type, such as `image/png`."
            },
            "data": {
             "about": "The bytes in base64."
            }
           }
          }
         }
        },
        {
         "about": "A PDF of the user; its `media_type` is `application/pdf`. Since protocol 0.3.0.",
         "fields": {
          "source": {
           "about": "The bytes of an image, audio or document.",
           "fields": {
            "media_type": {
             "about": "Media type, such as `image/png`."
            },
            "data": {
             "about": "The bytes in base64."
            }
           }
          }
         }
        }
       ]
      }
     },
     "delivery": {
      "about": "\"queue\": it waits for its turn. \"steer\": it enters before the next request of the running turn."
     },
     "originator": {
      "about": "The client that sent it."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     },
     "skill": {
      "about": "Name of a skill to use."
     },
     "agent": {
      "about": "Kind of sub-agent that gets it."
     }
    }
   }
  }
 },
 "InputWithdrawnEvent": {
  "about": "An input that waited was withdrawn.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "inputId": {
      "about": "Id of an input that waits."
     },
     "by": {
      "about": "The client whose command it was. Absent: the engine itself."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     }
    }
   }
  }
 },
 "CheckpointMadeEvent": {
  "about": "The files that a turn changed can be restored.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "turn": {
      "about": "Number of the turn in its session, from 1."
     },
     "files": {
      "about": "Number of files in the checkpoint."
     },
     "notRestorable": {
      "about": "Paths that cannot be restored; `.`: none can."
     }
    }
   }
  }
 },
 "TaskChangedEvent": {
  "about": "A background task started, or changed its state.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "taskId": {
      "about": "Id of a background task."
     },
     "what": {
      "about": "Description of the task."
     },
     "state": {
      "about": "State of the task."
     },
     "detail": {
      "about": "Result or reason, in words."
     }
    }
   }
  }
 },
 "TodoChangedEvent": {
  "about": "The model's list of things to do. It replaces the last one.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "items": {
      "about": "All items, in order.",
      "items": {
       "fields": {
        "content": {
         "about": "The item in words."
        },
        "status": {
         "about": "State of the item."
        },
        "activeForm": {
         "about": "The item while it is in progress, in words."
        }
       }
      }
     }
    }
   }
  }
 },
 "MemoryWrittenEvent": {
  "about": "The model has written a memory, or removed one.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "name": {
      "about": "Name of the memory."
     },
     "type": {
      "about": "Sort of the memory."
     },
     "description": {
      "about": "Description in a line."
     },
     "removed": {
      "about": "True if it was removed."
     }
    }
   }
  }
 },
 "ProfileSwitchedEvent": {
  "about": "Sent in the session that was left, with `next`, and in the one that continues, with `previous`.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "from": {
      "about": "Name of the profile before."
     },
     "to": {
      "about": "Name of the profile now."
     },
     "logId": {
      "about": "The log that is continued."
     },
     "next": {
      "about": "The session that continues."
     },
     "previous": {
      "about": "The session that was left."
     },
     "inPlace": {
      "about": "True if the same log continues, as a new run under the other profile."
     },
     "spentBefore": {
      "about": "In the session that continues: the total cost of the sessions before it.",
      "fields": {
       "usd": {
        "about": "Sum over the calls with a known price."
       },
       "unknownCalls": {
        "about": "Number of calls with an unknown price."
       },
       "inputTokens": {
        "about": "Including those of the cache."
       },
       "outputTokens": {
        "about": "Tokens of the answers."
       }
      }
     }
    }
   }
  }
 },
 "ModelChangedEvent": {
  "about": "The session has another model or effort from its next request on. Since protocol 0.3.0.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "model": {
      "about": "`provider:name`."
     },
     "previous": {
      "about": "Set if the model has changed."
     },
     "effort": {
      "about": "The effort that a client chose for the session, changed or not. Absent: the configuration decides."
     },
     "by": {
      "about": "The client whose command it was. Absent: the engine itself."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     }
    }
   }
  }
 },
 "RuleRevokedEvent": {
  "about": "A rule of this session that no longer holds. Since protocol 0.3.0.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "rule": {
      "about": "The rule."
     },
     "by": {
      "about": "The client whose command it was. Absent: the engine itself."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     }
    }
   }
  }
 },
 "RulePromotedEvent": {
  "about": "A rule of this session that was written to a configuration file. Since protocol 0.3.0.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "rule": {
      "about": "The rule."
     },
     "profile": {
      "about": "The profile that has the rule from now on."
     },
     "path": {
      "about": "The file that it was written to."
     },
     "directory": {
      "about": "The directory that it holds in, subfolders included; absent: everywhere under that profile."
     },
     "by": {
      "about": "The client whose command it was. Absent: the engine itself."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     }
    }
   }
  }
 },
 "SessionRenamedEvent": {
  "about": "A person has given the session a title; empty: the one made from its first prompt again. Since protocol 0.3.0.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "title": {
      "about": "The title, empty for the made one."
     },
     "by": {
      "about": "The client whose command it was. Absent: the engine itself."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     }
    }
   }
  }
 },
 "LevelChangedEvent": {
  "about": "The level of the session's next call. Without `by`: settings of the repository have lowered it. Since 0.3.0.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "level": {
      "about": "Levels of a session, the tightest first."
     },
     "by": {
      "about": "The client whose command it was. Absent: the engine itself."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     }
    }
   }
  }
 },
 "InputEditedEvent": {
  "about": "The new content of an input that waits. Since 0.3.0.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "inputId": {
      "about": "Id of an input that waits."
     },
     "content": {
      "about": "The new content, in blocks.",
      "items": {
       "options": [
        {
         "about": "Text.",
         "fields": {
          "text": {
           "about": "The text."
          }
         }
        },
        {
         "about": "An image.",
         "fields": {
          "source": {
           "about": "The bytes of an image, audio or document.",
           "fields": {
            "media_type": {
             "about": "Media type, such as `image/png`."
            },
            "data": {
             "about": "The bytes in base64."
            }
           }
          }
         }
        },
        {
         "about": "A sound.",
         "fields": {
          "source": {
           "about": "The bytes of an image, audio or document.",
           "fields": {
            "media_type": {
             "about": "Media type, such as `image/png`."
            },
            "data": {
             "about": "The bytes in base64."
            }
           }
          }
         }
        },
        {
         "about": "A PDF of the user; its `media_type` is `application/pdf`. Since protocol 0.3.0.",
         "fields": {
          "source": {
           "about": "The bytes of an image, audio or document.",
           "fields": {
            "media_type": {
             "about": "Media type, such as `image/png`."
            },
            "data": {
             "about": "The bytes in base64."
            }
           }
          }
         }
        }
       ]
      }
     },
     "by": {
      "about": "The client whose command it was. Absent: the engine itself."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     }
    }
   }
  }
 },
 "InputMovedEvent": {
  "about": "The new place of an input that waits: before another one, or the last. Since 0.3.0.",
  "fields": {
   "id": {
    "about": "A position in a log: JSON numbers up to 2^53 − 1."
   },
   "session": {
    "about": "The session."
   },
   "originator": {
    "about": "The client whose command caused it. Absent: the engine itself."
   },
   "parentCall": {
    "about": "The call of the parent session that this event of a sub-agent belongs to."
   },
   "ts": {
    "about": "Time at which it was made, in UTC."
   },
   "aside": {
    "about": "True for an event outside the log, sent once and only to its recipients: it has the id of the event before it."
   },
   "payload": {
    "fields": {
     "inputId": {
      "about": "Id of an input that waits."
     },
     "before": {
      "about": "The waiting input that it stands before now. Absent: it is the last."
     },
     "by": {
      "about": "The client whose command it was. Absent: the engine itself."
     },
     "who": {
      "about": "The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does not know any more, an older log, or expired content. Since protocol 0.3.0.",
      "fields": {
       "label": {
        "about": "Name that the client gives itself, without control characters. Never trust it: clients may share one."
       },
       "identityClass": {
        "about": "Class of its token, which the engine has checked."
       }
      }
     }
    }
   }
  }
 },
 "SessionChangedNews": {
  "about": "A session that began or has changed.",
  "fields": {
   "session": {
    "about": "Id of a session: one run on a log."
   },
   "info": {
    "about": "The session as ListSessions describes it. It replaces earlier items about it."
   }
  }
 },
 "SessionGoneNews": {
  "about": "A session that is gone.",
  "fields": {
   "session": {
    "about": "It ended, was deleted, or a newer run on its log took its place, which follows."
   },
   "log": {
    "about": "Log of the session."
   }
  }
 },
 "NewsReadyNews": {
  "about": "The end of the first list."
 }
};
