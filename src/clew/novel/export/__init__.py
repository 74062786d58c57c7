"""The book as readers get it: one edition (EPUB, Word, Markdown, plain text) made of 正文/.

`reading` cuts bodies into blocks and `manuscript` says what blocks are; `epub`, `docx`, `markdown`
and `plain` write them; `gather` takes a manuscript from a book folder, `target` knows where an
edition may go, and `edition` joins it all. 正文/ and 追踪/ are only ever read. Source: the design of
the ledger (export) and EPUB 3.3.
"""
