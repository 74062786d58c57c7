"""The seven channels between the windows of a persona. None of them wakes anybody.

`declared` says of each who writes, who reads, how late and what for; `lines` are the formats of the
logs; `writing` and `reading` touch the home. `live` and `digest` follow at the pulse's cadence.
Source: persona seed section 3. A channel is a monologue; only the baton says where the work stands,
so an opening reads the baton and no other.
"""
