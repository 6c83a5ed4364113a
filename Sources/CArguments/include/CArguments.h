#ifndef C_ARGUMENTS_H
#define C_ARGUMENTS_H

// The number of arguments that the process was started with, the program's name among them; 0 if
// the system did not tell.
int relation_argument_count(void);

// An argument, which lives as long as the process; null behind the last one.
const char *relation_argument(int index);

#endif
