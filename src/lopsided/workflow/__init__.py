"""The practitioner's day: a table in, a model kept, a list out that can be defended."""
