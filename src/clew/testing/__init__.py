"""Shipped test tools: a disk that records and fails, a model of crashes, fault-injecting real files.

For tests of clew and of what is built on it; the product itself never imports this room.
"""
