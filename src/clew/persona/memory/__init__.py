"""What the persona can find again: words always, meanings where something can compute them.

`source` says what the index is made from (the archive of transcripts, the diary, the channels),
`words` keeps and asks it, `embedders` turn a text into a vector (a configured endpoint, or a local
model that is installed), `vectors` keeps these. Both files are derived: deleting them loses nothing
but time. Source: persona seed sections 1 and 8.
"""
