"""What a host of agents asks before and between its tool calls, and how it is answered.

A host (Claude Code, Codex, Gemini) runs `clew hook EVENT`, gives one JSON object on stdin and reads
one from stdout. `contract` knows the hosts' events, tools and answers, `commands` finds the files that
a command line writes (`shell` takes it apart, `flow` knows what runs where), `answer` joins them to
the rooms. Standard library and `clew.novel.guard`
only: an agent waits for it at every tool call. What comes in is data; what goes wrong in here never
stops the host.
"""
