"""A persona that stays itself: its home, its layers, its vitals, its pulse, its channels."""
