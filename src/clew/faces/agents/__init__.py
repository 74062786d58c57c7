"""Puts what a writing agent needs into a project, and takes exactly that away again.

`hosts` says where a host keeps its things, `jsontext` edits a settings file without touching what
stands around the edit, `settings` knows the entries that are ours, `skills` the shipped skill,
`install` makes a plan, shows it, carries it out, and keeps the record that `uninstall` goes by.
A face: it may look at the machine (interpreter, PATH), and writes through the kernel.
"""
