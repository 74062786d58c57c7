"""When a persona wakes of its own accord: rules, dice, decision, ledger, forecast.

Pure: everything is computed from what is handed in, so that the same ledger at the same moment gives
the same decision on every machine, and `next` can tell the coming times exactly. All arithmetic is
in UTC; the persona's zone only says which civil date and what time of day a moment is. Rules: persona
seed section 2.
"""
