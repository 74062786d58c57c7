"""The kernel: durability. It knows nothing of novels, cards or personas.

`vault` names what every store must do; `folder` and `memory` do it; `journal`, `lock`, `log` and
`files` are how `folder` keeps its promises (docs/promises.md names the test of each).
"""
