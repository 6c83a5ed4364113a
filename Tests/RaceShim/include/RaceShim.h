// There is nothing to call: the functions of RaceShim.c replace others that have the same names.
