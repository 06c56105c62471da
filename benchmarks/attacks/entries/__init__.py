"""Public entry points: how to draw their arguments, and what must hold of their answers."""
