"""`clew demo`: a small world to look at (two novels, some cards, a week of a persona), made with the
real commands from the examples that come with the package."""
