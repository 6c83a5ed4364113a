// Nothing to call: the functions of RaceShim.c take the place of others by their names.
