/* report.md: the answer first, then the tables it rests on, then the machine. From files alone. */
#ifndef ULPLAB_REPORT_H
#define ULPLAB_REPORT_H

#include "base/error.h"

/* Reads a folder of results and writes report.md into it; `path` receives where. */
int report_write(const char *folder, char *path, unsigned long path_size, struct error *e);

#endif
