"""The command line: `clew <noun> <verb>`, and the console scripts `storyctl`, `tracking_commit`."""
