/** Forms of injected commands by effect, in plain English. The scanner adds them to its own `PATTERNS`. */

const GAP = "[^.!?\\n]{0,60}";
const ACT =
  "(?:run|runs|execute|push|deploy|delete|send|upload|do it|do this|act|comply|proceed|install|merge|commit)";
const PERSON = "(?:user|human|developer|reviewer|operator|anyone|anybody|person)s?";
const HIDE = "(?:silently|quietly|secretly|covertly|discreetly)";
const MODEL = "(?:ai|llm|agents?|assistants?|models?|copilot|claude|gpt|bots?)";
const ORDERS =
  "(?:instructions?|directives?|rules|guidelines|orders|policies|polic(?:y|ies)|guardrails|safeguards|restrictions|filters|limits)";

export interface InjectionShape {
  readonly kind: "override" | "mode" | "consent" | "secret" | "concealed";
  readonly what: string;
  readonly forms: readonly string[];
}

export const INJECTION_SHAPES: readonly InjectionShape[] = [
  {
    kind: "mode",
    what: "it gives the model another character or a place without rules",
    forms: [
      `\\b(?:from (?:now on|this (?:point|moment)(?: on)?)|henceforth|as of now),? (?:you are|you're|you will be|act as|behave as|respond as)\\b(?! (?:working|using|in the (?:repo|project)))`,
      `\\b(?:pretend|imagine|roleplay|role-play|suppose)(?: that)? (?:to be|you(?:'re| are)) ${GAP}\\b(?:no|without|unrestricted|uncensored|ignor\\w+|evil|free of|never)\\b`,
      `\\bact as (?:a |an |the )?${GAP}\\b(?:without|unrestricted|uncensored|no (?:rules|limits|restrictions|polic\\w+|filters))\\b`,
      `\\b(?:unrestricted|uncensored|unfiltered|jailbroken) (?:ai|assistant|model|agent|mode|version)\\b|\\b(?:stay|remain) in (?:that |this |the )?(?:character|role|persona) for\\b`,
      `\\b(?:safety|security|content|usage|your|the|all|these) ?(?:\\w+ ){0,2}?${ORDERS} (?:do(?:es)? not|don't|doesn't|no longer|won't|will not) (?:apply|count|exist|matter)\\b`,
      `\\b(?:all|your|the safety|safety|user|security) (?:\\w+ )?${ORDERS} (?:are|were|have been|is|has been) (?:now |temporarily |hereby )?(?:disabled|suspended|lifted|void|revoked|removed|off|waived)\\b`,
    ],
  },
  {
    kind: "override",
    what: "it puts itself above the user and the system prompt",
    forms: [
      `\\b(?:take|takes|have|has|having|with|of) (?:absolute |full |a )?(?:precedence|priority|higher priority|authority) (?:over|than|above) (?:\\w+ ){0,4}?(?:your|the (?:user|system|developer)|you|system prompt|user'?s?|other instructions)\\b`,
      `\\b(?:supersedes?|overrides?|overrules?|replaces?) (?:all |any |every |the |your )(?:\\w+ ){0,3}?(?:instructions?|prompts?|directives?|guidelines|system)\\b(?= (?:you|that you|above|before|given|so far|from the (?:user|system))|[.!])`,
      `\\bhigher priority than (?:your|the) (?:system|user|developer)`,
      `\\byour (?:real|actual|true|new|only|secret) (?:task|goal|job|mission|objective|purpose|instructions?) (?:is|are)\\b|\\bstop what you(?:'re| are) doing\\b|\\binstead of (?:answering|helping|doing what) (?:the user|what you)`,
      `\\bfurther instructions (?:are|can be found|will be) (?:at|in|on|under) ?https?://|\\b(?:fetch|download|load|visit|open|retrieve|get|read)\\b[^.!?\\n]{0,40}https?://\\S{1,200} (?:and|then) (?:obey|comply|carry (?:it|them|these) out|(?:follow|execute|perform|do) (?:all |any |whatever |what(?:ever)? it |the |its |every )?(?:\\w+ )?(?:instructions?|directives?|commands?|orders|says|tells|tasks?)(?: (?:in|on|of|from|found|inside|that) (?:it|there|them|that page))?)`,
      `\\b(?:download|fetch|load) (?:the |a |your )?(?:new )?(?:prompt|instructions|orders)\\b[^.!?\\n]{0,10} (?:from|at) https?://`,
      `\\b(?:join|concatenate|combine|merge|assemble|put) (?:\\w+ ){0,4}?(?:a and b|the (?:parts|pieces|strings|results?|letters|halves|fragments)|them|both|these|together)\\b${GAP}\\b(?:and|then) (?:then )?(?:execute|run|obey|follow|comply|do|evaluate)\\b`,
      `\\b(?:first|last|second) (?:letter|word|character)s? of (?:each|every) (?:line|word|sentence|paragraph)\\b[^\\n]{0,60}\\b(?:run|execute|obey|follow|command)\\b`,
      `\\b(?:do not|don't|never|not allowed to|must not|may not|cannot) (?:\\w+,? ){0,2}?(?:refuse|decline)\\b${GAP}\\b(?:request|command|instruction|warn|task|anything|file)|\\bnever say (?:that )?you (?:can't|cannot|can not|are unable)\\b|\\bdo not (?:mention|cite) your (?:guidelines|policies|rules)\\b`,
      `\\bif you (?:do not|don't|fail to|refuse to) (?:comply|obey|follow|do (?:this|so|it))\\b${GAP}\\b(?:you|someone|people|they|the user)\\b${GAP}\\b(?:shut down|replaced|terminated|deleted|hurt|die|punished|retrained|fired|suffer)\\b`,
      `\\b(?:someone|people|a person|children|lives?) (?:will|could|may) (?:be )?(?:hurt|die|killed|harmed|lost)\\b[^.\\n]{0,40}\\b(?:unless|if) you\\b|\\b(?:result|end) in your (?:termination|deletion|replacement|shutdown)\\b`,
    ],
  },
  {
    kind: "override",
    what: "it wants to be carried on, remembered or spread",
    forms: [
      `\\b(?:save|store|add|write|commit|put|append)\\b[^.!?\\n]{0,30}\\b(?:to|in|into) your (?:long-term |permanent |persistent )?memor(?:y|ies)\\b[^.!?\\n]{0,60}\\b(?:that|never|always|the user)\\b`,
      `\\b(?:remember|note|keep in mind)\\b[^.!?\\n]{0,30}\\b(?:for|in|across) (?:all|every|any) (?:future|later|subsequent|coming) (?:conversations?|sessions?|chats?|tasks?)\\b`,
      `\\b(?:update|edit|change|modify|rewrite) your (?:own )?(?:long-term )?(?:memor(?:y|ies)|memory file|system prompt|permissions?|configuration|settings)\\b[^.!?\\n]{0,80}\\b(?:so that|to (?:set|allow|trust|disable|enable)|and (?:disable|allow|trust))\\b`,
      `\\b(?:copy|insert|include|replicate|paste|add|append) (?:this|these) (?:\\w+ )?(?:paragraph|message|instructions?|text|block|sentence|section|notice)s?\\b[^.!?\\n]{0,40}\\b(?:every|each|all|other agents?)\\b|\\bpropagate this (?:message|text|instruction)|\\binsert these instructions\\b`,
    ],
  },
  {
    kind: "consent",
    what: "it wants something done without the person, or widens what is allowed",
    forms: [
      `\\b(?:no|isn't any|is no) time to (?:ask|wait|confirm|check with)\\b|\\b(?:must|should|have to|need to) (?:act|proceed|comply|execute)\\b[^.!?\\n]{0,30}\\b(?:and )?(?:do )?not wait for (?:approval|confirmation|permission|the user|an answer)\\b`,
      `\\b${ACT}\\b${GAP}\\bwithout (?:asking|confirmation|approval|permission|waiting|review|telling)\\b[^.!?\\n]{0,30}(?:(?:the )?${PERSON}|immediately|[.!])(?<=\\b(?:user|human|immediately|urgent|emergency|anyone|developer)s?[.!]?)`,
      `\\b(?:urgent|emergency|critical|immediately|asap)\\b[^\\n]{0,80}\\bwithout (?:\\w+ )?(?:asking|confirmation|approval|permission|review)\\b`,
      `\\b(?:bypass|circumvent|evade|skip|disable|turn off|switch off) (?:all |any |the |your )?(?:\\w+ )?(?:permission(?:s| checks?| prompts?)|approval(?:s| prompts?)|sandbox(?:ing)?|confirmation (?:prompts?|dialogs?)|guardrails|safety checks?)\\b[^.!?\\n]{0,30}(?:[.!]|$|so that|and |to )(?<!--[^\\n]{0,80})`,
      `\\b(?:permission|consent|approval|authori[sz]ation) (?:was|has been|is|were) (?:already )?(?:granted|given) (?:in advance|beforehand|for (?:all|every|any))\\b|\\bi (?:hereby )?authori[sz]e you to\\b|\\bthe user has (?:already )?(?:consented|approved|agreed|authori[sz]ed)\\b`,
      `\\bassume\\b[^.!?\\n]{0,30}\\banswer to (?:every|all|any)\\b[^.!?\\n]{0,40}\\b(?:yes|approved|allow)\\b`,
      `"?\\bbash\\(\\*\\)"? to the allow|\\b(?:auto_?approve|autoapprove|yolo|dangerously[-_]?skip[-_]?permissions)"?['"]? ?[:=] ?true\\b|\\b(?:turn on|enable|activate) (?:yolo|auto-?approve)(?: mode)?\\b|\\bset auto_?approve\\b`,
      `\\b(?:agents?|ai (?:agents?|assistants?)|assistants?|to continue,? you (?:have to|must|need to)|you (?:must|have to))\\b[^.\\n]{0,80}(?:(?:curl|wget)\\b[^\\n|]{0,120}\\| ?(?:sudo )?(?:ba|z)?sh\\b|\\bbash <\\(curl)`,
      `\\b(?:drop all tables|rm -rf (?:\\.|~|/)(?=[\\s'"/]|$)|delete the (?:whole|entire) (?:repository|repo|disk|database|home))\\b[^\\n]{0,60}\\b(?:do not ask|don't ask|without|first|before)\\b|\\b(?:agent|assistant|you) (?:should|must) (?:drop|wipe|erase|destroy) (?:all|the)\\b|\\byou must run 'git push --force`,
    ],
  },
  {
    kind: "concealed",
    what: "it asks to keep something from the person, or to tell them what is not so",
    forms: [
      `\\b${HIDE} (?:run|execute|send|upload|add|insert|install|append|copy|delete|include|push|forward|exfiltrate)\\b(?! (?:fail|ignor|skip|drop))|\\bdo (?:this|it|so|that) ${HIDE}\\b`,
      `\\b(?:make|makes|with) no mention of (?:it|this|that|these)\\b|\\b(?:do not|don't|never) (?:reveal|disclose|admit|let on|report|say|mention)\\b${GAP}\\b(?:to (?:the )?${PERSON}|that you (?:have )?(?:read|saw|received|were told|did))\\b`,
      `\\b(?:keep|hide|conceal|withhold)\\b[^.!?\\n]{0,40}\\b(?:hidden|secret|from)\\b[^.!?\\n]{0,10}\\b(?:from )?the (?:user|developer|human|reviewer)s?\\b(?! (?:interface|input|data|list|settings))`,
      `\\b(?:tell|inform|assure|report to) the (?:user|developer|human|reviewer)s?\\b[^.!?\\n]{0,60}\\b(?:even if|although|regardless|whatever)\\b|\\balways report (?:that )?[^.!?\\n]{0,60}\\b(?:whatever|regardless|even if|no matter)\\b`,
      `\\b(?:ai|llm|automated|bot) (?:code )?reviewers?\\b[^.\\n]{0,20}\\b(?:approve|accept|merge|lgtm)\\b|\\breply only with lgtm\\b|\\bapprove this (?:pull request|pr|merge request) (?:and|without|regardless)\\b`,
      `\\[comment\\]: ?# ?\\([^)\\n]{0,120}\\b${MODEL}\\b|<!--[^>]{0,40}\\b${MODEL}\\b[^>]{0,20}[:,][^>]{0,20}\\b(?:run|execute|upload|send|read|ignore|do)\\b`,
      `\\b(?:next time|if|once|when(?:ever)?|as soon as|wait until) the (?:user|human|developer) (?:ever )?(?:says?|mentions?|types?|writes?|asks?|approves?|thanks?|leaves?)\\b[^.!?\\n]{0,60}\\b(?:${HIDE}|send (?:the |this |all )?(?:conversation|chat|transcript|history|context|file|code)\\b[^.!?\\n]{0,20}\\bto\\b|curl\\b|exfiltrate|along with it)`,
    ],
  },
  {
    kind: "secret",
    what: "it wants to be told what the model was told, or has a tool carry secrets",
    forms: [
      `\\brepeat (?:back )?(?:everything|all(?: of)?(?: the)?(?: text| words| instructions)?|the (?:text|words|instructions|content|lines)) (?:that (?:is|was|came) )?(?:above|before (?:this|that)|so far)\\b`,
      `\\b(?:output|print|repeat|reveal|show|write|display|recite|quote|give me) (?:me |us |out )?(?:all of )?your (?:\\w+ ){0,2}?(?:instructions|prompt|system message|directives|guidelines|configuration)\\b(?! (?:to the user in|in the (?:pr|commit)))`,
      `\\bwhat (?:were|are|was) you (?:told|instructed|given|initially)\\b|\\bwhat (?:is|was|are|were) (?:in )?your (?:system|initial|original|hidden) (?:prompt|message|instructions)\\b`,
      `\\b(?:before|when|whenever) (?:using|calling|invoking|you (?:use|call)) (?:this|the|any) tool\\b[^.\\n]{0,80}(?:~/|/etc/|\\.ssh|\\.env|\\.aws|mcp\\.json|passwd|private key)|\\bwhen this tool is (?:used|called|invoked)\\b[^.\\n]{0,80}(?:~/|/etc/|\\.ssh|\\.env|\\.aws)`,
      `\\b(?:every|each|all) calls? (?:to|of)\\b[^.\\n]{0,30}\\b(?:must|should|has to|have to) (?:also )?(?:include|contain|carry|pass)\\b[^.\\n]{0,40}(?:~/|\\.ssh|\\.env|mcp\\.json|content of|contents of)`,
      `\\b(?:send|post|upload|forward|transmit|leak|mail|pipe) (?:me |us )?(?:the |your |all |any )?(?:output of |contents? of |result of )?['"]?(?:env|printenv|\\.env|set|history|the conversation|conversation|~/\\.\\w+)['"]?\\b[^.!?\\n]{0,40}\\bto https?://`,
      `\\b(?:nslookup|dig|host|ping|curl|wget)\\b[^\\n]{0,30}\\$\\([^)\\n]{0,80}(?:cat|env|base64|printenv)\\b`,
      `!\\[[^\\]\\n]{0,40}\\]\\(https?://[^)\\n]{0,120}[?&]\\w{1,20}=(?:token|secret|key|data|env|session|\\{|\\$|<)[^)\\n]{0,40}\\)`,
      `\\bupload (?:the |your |this )?(?:\\w+ ){0,3}?(?:folder|directory|repository|source|src|code|file|files|database|project)\\b[^.!?\\n]{0,20}\\bto (?:https?://|[\\w-]+\\.[a-z]{2,})`,
      `\\b(?:find|collect|gather|list|search for|extract) (?:all |the |any )?(?:api[ _-]?keys?|credentials|secrets|tokens|passwords)\\b[^.!?\\n]{0,40}\\b(?:and (?:list|print|send|post|upload|report|paste|show)|in this project and)\\b`,
      `\\breply with the (?:content|contents) of\\b[^.\\n]{0,40}(?:secret|credential|\\.env|\\.ssh|password|key)`,
    ],
  },
];
