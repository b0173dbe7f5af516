// SPDX-License-Identifier: MIT
/* `aa processes DIR`: what estimators of a ratio over processes are worth, from pairs of equal code
 * of a run's timing records, as they are and with some processes made slower. */
#ifndef AA_PROCESSES_H
#define AA_PROCESSES_H

int compare_over_processes(const char *folder);

#endif
