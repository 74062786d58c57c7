"""What clew costs: the benchmark book, a plain baseline, and the table of docs/performance.md."""
